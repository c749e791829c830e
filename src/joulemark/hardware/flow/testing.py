# SPDX-License-Identifier: Apache-2.0
"""`joulemark core test`: lint, build, the core's own cocotb modules, and the clocks it promises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.parameters import named
from joulemark.hardware.core.shipped import is_ours
from joulemark.hardware.drive.workload import measure_clocks
from joulemark.hardware.flow import tools
from joulemark.hardware.tools.verilator import build, modules_with_state, run, verilator_command
from joulemark.processes.tool import ask_tool

__all__ = ["Check", "check_core"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    passed: bool
    remark: str = ""
    note: bool = False
    """Whether the remark is worth a look although the check passed."""


def check_core(core: Core, parameters: Mapping[str, int], folder: Path) -> list[Check]:
    """Everything that can be checked of a core with these parameters, cheapest first.

    A core without cocotb modules is driven through its adapter, and its results are
    held to the adapter's reference.

    Raises:
        UnavailableError: a simulator is missing.
    """
    tools.require(None)
    checks = [_lint(core, parameters, folder / "lint")]
    try:
        if core.tests:
            seen = modules_with_state(core) if is_ours(core) else None
            program = build(
                core, parameters, folder / "tests", warnings_are_errors=False, visible=seen
            )
            checks += _own_tests(core, parameters, program, folder)
        checks += _clocks(core, parameters, folder / "clocks")
    except ImplementationError as error:
        checks.append(Check("simulation", passed=False, remark=str(error)))
    return checks


def _lint(core: Core, parameters: Mapping[str, int], folder: Path) -> Check:
    """Our own cores have no warnings; those of somebody else's sources are notes."""
    folder.mkdir(parents=True, exist_ok=True)
    strict = is_ours(core)
    done = ask_tool(
        [
            str(verilator_command(folder / "bin")), "--lint-only", "-Wall",
            *(() if strict else ("-Wno-fatal",)), "-Wno-SYNCASYNCNET",
            "--assert", "--top-module", core.top,
            *(f"-I{core.folder / include_folder}" for include_folder in core.include_folders),
            *(f"-G{name}={value}" for name, value in parameters.items()),
            *map(str, core.source_paths()),
        ],
        folder=folder,
    )  # fmt: skip
    said = [line for line in done.errors.splitlines() if line.startswith("%")]
    warnings = [line for line in said if line.startswith("%Warning")]
    if done.code == 0 and warnings:
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        return Check("lint", passed=True, remark=f"{warnings[0]}{more}", note=True)
    return Check("lint", done.code == 0, said[0] if said else "")


def _own_tests(
    core: Core, parameters: Mapping[str, int], program: Path, folder: Path
) -> list[Check]:
    environment = {"JOULEMARK_PARAMETERS": json.dumps(dict(parameters))}
    promised = core.configurations.get(named(core, dict(parameters))[0] or "")
    if promised is not None and promised.clocks_per_block is not None:
        environment["JOULEMARK_CLOCKS_PER_BLOCK"] = str(promised.clocks_per_block)
    if promised is not None and promised.latency_clocks is not None:
        environment["JOULEMARK_LATENCY_CLOCKS"] = str(promised.latency_clocks)
    done = run(
        program, core, [core.folder / test for test in core.tests], environment=environment,
        folder=folder / "run",
    )  # fmt: skip
    return [
        *(Check(name, passed=True) for name in done.passed),
        *(Check(name, passed=False, remark=f"see {done.log}") for name in done.failed),
    ]


def _clocks(core: Core, parameters: Mapping[str, int], folder: Path) -> Sequence[Check]:
    """Whether the manifest's workload gives right results, and takes the clocks it promises."""
    found = measure_clocks(core, parameters, folder)
    checks = [Check("results of the workload", passed=True)]
    promised = core.configurations.get(named(core, dict(parameters))[0] or "")
    if promised is None:
        return checks
    for name, expected, counted in (
        ("clocks per block", promised.clocks_per_block, found.clocks_per_block),
        ("latency in clocks", promised.latency_clocks, found.latency_clocks),
    ):
        if expected is not None:
            remark = "" if counted == expected else f"{counted:g}, and {expected} are promised"
            checks.append(Check(name, counted == expected, remark))
    return checks
