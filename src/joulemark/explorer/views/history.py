# SPDX-License-Identifier: Apache-2.0
"""One implementation over the runs, with the changes that the gate would flag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.explorer.charts.base import looks_of
from joulemark.explorer.charts.history import CAPTION
from joulemark.explorer.charts.history import history as chart_of
from joulemark.explorer.estimates.gates import Change
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.lines import Line
from joulemark.explorer.estimates.quantities import DEFAULT_QUANTITY, Quantity, quantity_named
from joulemark.explorer.known.index import KnownRuns
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Block, Cell, Chart, Choice, Form, Heading, Page, Table
from joulemark.explorer.views.changes import change_table
from joulemark.explorer.views.figures import quantity_choice
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    all_or_one,
    figure_cell,
    hidden_note,
    length_choice,
    line_data,
    moment,
    of_quantity,
    pending_notes,
    run_cell,
    shared_evidence,
)
from joulemark.explorer.views.picks import Query, one_of
from joulemark.report.workload import PREFERRED_SIZE_BYTES
from joulemark.store.outline import RunOutline
from joulemark.units import format_bytes, parse_size

__all__ = ["history"]

_MOST_POINTS: Final = 300
"""Of one picture, the newest; the data have all."""
_MOST_ROWS: Final = 100
_MOST_MACHINES: Final = 8
_MOST_OPTIONS: Final = 200
_MOST_LOOKED_AT: Final = 20
"""Runs in which message lengths are looked for, the newest."""


@dataclass(frozen=True, slots=True)
class _HistoryQuestion:
    """What an address asks for."""

    implementation: str
    machine: str | None
    """None: all."""
    quantity: Quantity
    having: Sequence[RunOutline]
    """Runs with the implementation, newest first."""
    sizes: Sequence[int]
    """Message lengths that the newest of them have, in bytes."""
    size_bytes: int
    named_size: bool
    """Whether the address names it."""


def history(holdings: Holdings, query: Query) -> Page:
    """The history of `implementation`, on `machine` or all, at `length`, of `quantity`.

    Raises:
        UsageError: a value of the address makes no sense, or no run has it.
    """
    known = holdings.known()
    names = list(known.implementations)
    asked = _asked(known, query)
    if asked is None:
        form = _form(("", "", ""), names, holdings, [], quantity_named(DEFAULT_QUANTITY))
        return Page(Address.of("history"), "History", [form], lead="Choose an implementation.")
    implementation, machine, quantity = asked.implementation, asked.machine, asked.quantity
    lines, pending = _lines(holdings, asked)
    changes = [
        change
        for change in holdings.kept.changes(implementation=implementation)
        if change.size_bytes == asked.size_bytes
        and change.run in known.runs
        and (machine is None or known.machine_of[change.run] == machine)
    ]
    chosen = (implementation, machine or "", str(asked.size_bytes))
    blocks: list[Block] = [
        _form(chosen, names, holdings, asked.sizes, quantity),
        *pending_notes(holdings, pending),
        _chart(holdings, lines, changes, quantity, implementation),
        change_table(
            "Changes from run to run",
            changes[:_MOST_ROWS],
            holdings,
            "The gate finds no change of this implementation at this length.",
        ),
        _table(holdings, lines, changes, quantity),
    ]
    on = f" on {known.machines[machine].short}" if machine else ""
    length = format_bytes(asked.size_bytes)
    return Page(
        Address.of(
            "history",
            implementation=implementation,
            machine=machine,
            length=asked.size_bytes if asked.named_size else None,
            quantity=None if quantity.name == DEFAULT_QUANTITY else quantity.name,
        ),
        f"History of {implementation}",
        blocks,
        lead=f"{quantity.title} at {length}{on}, {len(asked.having)} runs.",
        above=[
            ("Algorithms", Address.of("algorithms")),
            (_algorithm(implementation), Address.of("algorithms", _algorithm(implementation))),
        ],
        data=line_data(lines, quantity, holdings),
        columns=LINE_COLUMNS,
    )


def _asked(known: KnownRuns, query: Query) -> _HistoryQuestion | None:
    """None where the address names no implementation.

    Raises:
        UsageError: a value makes no sense, or no run has it.
    """
    implementation = one_of(query, "implementation")
    if implementation is None:
        return None
    if implementation not in known.implementations:
        raise UsageError("implementation: no run in the store has it")
    machine = one_of(query, "machine")
    if machine is not None and machine not in known.machines:
        raise UsageError("machine: there is none of that name; the page Machines lists them")
    having = [
        known.runs[run]
        for run in reversed(known.implementations[implementation])
        if machine in (None, known.machine_of[run])
    ]
    sizes = sorted(
        {
            trial.workload.size_bytes
            for run in having[:_MOST_LOOKED_AT]
            for trial in run.trials
            if trial.implementation == implementation
        }
    )
    length = one_of(query, "length")
    return _HistoryQuestion(
        implementation, machine, quantity_named(one_of(query, "quantity") or DEFAULT_QUANTITY),
        having, sizes, parse_size(length) if length else _size(sizes), bool(length),
    )  # fmt: skip


def _lines(holdings: Holdings, asked: _HistoryQuestion) -> tuple[list[Line], int]:
    """The lines that are estimated, and how many runs are not."""
    holdings.ensure([run.id for run in asked.having[:2]])
    ready = holdings.ready()
    wanted = {run.id for run in asked.having if run.id in ready}
    lines = [
        line
        for line in holdings.kept.lines(
            asked.quantity.fields, implementation=asked.implementation,
            sizes_bytes=[asked.size_bytes],
        )
        if line.run in wanted and of_quantity(line, asked.quantity) is not None
    ]  # fmt: skip
    return lines, len(asked.having) - len(wanted)


def _algorithm(implementation: str) -> str:
    return implementation.partition("/")[0]


def _size(sizes: Sequence[int]) -> int:
    return PREFERRED_SIZE_BYTES if PREFERRED_SIZE_BYTES in sizes or not sizes else sizes[0]


def _flags(changes: Sequence[Change]) -> dict[tuple[int, str], str]:
    """Run and target -> what the gate says there."""
    return {
        (change.run, change.target): f"slower than run {change.before}"
        for change in changes
        if change.flagged
    }


def _chart(
    holdings: Holdings,
    lines: Sequence[Line],
    changes: Sequence[Change],
    quantity: Quantity,
    implementation: str,
) -> Chart:
    known = holdings.known()
    flags = _flags(changes)
    newest = lines[-_MOST_POINTS:]
    machines = list(dict.fromkeys(known.machine_of[line.run] for line in reversed(newest)))
    shown = machines[:_MOST_MACHINES]
    workloads = {line.workload for line in newest}
    rows: list[dict[str, Any]] = []
    for line in newest:
        figure, slug = of_quantity(line, quantity), known.machine_of[line.run]
        if figure is None or slug not in shown:
            continue
        run = known.runs[line.run]
        place = known.machines[slug].short
        flag = flags.get((line.run, line.target), "")
        rows.append(
            {
                "series": f"{place}, {line.workload}" if len(workloads) > 1 else place,
                "time": run.started_at.isoformat(),
                "value": figure.median,
                "low": figure.low,
                "high": figure.high,
                "evidence": figure.evidence,
                "flagged": bool(flag),
                "run": str(line.run),
                "when": f"{moment(run.started_at)} UTC",
                "where": place,
                "length": line.length,
                "text": quantity.text(figure),
                "flag": flag or "-",
            }
        )
    series = dict.fromkeys(row["series"] for row in rows)
    spec = chart_of(quantity, rows, looks_of(series), f"history of {implementation}")
    caption = " ".join(filter(None, (CAPTION, quantity.caption)))
    if len(machines) > len(shown) or len(lines) > len(newest):
        caption += f" The picture has the newest {len(rows)} of {len(lines)} points."
    return Chart(quantity.title, caption, spec, "no run has this figure above zero.")


def _table(
    holdings: Holdings, lines: Sequence[Line], changes: Sequence[Change], quantity: Quantity
) -> Table:
    known = holdings.known()
    flags = _flags(changes)
    shown = lines[::-1][:_MOST_ROWS]
    cells = [figure_cell(quantity, of_quantity(line, quantity)) for line in shown]
    word = shared_evidence(cells)
    rows = [
        (
            run_cell(line.run),
            Cell(moment(known.runs[line.run].started_at)),
            Cell(
                figure.text,
                figure.interval,
                "" if word else figure.evidence,
                key=figure.key,
                doubts=", ".join(line.causes),
            ),
            Cell(flags.get((line.run, line.target), "-")),
            Cell(
                known.machines[known.machine_of[line.run]].short,
                link=Address.of("machines", known.machine_of[line.run]),
            ),
        )
        for line, figure in zip(shown, cells, strict=True)
    ]
    headings = (
        Heading("Run", number=True),
        Heading("Started (UTC)"),
        Heading(quantity.title, number=True, evidence=word),
        Heading("Gate"),
        Heading("Machine"),
    )
    return Table(
        "Runs",
        headings,
        rows,
        empty="No run has this figure.",
        notes=hidden_note(len(shown), len(lines)),
    )


def _form(
    chosen: tuple[str, str, str],
    names: Sequence[str],
    holdings: Holdings,
    sizes: Sequence[int],
    quantity: Quantity,
) -> Form:
    machines = list(holdings.known().machines.values())[::-1][:_MOST_OPTIONS]
    options = [(machine.slug, machine.short) for machine in machines]
    return Form(
        "What is shown",
        Address.of("history"),
        [
            Choice(
                "implementation",
                "Implementation",
                [
                    (name, name)
                    for name in dict.fromkeys((*names[:_MOST_OPTIONS], chosen[0]))
                    if name
                ],
                [chosen[0]],
            ),
            all_or_one("machine", "Machine", options, chosen[1]),
            length_choice(sizes, chosen[2]),
            quantity_choice(quantity),
        ],
    )
