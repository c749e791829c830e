# SPDX-License-Identifier: Apache-2.0
# The verbs of the project. `make bench` and `make test` set up everything they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Long commands show their progress; pip's output is in build/setup. INSTALL_LOCK takes the name of a
# lock file and a title.
WITH_PROGRESS = $(BIN)/python tools/with_progress.py
INSTALL_LOCK = $(WITH_PROGRESS) --of $$(grep -c '==' requirements/$(1).lock) $(2) build/setup/$(1).log \
    $(PIP) install --require-hashes -r requirements/$(1).lock
SAY_NEXT = echo "ready: $(BIN)/joulemark; next 'make bench' measures the default set, \
    '$(BIN)/joulemark bench hmac-sha256' one algorithm"
SAY_DEV = echo "ready: '$(BIN)/python -m pytest FILE'; before it 'make setup', after a change outside docs, tests \
    and tools"
SOURCES := $(shell find src kernels harness providers bindings catalogue vectors hdl firmware -type f \
             -not -name '*.pyc' 2>/dev/null) CMakeLists.txt pyproject.toml README.md
C_SOURCES := $(shell find kernels harness providers bindings firmware tests tools -name '*.c' -o -name '*.h' \
               -o -name '*.cpp')

# More workers than CPUs, since some tests wait, and eight at most, since some start compilers. The
# tests of a file run in one worker, so that their shared parts are made once; a test may take twice as
# long as alone. A worker that dies ends the run with the name of its test: with another worker in its
# place pytest-xdist 3.8 waits for ever.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min(8, 2 + len(os.sched_getaffinity(0))))')
SIDE_BY_SIDE := -n $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 --timeout 600 \
    --durations 15 --durations-min 10
# Folders of the suite that `make test` and `make test-all` run.
TESTS ?= tests
# The files are named, since pytest takes seconds to read all files, in which no test runs.
TIMED := $(sort $(shell grep -rl --include='test_*.py' 'mark\.timing' $(TESTS)))
# A failed test of time runs once more: a busy minute passes, a fault stays.
RUN_TIMED = [ -z "$(TIMED)" ] || $(BIN)/python -m pytest -m $(1) $(TIMED) || \
    $(BIN)/python -m pytest -m $(1) $(TIMED) --last-failed

# Pythons with which `make wheel` builds wheels and in which it tries them. A wheel built with a later
# Python than 3.11 serves all versions from 3.12 on.
WHEEL_PYTHONS ?= $(PYTHON)

.DEFAULT_GOAL := help
.PHONY: FORCE help setup dev bench test test-slow test-ci test-all test-cores test-releases fuzz wheel lint lint-types \
        lint-style format lock engine-costs core-tools tools-ready clean

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15
	@echo "Begin with 'make bench': some minutes to build, two to measure; then $(BIN)/joulemark --help"

setup: $(VENV)/.installed ## build and install everything in .venv
	@$(if $(filter setup,$(MAKECMDGOALS)),$(SAY_NEXT),:)

$(VENV)/.run: requirements/run.lock tools/check_tools.sh
	@sh tools/check_tools.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)
	@$(call INSTALL_LOCK,run,"what joulemark needs")
	@touch $@

# This file changes when an outside library appears or goes, so that its provider is built or dropped.
$(VENV)/.libraries: $(VENV)/.run FORCE
	@sh tools/libraries_present.sh > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(VENV)/.installed: $(VENV)/.run $(VENV)/.libraries $(SOURCES)
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(WITH_PROGRESS) "building joulemark, with the libraries found here" \
	    build/setup/joulemark.log $(PIP) install --verbose --no-deps --no-build-isolation --force-reinstall \
	    --config-settings cmake.define.JOULEMARK_WARNINGS_AS_ERRORS=ON .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.lock
	@$(call INSTALL_LOCK,dev,"tools for tests and style")
	@touch $@

core-tools: setup requirements/hardware.lock ## add what `joulemark core` needs to .venv: simulator, synthesis, place and route
	@$(call INSTALL_LOCK,hardware,"tools for cores")
	@$(BIN)/python -m joulemark.hardware.flow.packaged_tools

# Tools that compile themselves at their first start are started here, with a message on the screen.
tools-ready: setup $(VENV)/.dev
	@$(BIN)/python -m joulemark.hardware.flow.packaged_tools

dev: tools-ready ## setup, and in .venv the tools for tests and style
	@$(SAY_DEV)

bench: setup ## measure the default set on this machine, show who is the fastest, write report.html
	$(BIN)/joulemark bench --report report.html

# A red lint hides no test: both run, the exit status is of both, and the last line names a red lint.
LINT_FAILED := build/lint_failed
AND_LINT = [ ! -e $(LINT_FAILED) ] || { echo "lint failed, before the tests; 'make lint' says it again"; status=1; }; \
    exit $$status

# Tests that measure time run alone, the others side by side. The second part runs even if the first
# fails. `1` selects tests, and `2` has further options of the second part. A test that failed beside
# others runs once more alone, as on a full machine each of thousands may meet a time limit; pytest
# names it twice, and the first that fails again ends the part.
ALONE := --last-failed --last-failed-no-failures none --maxfail 1 --timeout 600
RUN_BESIDE_OTHERS = $(BIN)/python -m pytest -m $(1) $(SIDE_BY_SIDE) $(2) $(TESTS) || \
    { [ $$? = 1 ] && $(BIN)/python -m pytest -m $(1) $(ALONE) $(2) $(TESTS); }
define TEST
	@rm -f $(LINT_FAILED); $(MAKE) --no-print-directory lint || touch $(LINT_FAILED)
	@status=0; $(call RUN_TIMED,'timing$(1)') || status=1; \
	$(call RUN_BESIDE_OTHERS,'not timing$(1)',$(2)) || status=1; \
	$(AND_LINT)
endef

test: tools-ready ## lint, then the tests that take seconds; 12 minutes
	$(call TEST, and not exhaustive and not slow)

test-slow: tools-ready ## the tests of test-ci that `make test` leaves out, without lint; 20 minutes
	$(call RUN_BESIDE_OTHERS,'slow and not timing and not exhaustive',)

test-ci: tools-ready ## lint, then the suite without the exhaustive tests, as .ci/run does; 40 minutes
	$(call TEST, and not exhaustive)

# This also runs every command of the documents unchanged; their time limits are in the tests.
test-all: tools-ready ## lint, then the whole test suite with the exhaustive tests; hours
	$(call TEST,,--timeout 7200)

test-cores: tools-ready ## all tests of hardware cores, with the exhaustive ones
	$(BIN)/python -m pytest tests/hdl tests/hardware

# RELEASES names other releases; MACHINES is a folder that keeps the machines. A machine that cannot be
# made here is named and is no failure, unless none can be made.
RELEASES ?= bookworm trixie testing noble
test-releases: ## README's two commands on new machines of Debian 12, 13, testing and Ubuntu 24.04; as root
	@status=3; mkdir -p build/releases; \
	for release in $(RELEASES); do \
	    { sh tools/fresh_machine.sh $$release $(if $(MACHINES),$(MACHINES)/$$release) 2>&1; \
	        echo "$$release: exit code $$?"; } | tee build/releases/$$release.log; \
	done; \
	for release in $(RELEASES); do \
	    sed -n '/^== .*: summary$$/,$$p; /^fresh_machine: /p' build/releases/$$release.log; \
	    case $$(tail -n 1 build/releases/$$release.log) in \
	        *" 0") [ $$status = 1 ] || status=0 ;; \
	        *" 3") echo "not run: $$release" ;; \
	        *) status=1 ;; \
	    esac; \
	done; exit $$status

fuzz: tools-ready ## try damaged stores, exports, libraries, manifests and meters for an hour (SECONDS=3600)
	$(BIN)/python tests/fuzz/fuzz.py --seconds $(or $(SECONDS),3600)

wheel: tools-ready ## build wheels for any Linux in dist/ (WHEEL_PYTHONS="python3.11 python3.12"), and try them
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/build_wheels.sh dist $(WHEEL_PYTHONS)
	JOULEMARK_WHEELS=dist JOULEMARK_PYTHONS="$(WHEEL_PYTHONS)" $(BIN)/python -m pytest tests/package

# Types and style are checked side by side, since mypy's processes wait for each other.
lint: $(VENV)/.dev setup ## check types, style and format of all files
	@$(MAKE) --no-print-directory -j 2 lint-types lint-style

# On a busy machine mypy's workers may start too late for it, which is its exit code 2.
lint-types:
	$(BIN)/mypy --num-workers auto || { [ $$? = 2 ] && $(BIN)/mypy; }

lint-style:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "$(BIN)/clang-format --dry-run --Werror, all C and C++"
	@$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)
	$(BIN)/python tools/lint_cores.py

format: $(VENV)/.dev ## rewrite Python and C in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(C_SOURCES)

lock: $(VENV)/.dev ## renew the pinned versions and their hashes
	$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --generate-hashes \
	    --no-emit-index-url --extra lab --extra explorer --extra postgresql --extra fleet --extra build \
	    -o requirements/run.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --generate-hashes \
	    --no-emit-index-url --extra lab --extra explorer --extra postgresql --extra fleet --extra build \
	    --extra dev --extra hardware --extra firmware -o requirements/dev.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --no-header --no-annotate --generate-hashes \
	    --no-emit-index-url --extra hardware -o requirements/hardware.lock pyproject.toml

engine-costs: $(VENV)/.run ## measure again the costs of the variants from which an engine chooses
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B build/costs -G Ninja -DJOULEMARK_BINDINGS=OFF -DJOULEMARK_PROVIDERS=OFF \
	    -DJOULEMARK_WARNINGS_AS_ERRORS=ON
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/costs --target measure_engine_costs
	build/costs/measure_engine_costs > build/costs/engine_costs.h
	cp build/costs/engine_costs.h kernels/engine/engine_costs.h

clean: ## remove all that was built, keep measurements
	rm -rf build $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
