# SPDX-License-Identifier: Apache-2.0
"""What several views show: moments, runs, figures of lines as rows and as cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.lines import Estimate, Line
from joulemark.explorer.estimates.quantities import Quantity
from joulemark.explorer.known.index import KnownRuns
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Cell, Choice, Heading, Notes, Rows, Table
from joulemark.records.trial import HOST
from joulemark.store.outline import RunOutline
from joulemark.units import format_bytes

__all__ = [
    "LINE_COLUMNS",
    "MOST_ROWS",
    "all_or_one",
    "figure_cell",
    "length_choice",
    "line_data",
    "moment",
    "observed",
    "of_quantity",
    "pending_notes",
    "run_cell",
    "run_table",
    "where",
]

MOST_ROWS: Final = 400
"""Rows of a table in a page; the data have all of them."""
LINE_COLUMNS: Final = (
    "run", "started_at", "machine", "cpu_model", "algorithm", "implementation", "provider",
    "target", "workload", "size_bytes", "quantity", "unit", "value", "low", "high", "evidence",
    "samples", "warnings",
)  # fmt: skip
"""Of `line_data`."""


def all_or_one(
    name: str, label: str, options: Iterable[tuple[str, str]], chosen: str | None
) -> Choice:
    """A field that picks one of its options, or leaves all of them."""
    return Choice(name, label, [("", "all"), *options], [chosen or ""])


def length_choice(sizes_bytes: Sequence[int], chosen: str) -> Choice:
    """Which message length, where a view shows one."""
    options = [(str(size), format_bytes(size)) for size in sizes_bytes]
    return Choice("length", "Message length", [("", "64 B, or the shortest"), *options], [chosen])


def moment(when: datetime) -> str:
    """In UTC, as in "2026-01-02 03:04"."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def where(line: Line, holdings: Holdings) -> str:
    """The machine of a line, or its target where that is another one."""
    known = holdings.known()
    if line.target != HOST:
        return line.target
    return known.machines[known.machine_of[line.run]].short


def of_quantity(line: Line, quantity: Quantity) -> Estimate | None:
    """The first figure of the quantity that the line has."""
    return next((line.figures[field] for field in quantity.fields if field in line.figures), None)


def line_data(lines: Sequence[Line], quantity: Quantity, holdings: Holdings) -> Rows:
    """A row for each line that has the figure, for download."""
    known = holdings.known()
    found = [
        (line, figure)
        for line in lines
        if (figure := of_quantity(line, quantity)) is not None and line.run in known.runs
    ]
    return Rows(len(found), lambda: [_line_row(*pair, quantity, known) for pair in found])


def _line_row(line: Line, figure: Estimate, quantity: Quantity, known: KnownRuns) -> dict[str, Any]:
    machine = known.machines[known.machine_of[line.run]]
    values = (
        line.run, known.runs[line.run].started_at.isoformat(), machine.slug, machine.name,
        line.algorithm, line.implementation, line.provider, line.target, line.workload,
        line.size_bytes, quantity.name, quantity.unit.value, figure.median, figure.low,
        figure.high, figure.evidence, figure.samples, " ".join(line.doubts),
    )  # fmt: skip
    return dict(zip(LINE_COLUMNS, values, strict=True))


def figure_cell(quantity: Quantity, figure: Estimate | None) -> Cell:
    """Median, interval and evidence word."""
    if figure is None:
        return Cell("-", key="")
    text, _, interval = quantity.text(figure).partition(" [")
    return Cell(text, f"[{interval}" if interval else "", figure.evidence, key=figure.median)


def run_cell(number: int) -> Cell:
    """The number of a run, which leads to it."""
    return Cell(str(number), link=Address.of("runs", number), key=number)


def run_table(
    title: str, runs: Sequence[RunOutline], holdings: Holdings, empty: str = "There is no run."
) -> Table:
    """Runs with what they hold."""
    known = holdings.known()
    rows = []
    for run in runs:
        machine = known.machines[known.machine_of[run.id]]
        finished = "finished" if run.finished_at else "unfinished"
        state = "published" if run.published else finished
        rows.append(
            (
                run_cell(run.id),
                Cell(moment(run.started_at)),
                Cell(machine.short, link=Address.of("machines", machine.slug)),
                Cell(shortened_list(run.algorithms)),
                Cell(observed(run), key=run.samples),
                Cell(state, small=f"{run.failures} without a figure" if run.failures else ""),
            )
        )
    headings = (
        Heading("Run", number=True), Heading("Started (UTC)"), Heading("Machine"),
        Heading("Algorithms"), Heading("Observed", number=True), Heading("State"),
    )  # fmt: skip
    return Table(title, headings, rows, empty=empty)


def observed(run: RunOutline) -> str:
    """What was observed, as in "40 samples, 3 simulated trials"; nothing of a published run."""
    if run.published:
        return f"{len(run.trials)} published results"
    counted = f"{run.samples} samples" if run.samples or not run.simulated else ""
    trials = "trial" if run.simulated == 1 else "trials"
    simulated = f"{run.simulated} simulated {trials}" if run.simulated else ""
    return ", ".join(filter(None, (counted, simulated)))


def shortened_list(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}" or "-"


def pending_notes(holdings: Holdings, lacking: int) -> list[Notes]:
    """Says that figures are missing because they are still being estimated.

    Args:
        holdings: where they are kept.
        lacking: runs that this page would show.
    """
    if not lacking:
        return []
    sentence = (
        f"Figures of {lacking} {'run' if lacking == 1 else 'runs'} of this page are still being "
        f"estimated from their samples ({holdings.pending()} of the whole store); load the page "
        "again in a while."
    )
    return [Notes("Not complete yet", [sentence], warning=True)]


def shared_evidence(cells: Sequence[Cell]) -> str:
    """The evidence word of a column, where all its figures have one."""
    words = {cell.evidence for cell in cells} - {""}
    return words.pop() if len(words) == 1 else ""


def hidden_note(shown: int, total: int) -> list[str]:
    """Says that a table is cut."""
    return [f"{total - shown} more rows are in the data."] if total > shown else []


def doubts_of(lines: Sequence[Line], most: int = 12) -> list[str]:
    """Each doubt of the lines once."""
    found: Mapping[str, None] = dict.fromkeys(doubt for line in lines for doubt in line.doubts)
    return list(found)[:most]
