# SPDX-License-Identifier: Apache-2.0
"""Runs cocotb modules on a built core, and reads their verdicts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from joulemark.errors import ImplementationError
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation.verilator import cocotb_config
from joulemark.processes.child import named_variables
from joulemark.processes.tool import run_tool


def cocotb_variables(
    core: Core, modules: Sequence[Path], parameters: Mapping[str, int], results: Path, *, seed: int
) -> dict[str, str]:
    """Variables of the environment for cocotb and its modules, whose verdicts go to a file.

    The seed is of cocotb's random numbers, and of Python's within the simulation.
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


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Names of the tests that passed and failed in one run; skipped tests are in neither."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    log: Path


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
    """Runs cocotb modules on a built core, in the program's folder unless another is given.

    The folders of the modules and of the core's adapter are put on Python's path. Modules find the
    core's parameters as JSON in the environment variable JOULEMARK_PARAMETERS, and the clocks that
    the manifest promises for them in JOULEMARK_CLOCKS_PER_BLOCK and JOULEMARK_LATENCY_CLOCKS. The
    seed is of cocotb's random numbers, and of Python's within the simulation. After `timeout_s` of
    wall time the simulation is ended.
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
