# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark compare-targets`: measures, simulates and looks up; a table, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from joulemark.analyse import Result
from joulemark.analyse.choice import Requirements, fits
from joulemark.budget import BoundedFigure
from joulemark.budget.cores import KnownCore, known_cores, stored_cores
from joulemark.budget.counts import fewest_cycles, known_series
from joulemark.budget.targets import TargetRow, core_rows, microcontroller_rows, netlist_rows
from joulemark.cli.bench import MeasureRequest
from joulemark.cli.choose import measured_here
from joulemark.cli.compare_targets import TargetsRequest
from joulemark.cli.gate_bench import keep_gate_reports
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
from joulemark.measure.gate_trials import take_gate_joules
from joulemark.measure.inventory import inventory_of
from joulemark.measure.study import QUICK, Study
from joulemark.records.figures import Evidence
from joulemark.report import Notes, Table
from joulemark.report.budget.targets import (
    KINDS,
    ComparedTargets,
    order_of,
    targets_json,
    targets_sheet,
    write_targets,
)
from joulemark.store.repository import Store
from joulemark.units import format_bytes

_HANG_LIMIT_S: Final = 60.0


def show_targets(request: TargetsRequest) -> None:
    """Collects the rows of every kind; shows them, and writes them if a file is asked for."""
    compared = _compared(request)
    if request.output is not None:
        write_targets(request.output, compared)
        print_text(f"{request.output} written", err=True)
    if request.as_json:
        print_json(targets_json(compared))
        return
    sheet = targets_sheet(compared)
    heading(sheet.title)
    print_text(sheet.lead)
    tables = [part for part in sheet.parts if isinstance(part, Table)]
    # The last of several has times, which a row without joules needs.
    has_times = len(tables) == 1 or not all(row.joules for row in compared.rows)
    for table in tables if has_times else tables[:-1]:
        if len(tables) > 1:
            print_text(f"{table.title}:")
        for part_of_table in _in_lines(table) if compared.has_lengths else [table]:
            print_table(part_of_table)
    if not has_times:
        print_text("Times of the same messages: --output FILE.html, or --json.")
    for part in sheet.parts:
        if isinstance(part, Notes):
            sentences(part.sentences)


_LENGTHS_IN_LINE: Final = 6
"""Columns of joules that have room beside a target's name on a terminal of 80 columns."""


def _in_lines(table: Table) -> Iterator[Table]:
    """A table of lengths in parts that a line has room for, each with its first column."""
    for begin in range(1, len(table.headings), _LENGTHS_IN_LINE):
        places = [0, *range(begin, min(begin + _LENGTHS_IN_LINE, len(table.headings)))]
        yield replace(
            table,
            headings=[table.headings[place] for place in places],
            rows=[[row[place] for place in places] for row in table.rows],
        )


def _compared(request: TargetsRequest) -> ComparedTargets:
    cells = None
    if request.liberty is not None:
        cells = flow("asic", request.liberty, clock_hz=request.clock_hz, mappings=1)
    mac, sizes = request.mac, request.sizes_bytes
    rows = _host_rows(request) if "host" in request.kinds else []
    missing: list[str] = []
    with Store.if_there(request.store) as store:
        known = stored_cores(store)
        if "mcu" in request.kinds:
            chips = [row for size in sizes for row in microcontroller_rows(mac, size, store)]
            rows += chips
            missing += _sizes_without_chip(mac, sizes, chips)
    if "gate" in request.kinds:
        found, why = _gate_rows(request, cells) if cells else _stored_gates(request, known)
        rows += found
        missing += why
    if "core" in request.kinds:
        cores = [row for size in sizes for row in core_rows(mac, size, known)]
        rows += cores
        missing += _cores_without_row(request, cores)
    if not rows:
        why_none = "; ".join(missing) or "no target has it"
        raise UsageError(f"nothing is known of {mac} on {', '.join(request.kinds)}: {why_none}")
    compared = ComparedTargets(mac, sizes, rows, missing, request.period_s)
    every_s = compared.ranked_every_s
    rows.sort(key=lambda row: (row.message_bytes, KINDS.index(row.kind), order_of(row, every_s)))
    return compared


# The host: of the newest run of this machine, or measured now.


def _host_rows(request: TargetsRequest) -> list[TargetRow]:
    """The fastest code at each length; lengths that the store lacks are measured together."""
    found = _fastest(_stored(request))
    lacking = tuple(size for size in request.sizes_bytes if size not in found)
    if lacking:
        found |= _fastest(_measured(request, lacking))
    return [_host_row(found[size], request.watts) for size in request.sizes_bytes if size in found]


def _host_row(found: Result, watts: float | None) -> TargetRow:
    time, cycles = found.seconds_per_message, found.core_cycles_per_message
    assert time is not None  # `_fastest` looks at nothing else
    seconds = BoundedFigure(time.median, time.low, time.high)
    energy = found.joules_per_message
    joules, evidence = None, None
    if energy is not None:
        joules, evidence = BoundedFigure(energy.median, energy.low, energy.high), energy.evidence
    elif watts is not None:
        ends = (seconds.value, seconds.low, seconds.high)
        joules = BoundedFigure(*(watts * end for end in ends))
        evidence = Evidence.MODELLED
    return TargetRow(
        target="host",
        title="this machine",
        implementation=found.implementation,
        message_bytes=found.size_bytes,
        clock_hz=None,
        core_cycles=None if cycles is None else cycles.median,
        seconds=seconds,
        time_evidence=time.evidence,
        joules=joules,
        energy_evidence=evidence,
        reason="" if joules else "it was not metered; --modelled-power WATTS states a power",
        source="single messages, one after another, on one CPU",
    )


def _stored(request: TargetsRequest) -> list[Result]:
    with Store.if_there(request.store) as store:
        if store is None:
            return []
        return [
            result
            for size in request.sizes_bytes
            for _, result in measured_here(store, size)
            if result.algorithm == request.mac and fits(result, Requirements(size))
        ]


def _measured(request: TargetsRequest, sizes_bytes: tuple[int, ...]) -> list[Result]:
    """Times of our variants for single messages, or of all where there are none of ours."""
    inventory = inventory_of(())
    ours = [
        name
        for name, facts in inventory.facts.items()
        if name.startswith(f"{request.mac}/") and facts.provider == "joulemark" and facts.lanes == 1
    ]
    study = Study(tuple(ours) or (request.mac,), sizes_bytes, effort=QUICK)
    figures, _, _ = measure(
        MeasureRequest(study=study, store_location=request.store, hang_limit_s=_HANG_LIMIT_S)
    )
    return figures.results


def _fastest(results: Iterable[Result]) -> dict[int, Result]:
    """Length -> the result of that length that takes least time."""
    fastest: dict[int, tuple[float, Result]] = {}
    for result in results:
        if result.seconds_per_message is not None:
            mine = (result.seconds_per_message.median, result)
            known = fastest.setdefault(result.size_bytes, mine)
            if mine[0] < known[0]:
                fastest[result.size_bytes] = mine
    return {length: result for length, (_, result) in fastest.items()}


# Open CPUs as netlists, and hardware cores.


def _stored_gates(
    request: TargetsRequest, cores: Sequence[KnownCore]
) -> tuple[list[TargetRow], list[str]]:
    """The netlists of which the store has a report of the MAC, and those of which it has none."""
    rows = [row for size in request.sizes_bytes for row in netlist_rows(request.mac, size, cores)]
    told = {(row.target, row.message_bytes) for row in rows}
    lacking = [
        target
        for target in gate_targets()
        if any((target, size) not in told for size in request.sizes_bytes)
    ]
    why = f"{', '.join(lacking)}: give --liberty FILE, a cell library"
    return rows, [why] if lacking else []


def _gate_rows(request: TargetsRequest, cells: Flow) -> tuple[list[TargetRow], list[str]]:
    """The variant with fewest core cycles on each open CPU, and why others have no row."""
    rows: list[TargetRow] = []
    missing: list[str] = []
    for target in gate_targets():
        series = known_series(target.partition(":")[2])
        best: dict[str, list[int]] = {}
        for size in request.sizes_bytes:
            found = fewest_cycles(series, request.mac, size)
            if found is not None:
                best.setdefault(found.implementation, []).append(size)
        if not best:
            missing.append(f"{target}: no count of {request.mac} tells which variant is best there")
        for implementation, sizes in best.items():
            taken = take_gate_joules(
                [implementation], [target], sizes, cells, say_on_terminal, glitches=request.glitches
            )
            made = known_cores(keep_gate_reports(request.store, taken, cells))
            rows += [row for size in sizes for row in netlist_rows(request.mac, size, made)]
            missing += [f"{failure.implementation}: {failure.reason}" for failure in taken.failures]
    return rows, missing


def _sizes_without_chip(
    mac: str, sizes_bytes: Sequence[int], rows: Sequence[TargetRow]
) -> list[str]:
    """The lengths of which no count tells the core cycles on any microcontroller."""
    told = {row.message_bytes for row in rows}
    lacking = [format_bytes(size) for size in sizes_bytes if size not in told]
    why = (
        f"mcu at {', '.join(lacking)}: no count of {mac} tells the core cycles; count them with "
        f"joulemark bench {mac} --target mcu:NAME --size N --store FILE"
    )
    return [why] if lacking else []


def _cores_without_row(request: TargetsRequest, rows: Sequence[TargetRow]) -> list[str]:
    """Our cores of the MAC of which no report tells a message, each with its command."""
    there = {(row.target.split(":")[1], row.message_bytes) for row in rows}
    library = request.liberty or "FILE"
    return [
        f"core:{name}: joulemark core report {name} --message {size} "
        f"--target asic --liberty {library}"
        for name, manifest in shipped_manifests().items()
        if read_core(manifest).algorithm == request.mac
        for size in request.sizes_bytes
        if (name, size) not in there
    ]
