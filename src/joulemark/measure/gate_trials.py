# SPDX-License-Identifier: Apache-2.0
"""Joules of firmware on the netlists of CPUs, several implementations at a time.

The programs run on the sources first, which takes a second each: what is wrong or has no room is
known before a netlist is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from joulemark import __version__
from joulemark.catalogue.vectors import calls
from joulemark.firmware.build import every_implementation
from joulemark.firmware.gate_cpu import CpuFacts, GateCpu, gate_cpu, require_gates
from joulemark.firmware.gates import MessageJoules, SourceRun, run_gates, run_sources
from joulemark.firmware.target import target_named
from joulemark.hardware.flow.request import Flow
from joulemark.measure.firmware_trials import FirmwareTask, result_or_failure
from joulemark.processes.tool import ToolRuns, do_tasks
from joulemark.records import Failure, FailureKind
from joulemark.records.core_figures import CORE_FIGURES
from joulemark.records.core_report import CoreReport, CoreSettings

_WITH_DELAYS: Final = ", and slices of each message with delays, which takes minutes"


@dataclass(frozen=True, slots=True)
class GateRow:
    """One implementation, one length and one CPU."""

    implementation: str
    target: str
    size_bytes: int
    joules: MessageJoules
    """By the mapping with the median energy, of an even number the lower of both in the middle."""
    others: tuple[MessageJoules, ...] = ()
    """By the other mappings."""

    @property
    def ends_j(self) -> tuple[float, float]:
        """The least and the most energy of a mapping, with that of glitches as `MessageJoules`."""
        ends = [each.ends_j for each in (self.joules, *self.others)]
        return min(low_j for low_j, _ in ends), max(high_j for _, high_j in ends)


@dataclass(frozen=True, slots=True)
class GateFindings:
    """Everything that was found on netlists."""

    rows: list[GateRow] = field(default_factory=list)
    cpus: dict[str, CpuFacts] = field(default_factory=dict)
    """Facts of the mapped CPUs by target, of the first mapping."""
    failures: list[Failure] = field(default_factory=list)
    other_mappings: dict[str, tuple[CpuFacts, ...]] = field(default_factory=dict)
    """As `cpus`, of the other mappings, if there are any."""


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

    Each CPU is mapped as often as `asked` says, once unless it does. With `glitches`, slices of
    each message run with delays too.

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
    ready = [name for name in targets if any(task.target == name for task in sources)]
    cpus = _mapped(ready, asked, say, found, glitches=glitches)
    waiting = [(task, cpu) for task in sources for cpu in cpus[task.target]]
    by_mapping: dict[tuple[FirmwareTask, int], list[MessageJoules]] = {}

    def on_gates(
        task: tuple[FirmwareTask, GateCpu], runs: ToolRuns
    ) -> dict[int, MessageJoules] | Failure:
        asks, cpu = task
        target, kernel = target_named(asks.target), every_implementation()[asks.implementation]
        return result_or_failure(
            asks, lambda: run_gates(target, kernel, cpu, sources[asks], asked.clock_hz, runs)
        )

    def simulated(place: int, joules: dict[int, MessageJoules] | Failure) -> None:
        if isinstance(joules, Failure):
            found.failures.append(joules)
            return
        for size, message_joules in joules.items():
            by_mapping.setdefault((waiting[place][0], size), []).append(message_joules)

    say(f"running the programs on the netlists{_WITH_DELAYS * glitches}")
    do_tasks(waiting, on_gates, simulated)
    found.rows.extend(
        _row(task, size, taken)
        for (task, size), taken in by_mapping.items()
        if len(taken) == len(cpus[task.target])  # else the failure of a mapping is the row's
    )
    found.rows.sort(key=lambda row: (row.size_bytes, row.implementation, targets.index(row.target)))
    return found


def _mapped(
    targets: Sequence[str],
    asked: Flow,
    say: Callable[[str], None],
    found: GateFindings,
    *,
    glitches: bool,
) -> dict[str, list[GateCpu]]:
    """The mappings of each CPU, whose facts become findings."""
    cpus = {}
    for name in targets:
        cpus[name] = [
            gate_cpu(target_named(name), asked, say, glitches=glitches, seed=seed)
            for seed in range(1, (asked.mappings or 1) + 1)
        ]
        found.cpus[name], *others = (cpu.facts for cpu in cpus[name])
        if others:
            found.other_mappings[name] = tuple(others)
    return cpus


def _row(task: FirmwareTask, size_bytes: int, taken: Sequence[MessageJoules]) -> GateRow:
    """The row of a message, by what it takes on each mapping."""
    in_order = sorted(taken, key=lambda each: each.core_j)
    middle = in_order.pop((len(in_order) - 1) // 2)
    return GateRow(task.implementation, task.target, size_bytes, middle, tuple(in_order))


def _on_sources(task: FirmwareTask, runs: ToolRuns) -> SourceRun | Failure:
    target, kernel = target_named(task.target), every_implementation()[task.implementation]
    return result_or_failure(task, lambda: run_sources(target, kernel, task.lengths, runs))


# The same as reports of cores: the netlist of a CPU that runs firmware is one, and its figures are
# those of a circuit.

_NO_FIGURE: Final = "firmware on the netlist of a CPU has no such figure"


def gate_reports(found: GateFindings, clock_hz: float, library_file: str) -> list[CoreReport]:
    """A report for each row: a block is a call of the primitive, a message as long as the row's."""
    return [_report(row, found, clock_hz, library_file) for row in found.rows]


def _report(row: GateRow, found: GateFindings, clock_hz: float, library_file: str) -> CoreReport:
    joules, cpu = row.joules, found.cpus[row.target]
    seconds = joules.core_cycles / clock_hz
    algorithm = row.implementation.partition("/")[0]
    blocks = calls(algorithm, row.size_bytes) or 1
    low_j, high_j = row.ends_j
    areas = [cpu.area_ge, *(other.area_ge for other in found.other_mappings.get(row.target, ()))]
    known: dict[str, float | None] = {
        "clocks_per_block": joules.core_cycles / blocks,
        "mappings": 1 + len(row.others),
        "area_ge": cpu.area_ge,
        "area_lowest_ge": min(areas),
        "area_highest_ge": max(areas),
        "storage_ge": cpu.storage_ge,
        "logic_ge": cpu.area_ge - cpu.storage_ge - cpu.trees_ge,
        "area_without_trees_ge": cpu.area_ge - cpu.trees_ge,
        "fmax_hz": 1 / cpu.period_s,
        "period_s": cpu.period_s,
        "leakage_w": joules.leakage_j / seconds,
        "trees_leakage_w": cpu.trees_leakage_w,
        "dynamic_w": (joules.dynamic_j + joules.glitches_j) / seconds,
        "dynamic_no_glitch_w": joules.dynamic_j / seconds,
        "energy_per_block_j": joules.core_j / blocks,
        "energy_per_block_lowest_j": low_j / blocks,
        "energy_per_block_highest_j": high_j / blocks,
        "energy_per_byte_j": joules.core_j / row.size_bytes if row.size_bytes else None,
        "energy_per_mac_j": joules.core_j,
    }
    figures = {**dict.fromkeys(CORE_FIGURES), **known}
    there = [name for name, value in figures.items() if value is not None]
    memories = joules.memories.values()
    settings: CoreSettings = {
        "joulemark": __version__,
        "workload": {
            "messages": 1,
            "message_bytes": row.size_bytes,
            "blocks_per_message": blocks,
        },
        "firmware": row.implementation,
        "memories_j": sum(use.joules(seconds) for use in memories),
        "memories_leakage_w": sum(use.macros * use.model.leakage_w for use in memories),
        "library": cpu.library,
        "library_file": library_file,
        "corner": cpu.corner,
        "clock_hz": clock_hz,
        "voltage_v": cpu.voltage_v,
        "mapping": cpu.mapping,
        "wire_model": cpu.wire_model,
        "yosys": cpu.yosys,
        "glitches": "left out" if joules.glitches is None else "by slices with delays",
    }
    return CoreReport(
        core=row.target,
        title=f"{row.target.partition(':')[2]} as a netlist, with firmware",
        algorithm=algorithm,
        configuration=row.implementation,
        parameters={},
        target="asic",
        device=f"{cpu.library}, {cpu.corner}",
        figures=figures,
        evidence={name: CORE_FIGURES[name].evidence for name in there},
        reasons=dict.fromkeys(figures.keys() - there, _NO_FIGURE),
        settings=settings,
    )
