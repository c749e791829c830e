# SPDX-License-Identifier: Apache-2.0
"""Joules of firmware on the netlists of CPUs, several implementations at a time.

The programs run on the sources first, which takes a second each: what is wrong or has no room is
known before a netlist is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from joulemark.firmware.build import every_implementation
from joulemark.firmware.gate_cpu import CpuFacts, GateCpu, gate_cpu, require_gates
from joulemark.firmware.gates import MessageJoules, SourceRun, run_gates, run_sources
from joulemark.firmware.target import target_named
from joulemark.hardware.flow.request import Flow
from joulemark.measure.firmware_trials import FirmwareTask, result_or_failure
from joulemark.processes.tool import ToolRuns, do_tasks
from joulemark.records import Failure, FailureKind

_WITH_DELAYS: Final = ", and slices of each message with delays, which takes minutes"


@dataclass(frozen=True, slots=True)
class GateRow:
    """One implementation, one length and one CPU."""

    implementation: str
    target: str
    size_bytes: int
    joules: MessageJoules


@dataclass(frozen=True, slots=True)
class GateFindings:
    """Everything that was found on netlists."""

    rows: list[GateRow] = field(default_factory=list)
    cpus: dict[str, CpuFacts] = field(default_factory=dict)
    """Facts of the mapped CPUs by target."""
    failures: list[Failure] = field(default_factory=list)


def take_gate_joules(
    implementations: Sequence[str],
    targets: Sequence[str],
    sizes_bytes: Sequence[int],
    asked: Flow,
    say: Callable[[str], None],
    *,
    glitches: bool = False,
) -> GateFindings:
    """Simulates every implementation on every netlist, by size, implementation and CPU.

    With `glitches`, slices of each message run with delays too.

    A failure is named `<implementation> on <target>`, and takes nothing from other figures.
    """
    for name in targets:
        require_gates(target_named(name), asked, glitches=glitches)
    found = GateFindings()
    tasks = [
        FirmwareTask(implementation, name, tuple(sizes_bytes))
        for name in targets
        for implementation in implementations
    ]
    say("running the programs on the sources")
    sources: dict[FirmwareTask, SourceRun] = {}

    def ran(place: int, run: SourceRun | Failure) -> None:
        if isinstance(run, Failure):
            found.failures.append(run)
            return
        text = tasks[place].text
        found.failures.extend(
            Failure(text, FailureKind.REFUSED, reason, size) for size, reason in run.refused.items()
        )
        if len(run.refused) < len(sizes_bytes):
            sources[tasks[place]] = run

    do_tasks(tasks, _on_sources, ran)
    cpus: dict[str, GateCpu] = {}
    for name in targets:
        if not any(task.target == name for task in sources):
            continue
        cpus[name] = gate_cpu(target_named(name), asked, say, glitches=glitches)
        found.cpus[name] = cpus[name].facts
    waiting = list(sources)

    def on_gates(task: FirmwareTask, runs: ToolRuns) -> dict[int, MessageJoules] | Failure:
        target, kernel = target_named(task.target), every_implementation()[task.implementation]
        cpu, source = cpus[task.target], sources[task]
        return result_or_failure(
            task, lambda: run_gates(target, kernel, cpu, source, asked.clock_hz, runs)
        )

    def simulated(place: int, joules: dict[int, MessageJoules] | Failure) -> None:
        task = waiting[place]
        if isinstance(joules, Failure):
            found.failures.append(joules)
            return
        found.rows.extend(
            GateRow(task.implementation, task.target, size, message_joules)
            for size, message_joules in joules.items()
        )

    say(f"running the programs on the netlists{_WITH_DELAYS * glitches}")
    do_tasks(waiting, on_gates, simulated)
    found.rows.sort(key=lambda row: (row.size_bytes, row.implementation, targets.index(row.target)))
    return found


def _on_sources(task: FirmwareTask, runs: ToolRuns) -> SourceRun | Failure:
    target, kernel = target_named(task.target), every_implementation()[task.implementation]
    return result_or_failure(task, lambda: run_sources(target, kernel, task.lengths, runs))
