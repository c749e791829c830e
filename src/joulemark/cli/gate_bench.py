# SPDX-License-Identifier: Apache-2.0
"""The body of `joulemark bench --target gate:NAME`: joules of firmware on netlists of CPUs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict
from typing import Final

import typer

from joulemark.cli.bench import GateRequest
from joulemark.cli.core_options import hertz
from joulemark.cli.core_reports import keep_reports, stored_report
from joulemark.cli.shared.terminal import (
    heading,
    print_json,
    print_table,
    print_text,
    say_on_terminal,
)
from joulemark.firmware.gates import REGISTER_FILE, SRAM, MemoryMacro, MessageJoules
from joulemark.firmware.glitches import Glitches
from joulemark.hardware.flow.request import Flow, flow
from joulemark.measure.firmware_trials import chosen_firmware
from joulemark.measure.gate_trials import GateFindings, GateRow, gate_reports, take_gate_joules
from joulemark.records.core_report import StoredCoreReport
from joulemark.records.figures import Evidence
from joulemark.report import Cell, Heading, Table
from joulemark.units import format_bytes, format_hertz, format_joules, format_seconds

GATE_VERSION: Final = 1
"""Version of the JSON of joules on netlists."""
_EXIT_FAILED: Final = 2
_WITHOUT_GLITCHES: Final = (
    "without glitches: the netlist runs without delays; where they were measured they add 1 to 3 % "
    "on SERV, 11 to 14 % on PicoRV32 and VexRiscv, 80 to 92 % on Ibex; --glitches measures them"
)
_WITH_GLITCHES: Final = (
    "glitches: what delays add to logic, flip-flops and clock, by {slices} of the message, "
    "of {clocks} clocks each, that ran with delays and without; in brackets the slices with the "
    "smallest and the largest share"
)


def show_gate_joules(request: GateRequest) -> None:
    """Maps, simulates and shows; ends with code 2 if code failed or nothing has joules."""
    asked = flow("asic", request.liberty, clock_hz=hertz(request.clock), mappings=request.mappings)
    found = take_gate_joules(
        chosen_firmware(request.study.patterns),
        request.study.targets,
        request.study.sizes_bytes,
        asked,
        say_on_terminal,
        glitches=request.glitches,
    )
    keep_gate_reports(request.store_location, found, asked)
    if request.as_json:
        print_json(_as_json(found, asked.clock_hz))
    elif found.rows:
        _print(found, asked.clock_hz)
    for failure in found.failures:
        size = "" if failure.size_bytes is None else f" at {format_bytes(failure.size_bytes)}"
        print_text(
            f"{failure.implementation}{size}: {failure.kind.value}: {failure.reason}", err=True
        )
    if not found.rows or any(failure.broken for failure in found.failures):
        raise typer.Exit(_EXIT_FAILED)


def keep_gate_reports(
    store_location: str | None, found: GateFindings, asked: Flow
) -> list[StoredCoreReport]:
    """A report for each row, which goes into the store, if there is one.

    The digest is that of the whole report, so that equal digests have equal figures.
    """
    library = "" if asked.liberty is None else asked.liberty.name
    reports = [
        stored_report(hashlib.sha256(report.model_dump_json().encode()).hexdigest(), report)
        for report in gate_reports(found, asked.clock_hz, library)
    ]
    if reports and store_location is not None:
        keep_reports(store_location, reports)
    return reports


# The screen: a table of energies, a table of CPUs, and what both leave out.


def _print(found: GateFindings, clock_hz: float) -> None:
    first = next(iter(found.cpus.values()))
    heading(
        f"Energy of a message in nJ at {format_hertz(clock_hz)} and {first.voltage_v:g} V, "
        f"{first.library}, {first.corner}"
    )
    outside = any(len(row.joules.memories) > 1 for row in found.rows)
    names = ["implementation", "message", "CPU", "clocks", "time", "logic", "flip-flops and clock"]
    measured = any(row.joules.glitches is not None for row in found.rows)
    names += ["glitches", "share (slices' min to max)"] * measured
    several = bool(found.other_mappings)
    names += ["leakage", "CPU in all", *(["over mappings"] * several), "memory apart"]
    names += ["register file apart"] * outside
    print_table(
        Table(
            "",
            [Heading(name, number=place > 2) for place, name in enumerate(names)],
            [[Cell(text) for text in _cells(row, clock_hz, outside=outside)] for row in found.rows],
        ),
        prose=(0,),
    )
    typer.echo("")
    facts = ["CPU", "area", *(["over mappings"] * several), "of it storage", "cells", "period"]
    print_table(
        Table(
            "",
            [Heading(name, number=place > 0) for place, name in enumerate(facts)],
            [
                [
                    Cell(text)
                    for text in (
                        _short(name),
                        f"{cpu.area_ge:.0f} GE",
                        *([_areas(found, name)] if several else []),
                        f"{cpu.storage_ge:.0f} GE",
                        str(cpu.cells),
                        format_seconds(cpu.period_s),
                    )
                ]
                for name, cpu in found.cpus.items()
            ],
        )
    )
    typer.echo("")
    print_text(
        f"Clocks are {Evidence.SIMULATED.value}, all else is {Evidence.MODELLED.value} before "
        f"layout, {_mappings(found)}. Outputs are those of the reference, and all marks and bytes "
        "those of the sources."
    )
    print_text(f"{_with_glitches(found) if measured else _WITHOUT_GLITCHES}.")
    print_text(f"memory apart ({Evidence.MODELLED.value}, no part of the CPU): {_model(SRAM)}")
    if outside:
        print_text(f"register file apart ({Evidence.MODELLED.value}): {_model(REGISTER_FILE)}")


def _areas(found: GateFindings, target: str) -> str:
    """The smallest and the largest area of the mappings of a CPU."""
    areas = [cpu.area_ge for cpu in (found.cpus[target], *found.other_mappings[target])]
    return f"{min(areas):.0f} to {max(areas):.0f}"


def _mappings(found: GateFindings) -> str:
    number = 1 + max(map(len, found.other_mappings.values()), default=0)
    if number == 1:
        return "on one mapping"
    return (
        f"on {number} mappings: energies are of the one in the middle, with the range of all "
        "beside them, and facts of a CPU are of the first"
    )


def _model(model: MemoryMacro) -> str:
    return (
        f"{model.macro}, {format_joules(model.read_j)} a read, {format_joules(model.write_j)} a "
        f"write, {model.leakage_w * 1e6:.3f} uW a macro of {format_bytes(model.size_bytes)} "
        f"({model.source})"
    )


def _with_glitches(found: GateFindings) -> str:
    """What the figures of glitches rest on: the slices of the rows."""
    taken = [row.joules.glitches.slices for row in found.rows if row.joules.glitches is not None]
    clocks = [part.clocks for slices in taken for part in slices]
    ends = dict.fromkeys((min(clocks), max(clocks)))
    number = max(map(len, taken))
    return _WITH_GLITCHES.format(
        slices="one slice" if number == 1 else f"{number} slices",
        clocks=" to ".join(map(str, ends)),
    )


def _short(target: str) -> str:
    return target.partition(":")[2]


def _cells(row: GateRow, clock_hz: float, *, outside: bool) -> list[str]:
    joules, glitches = row.joules, row.joules.glitches
    seconds = joules.core_cycles / clock_hz
    apart = ["memory", *(["register file"] * outside)]
    uses = [joules.memories.get(name) for name in apart]
    return [
        row.implementation,
        format_bytes(row.size_bytes),
        _short(row.target),
        str(joules.core_cycles),
        format_seconds(seconds),
        *map(_nj, (joules.logic_j, joules.storage_j)),
        *([] if glitches is None else [_nj(joules.glitches_j), _share(glitches)]),
        *map(_nj, (joules.leakage_j, joules.core_j)),
        *([" to ".join(map(_nj, row.ends_j))] if row.others else []),
        *("-" if use is None else _nj(use.joules(seconds)) for use in uses),
    ]


_TENTH: Final = 0.1
"""Share from which a digit behind the point is enough."""


def _share(glitches: Glitches) -> str:
    """The share of all slices, with the smallest and the largest, in per cent."""
    digits = 1 if glitches.share >= _TENTH else 2
    share, *ends = (
        f"{100 * part:.{digits}f}" for part in (glitches.share, glitches.smallest, glitches.largest)
    )
    return f"{share} % ({' to '.join(ends)})"


def _nj(joules: float) -> str:
    """Nanojoules to three digits, without an exponent."""
    nanojoules = joules * 1e9
    digits = 2 - math.floor(math.log10(abs(nanojoules))) if nanojoules else 0
    return f"{round(nanojoules, digits):.{max(digits, 0)}f}"


# The same as JSON, with every category of joules and all counts of accesses.


def _as_json(found: GateFindings, clock_hz: float) -> dict[str, object]:
    return {
        "schema_version": GATE_VERSION,
        "clock_hz": clock_hz,
        "without_glitches": all(row.joules.glitches is None for row in found.rows),
        "evidence": {"core_cycles": Evidence.SIMULATED.value, "joules": Evidence.MODELLED.value},
        "cpus": [
            {
                "target": name,
                **asdict(cpu),
                "other_mappings": [*map(asdict, found.other_mappings.get(name, ()))],
            }
            for name, cpu in found.cpus.items()
        ],
        "results": [_row_json(row, clock_hz) for row in found.rows],
        "failures": [{**asdict(failure), "kind": failure.kind.value} for failure in found.failures],
    }


def _glitches_json(joules: MessageJoules) -> dict[str, object]:
    glitches = joules.glitches
    assert glitches is not None
    return {
        "joules": joules.glitches_j,
        "share": glitches.share,
        "smallest_share": glitches.smallest,
        "largest_share": glitches.largest,
        "slices": [{**asdict(part), "share": part.share} for part in glitches.slices],
        "evidence": Evidence.MODELLED.value,
    }


def _row_json(row: GateRow, clock_hz: float) -> dict[str, object]:
    joules = row.joules
    seconds = joules.core_cycles / clock_hz
    return {
        "implementation": row.implementation,
        "target": row.target,
        "size_bytes": row.size_bytes,
        "core_cycles_per_message": joules.core_cycles,
        "seconds_per_message": seconds,
        "joules_per_message": joules.core_j,
        "joules_lowest": row.ends_j[0],
        "joules_highest": row.ends_j[1],
        "mappings": 1 + len(row.others),
        "logic_j": joules.logic_j,
        "storage_and_clock_j": joules.storage_j,
        "leakage_j": joules.leakage_j,
        "glitches": None if joules.glitches is None else _glitches_json(joules),
        "dynamic_by_category_j": dict(joules.by_category_j),
        "memories_apart": [
            {
                "name": name,
                "reads": use.reads,
                "writes": use.writes,
                "access_j": use.access_j(),
                "joules": use.joules(seconds),
                "macros": use.macros,
                "model": asdict(use.model),
                "evidence": Evidence.MODELLED.value,
            }
            for name, use in joules.memories.items()
        ],
    }
