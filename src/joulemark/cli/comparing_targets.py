# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark compare-targets`: measures, simulates and looks up; a table, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final

from joulemark.analyse import Result
from joulemark.budget import BoundedFigure
from joulemark.budget.cores import stored_cores
from joulemark.budget.counts import fewest_cycles, known_series
from joulemark.budget.targets import TargetRow, core_rows, microcontroller_rows
from joulemark.cli.bench import MeasureRequest
from joulemark.cli.choose import measured_here
from joulemark.cli.compare_targets import KINDS, TargetsRequest
from joulemark.cli.measuring import measure
from joulemark.cli.shared.terminal import (
    heading,
    print_json,
    print_table,
    print_text,
    say_on_terminal,
    sentences,
)
from joulemark.errors import UsageError
from joulemark.firmware.target import gate_targets
from joulemark.hardware.cores import shipped_manifests
from joulemark.hardware.flow.request import Flow, flow
from joulemark.hardware.manifest import read_core
from joulemark.measure.gate_trials import GateFindings, GateRow, take_gate_joules
from joulemark.measure.inventory import inventory_of
from joulemark.measure.study import QUICK, Study
from joulemark.records.figures import Evidence
from joulemark.report import Cell, Heading, Table
from joulemark.store.repository import Store
from joulemark.units import (
    format_bytes,
    format_duration,
    format_hertz,
    format_joules,
    format_seconds,
)

TARGETS_VERSION: Final = 1
"""Version of the JSON of this command."""
_HANG_LIMIT_S: Final = 60.0


def show_targets(request: TargetsRequest) -> None:
    """Collects the rows of every kind, and shows them."""
    cells = None
    if request.liberty is not None:
        cells = flow("asic", request.liberty, clock_hz=request.clock_hz, mappings=1)
    mac, size_bytes = request.mac, request.size_bytes
    rows: list[TargetRow] = []
    missing: list[str] = []
    if "host" in request.kinds:
        rows += _host_rows(request)
    with Store.if_there(request.store) as store:
        known = stored_cores(store)
        if "mcu" in request.kinds:
            rows += microcontroller_rows(mac, size_bytes, store)
    if "gate" in request.kinds:
        found, why = _gate_rows(request, cells)
        rows += found
        missing += why
    if "core" in request.kinds:
        cores = list(core_rows(mac, size_bytes, known))
        rows += cores
        missing += _cores_without_row(request, cores)
    if not rows:
        why_none = "; ".join(missing) or "no target has it"
        raise UsageError(f"nothing is known of {mac} on {', '.join(request.kinds)}: {why_none}")
    rows.sort(key=lambda row: (KINDS.index(row.kind), _order(row)))
    if request.as_json:
        print_json(_as_json(request, rows, missing))
    else:
        _print(request, rows, missing)


def _order(row: TargetRow) -> float:
    return row.seconds.value if row.joules is None else row.joules.value


# The host: of the newest run of this machine, or measured now.


def _host_rows(request: TargetsRequest) -> list[TargetRow]:
    found = _fastest(_stored(request)) or _fastest(_measured(request))
    if found is None:
        return []
    time, cycles = found.seconds_per_message, found.core_cycles_per_message
    assert time is not None  # `_fastest` looks at nothing else
    seconds = BoundedFigure(time.median, time.low, time.high)
    energy = found.joules_per_message
    joules, evidence = None, None
    if energy is not None:
        joules, evidence = BoundedFigure(energy.median, energy.low, energy.high), energy.evidence
    elif request.watts is not None:
        ends = (seconds.value, seconds.low, seconds.high)
        joules = BoundedFigure(*(request.watts * end for end in ends))
        evidence = Evidence.MODELLED
    return [
        TargetRow(
            target="host",
            title="this machine",
            implementation=found.implementation,
            clock_hz=None,
            core_cycles=None if cycles is None else cycles.median,
            seconds=seconds,
            time_evidence=time.evidence,
            joules=joules,
            energy_evidence=evidence,
            reason="" if joules else "none was metered; --modelled-power WATTS states a power",
            source="single messages, one after another, on one CPU",
        )
    ]


def _stored(request: TargetsRequest) -> list[Result]:
    with Store.if_there(request.store) as store:
        if store is None:
            return []
        return [
            result
            for _, result in measured_here(store, request.size_bytes)
            if result.algorithm == request.mac and result.batch == 1
        ]


def _measured(request: TargetsRequest) -> list[Result]:
    """Times of our variants for single messages, or of all where there are none of ours."""
    inventory = inventory_of(())
    ours = [
        name
        for name, facts in inventory.facts.items()
        if name.startswith(f"{request.mac}/") and facts.provider == "joulemark" and facts.lanes == 1
    ]
    study = Study(tuple(ours) or (request.mac,), (request.size_bytes,), effort=QUICK)
    figures, _, _ = measure(
        MeasureRequest(study=study, store_location=request.store, hang_limit_s=_HANG_LIMIT_S)
    )
    return figures.results


def _fastest(results: Iterable[Result]) -> Result | None:
    timed = {
        result.seconds_per_message.median: result
        for result in results
        if result.seconds_per_message is not None
    }
    return timed[min(timed)] if timed else None


# Open CPUs as netlists, and hardware cores.


def _gate_rows(request: TargetsRequest, cells: Flow | None) -> tuple[list[TargetRow], list[str]]:
    """The variant with fewest core cycles on each open CPU, and why others have no row."""
    if cells is None:
        return [], [f"{', '.join(gate_targets())}: give --liberty FILE, a cell library"]
    rows: list[TargetRow] = []
    missing: list[str] = []
    for target in gate_targets():
        core = target.partition(":")[2]
        best = fewest_cycles(known_series(core), request.mac, request.size_bytes)
        if best is None:
            missing.append(f"{target}: no count of {request.mac} tells which variant is best there")
            continue
        found = take_gate_joules(
            [best.implementation], [target], [request.size_bytes], cells, say_on_terminal
        )
        rows += [_gate_row(row, found, cells.clock_hz) for row in found.rows]
        missing += [f"{failure.implementation}: {failure.reason}" for failure in found.failures]
    return rows, missing


def _gate_row(row: GateRow, found: GateFindings, clock_hz: float) -> TargetRow:
    joules, cpu = row.joules, found.cpus[row.target]
    seconds = joules.core_cycles / clock_hz
    return TargetRow(
        target=row.target,
        title=f"{row.target.partition(':')[2]} as a netlist",
        implementation=row.implementation,
        clock_hz=clock_hz,
        core_cycles=joules.core_cycles,
        seconds=BoundedFigure(seconds, seconds, seconds),
        time_evidence=Evidence.SIMULATED,
        joules=BoundedFigure(joules.core_j, joules.core_j, joules.core_j),
        energy_evidence=Evidence.MODELLED,
        memory_j=sum(use.joules(seconds) for use in joules.memories.values()),
        idle_w=joules.leakage_j / seconds,
        area_ge=cpu.area_ge,
        source=f"{cpu.library}, {cpu.corner}, one mapping, without glitches",
    )


def _cores_without_row(request: TargetsRequest, rows: Sequence[TargetRow]) -> list[str]:
    """Our cores of the MAC of which no report tells this message, each with its command."""
    there = {row.target for row in rows}
    library = request.liberty or "FILE"
    return [
        f"core:{name}: joulemark core report {name} --message {request.size_bytes} "
        f"--target asic --liberty {library}"
        for name, manifest in shipped_manifests().items()
        if f"core:{name}" not in there and read_core(manifest).algorithm == request.mac
    ]


# The screen and the JSON.


def _print(request: TargetsRequest, rows: Sequence[TargetRow], missing: Sequence[str]) -> None:
    heading(f"One message of {format_bytes(request.size_bytes)}, {request.mac}, on each target")
    least = min((row for row in rows if row.joules), key=_order, default=None)
    if least is not None and least.joules is not None:
        print_text(f"Least energy: {format_joules(least.joules.value)} on {least.target}.")
    names = ["target", "code", "clock", "time", "energy", "memory apart"]
    if request.period_s is not None:
        names.append(f"a message every {format_duration(request.period_s)}")
    names.append("area")
    cells = [_cells(row, request.period_s) for row in rows]
    kept = [place for place in range(len(names)) if any(row[place] != "-" for row in cells)]
    print_table(
        Table(
            "",
            [Heading(names[place], number=place > 1) for place in kept],
            [[Cell(row[place]) for place in kept] for row in cells],
        )
    )
    sentences(_notes(request, rows))
    sentences([f"Not shown: {reason}" for reason in missing])


def _cells(row: TargetRow, period_s: float | None) -> list[str]:
    variant = row.implementation.partition("/")[2] or row.implementation
    cells = [
        row.target,
        variant,
        "-" if row.clock_hz is None else format_hertz(row.clock_hz),
        format_seconds(row.seconds.value),
        "-" if row.joules is None else format_joules(row.joules.value),
        "-" if row.memory_j is None else format_joules(row.memory_j),
    ]
    if period_s is not None:
        at_rate = row.joules_every(period_s)
        cells.append("-" if at_rate is None else format_joules(at_rate))
    return [*cells, "-" if row.area_ge is None else f"{row.area_ge:.0f} GE"]


_PROCESSES: Final = (
    "Chips, netlists and this machine are of different processes and voltages: compare rows of one "
    "kind, and kinds by orders of magnitude."
)
_GROUNDS: Final = {
    "host": "host: time {time}, of the fastest code for single messages; energy: {energy}.",
    "mcu": "mcu: core cycles simulated, and modelled for lengths that were not counted; joules "
    "modelled by currents of data sheets, usual mode.",
    "gate": "gate: clocks simulated, joules modelled from the library's tables, without glitches, "
    "before layout; memory apart is a modelled SRAM.",
    "core": "core: clocks simulated, joules modelled; blocks alone, without moving the message.",
}


def _notes(request: TargetsRequest, rows: Sequence[TargetRow]) -> list[str]:
    notes = [_PROCESSES]
    for kind in KINDS:
        of_kind = [row for row in rows if row.kind == kind]
        if of_kind:
            first = of_kind[0]
            energy = first.reason or (first.energy_evidence or Evidence.MODELLED).value
            notes.append(_GROUNDS[kind].format(time=first.time_evidence.value, energy=energy))
    for source in dict.fromkeys(row.source for row in rows if row.kind in {"gate", "core"}):
        named = ", ".join(row.target for row in rows if row.source == source)
        notes.append(f"{named}: {source}.")
    if request.period_s is not None:
        notes.append(
            "Between messages a microcontroller sleeps and cells leak, with the clock stopped; the "
            "host's power between messages is unknown."
        )
    return notes


def _as_json(
    request: TargetsRequest, rows: Sequence[TargetRow], missing: Sequence[str]
) -> dict[str, object]:
    return {
        "schema_version": TARGETS_VERSION,
        "algorithm": request.mac,
        "size_bytes": request.size_bytes,
        "period_s": request.period_s,
        "rows": [
            {
                **asdict(row),
                "kind": row.kind,
                "joules_every_period": None
                if request.period_s is None
                else row.joules_every(request.period_s),
            }
            for row in rows
        ],
        "missing": list(missing),
    }
