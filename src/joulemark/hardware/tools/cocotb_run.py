# SPDX-License-Identifier: Apache-2.0
"""The environment of cocotb for one run of a simulation, and the verdicts of the run."""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joulemark.errors import UnavailableError
from joulemark.hardware.core.manifest import Core

__all__ = ["cocotb_config", "cocotb_variables", "verdicts"]


def cocotb_config() -> Any:
    """The module of cocotb that has the paths of its files.

    Raises:
        UnavailableError: cocotb is not installed.
    """
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

    Raises:
        UnavailableError: cocotb is not installed.
    """
    files = [*modules, *([core.folder / core.adapter] if isinstance(core.adapter, str) else [])]
    python_path = [*dict.fromkeys(str(path.resolve().parent) for path in files), *sys.path]
    import find_libpython  # noqa: PLC0415 - comes with cocotb

    library = str(find_libpython.find_libpython())
    return {
        "PYTHONPATH": os.pathsep.join(path for path in python_path if path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{library};{cocotb_config().pygpi_entry_point()}",
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
        clocks = {"CLOCKS_PER_BLOCK": promised.clocks_per_block,
                  "LATENCY_CLOCKS": promised.latency_clocks}  # fmt: skip
        variables |= {f"JOULEMARK_{name}": str(n) for name, n in clocks.items() if n is not None}
    return variables
