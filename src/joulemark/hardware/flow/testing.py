# SPDX-License-Identifier: Apache-2.0
"""Checks of `joulemark core test`: lint, build, the core's cocotb modules, promised clocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.errors import ImplementationError
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import Core, is_ours
from joulemark.hardware.drive import driving
from joulemark.hardware.drive.driving import spans
from joulemark.hardware.drive.workload import STARTS, hold_to_starts, measure_clocks, trial_lengths
from joulemark.hardware.flow import tools
from joulemark.hardware.tools.verilator import build, lint_command, modules_with_state, run
from joulemark.processes.tool import ask_tool


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of one check."""

    name: str
    passed: bool
    remark: str = ""
    note: bool = False
    """Whether the remark is worth a look although the check passed."""


def check_core(core: Core, parameters: Mapping[str, int], folder: Path) -> list[CheckOutcome]:
    """Checks a core with these parameters in every way, the cheapest first.

    The workload of the manifest and the messages of `trials` go through the adapter, whose
    reference checks the results; a short plan is run again with other values of registers.
    """
    tools.require(None)
    checks = [_lint(core, parameters, folder / "lint")]
    try:
        if core.tests:
            visible = modules_with_state(core) if is_ours(core) else None
            program = build(
                core, parameters, folder / "tests", warnings_are_errors=False, visible=visible
            )
            modules = [core.folder / test for test in core.tests]
            done = run(program, core, modules, parameters=parameters, folder=folder / "run")
            checks += [CheckOutcome(name, passed=True) for name in done.passed]
            checks += [
                CheckOutcome(name, passed=False, remark=f"see {done.log}") for name in done.failed
            ]
        checks += _clocks(core, parameters, folder / "clocks")
    except ImplementationError as error:
        checks.append(CheckOutcome("simulation", passed=False, remark=str(error)))
    return checks


def _lint(core: Core, parameters: Mapping[str, int], folder: Path) -> CheckOutcome:
    """Lints a core: a warning fails one of our own cores, and is a note on anybody else's."""
    command = lint_command(core, parameters, folder)
    done = ask_tool([*command, *(() if is_ours(core) else ("-Wno-fatal",))], folder=folder)
    lines = [line for line in done.errors.splitlines() if line.startswith("%")]
    warnings = [line for line in lines if line.startswith("%Warning")]
    if done.code == 0 and warnings:
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        return CheckOutcome("lint", passed=True, remark=f"{warnings[0]}{more}", note=True)
    return CheckOutcome("lint", done.code == 0, lines[0] if lines else "")


def _clocks(core: Core, parameters: Mapping[str, int], folder: Path) -> list[CheckOutcome]:
    """Whether results are right, from any start, and in the clocks that the manifest promises."""
    program = driving.compile_core(core, parameters, folder)
    clocks = measure_clocks(core, parameters, folder, program)
    lengths = trial_lengths(core, adapter_class(core))
    tried = f"{spans(lengths)} bytes" if lengths else ""
    checks = [
        CheckOutcome("results of the workload", passed=True),
        CheckOutcome(
            "results of other messages",
            passed=True,
            note=not lengths,
            remark=tried or "none was tried: the reference takes no length round a block's end",
        ),
    ]
    hold_to_starts(core, parameters, folder, program)
    checks.append(
        CheckOutcome(
            "results from any start", passed=True, remark=", ".join(start.words for start in STARTS)
        )
    )
    promised = core.promised(parameters)
    if promised is None:
        return checks
    for name, expected, counted in (
        ("clocks per block", promised.clocks_per_block, clocks.clocks_per_block),
        ("latency in clocks", promised.latency_clocks, clocks.latency_clocks),
    ):
        if expected is not None:
            remark = "" if counted == expected else f"{counted:g}, and {expected} are promised"
            checks.append(CheckOutcome(name, counted == expected, remark))
    return checks
