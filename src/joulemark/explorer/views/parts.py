# SPDX-License-Identifier: Apache-2.0
"""Parts of several views: moments, runs, and figures of lines as rows and as cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from joulemark.explorer.estimates import Estimate, Line, LineQuantity
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import FormChoice, Rows
from joulemark.records.trial import HOST
from joulemark.report import (
    Address,
    Cell,
    Heading,
    JsonObject,
    Notes,
    Table,
    Tone,
    interval_cell,
    shared_evidence,
)
from joulemark.report.words import PREFERRED_SIZE_BYTES
from joulemark.store.reading import RunOutline
from joulemark.units import format_bytes, format_count

MOST_ROWS: Final = 400
"""Most rows of a table in a page; the data have all of them."""
MOST_OPTIONS: Final = 200
"""Most options of one list of a form: nobody reads a list of thousands."""
LINE_COLUMNS: Final = (
    "run",
    "started_at",
    "machine",
    "cpu_model",
    "algorithm",
    "implementation",
    "provider",
    "target",
    "workload",
    "size_bytes",
    "quantity",
    "unit",
    "value",
    "low",
    "high",
    "evidence",
    "samples",
    "warnings",
)
"""Columns of `line_data`."""


def all_or_some(
    name: str,
    label: str,
    options: Iterable[tuple[str, str]],
    chosen: Iterable[str | None],
    *,
    several: bool = False,
) -> FormChoice:
    """A field that picks one or several of its options, or leaves all of them."""
    picked = [value for value in chosen if value]
    return FormChoice(name, label, [("", "all"), *options], picked or [""], several)


def length_choice(sizes_bytes: Sequence[int], chosen: str) -> FormChoice:
    """The field for the message length, of a view that shows one length."""
    options = [(str(size), format_bytes(size)) for size in sizes_bytes]
    return FormChoice(
        "length", "Message length", [("", "64 B, or the shortest"), *options], [chosen]
    )


def preferred_size(sizes_bytes: Collection[int]) -> int:
    """The message length that a view shows unless the address names one."""
    if PREFERRED_SIZE_BYTES in sizes_bytes:
        return PREFERRED_SIZE_BYTES
    return min(sizes_bytes, default=PREFERRED_SIZE_BYTES)


def machine_options(known: KnownRuns) -> list[tuple[str, str]]:
    """The machines with the newest runs as options of a form."""
    return [(machine.slug, machine.short) for machine in known.newest_machines(MOST_OPTIONS)]


def moment(when: datetime) -> str:
    """A time in UTC, as in "2026-01-02 03:04"."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def where(line: Line, known: KnownRuns) -> str:
    """The target of a line; the machine if that is the target."""
    return line.target if line.target != HOST else known.machine(line.run).short


def line_data(lines: Sequence[Line], quantity: LineQuantity, known: KnownRuns) -> Rows:
    """A row for each line that has the figure, for download."""
    figures = [
        (line, figure)
        for line in lines
        if (figure := quantity.of(line)) is not None and line.run in known.runs
    ]
    return Rows(len(figures), lambda: [_line_row(*pair, quantity, known) for pair in figures])


def _line_row(line: Line, figure: Estimate, quantity: LineQuantity, known: KnownRuns) -> JsonObject:
    machine = known.machine(line.run)
    values = (
        line.run,
        known.runs[line.run].started_at.isoformat(),
        machine.slug,
        machine.name,
        line.algorithm,
        line.implementation,
        line.provider,
        line.target,
        line.workload,
        line.size_bytes,
        quantity.name,
        quantity.unit.value,
        figure.median,
        figure.low,
        figure.high,
        figure.evidence,
        figure.samples,
        " ".join(line.doubts),
    )
    return dict(zip(LINE_COLUMNS, values, strict=True))


def figure_cell(quantity: LineQuantity, figure: Estimate) -> Cell:
    """Median, interval and evidence word."""
    return interval_cell(quantity.text(figure), figure.evidence, figure.median)


def figure_column(
    quantity: LineQuantity, figures: Iterable[Estimate]
) -> tuple[Heading, list[Cell]]:
    """The column of a quantity; an evidence word that all figures have stands in its heading."""
    cells = [figure_cell(quantity, figure) for figure in figures]
    word = shared_evidence(cells)
    heading = Heading(quantity.title, number=True, evidence=word)
    return heading, cells


def fastest(lines: Sequence[Line], quantities: Iterable[LineQuantity]) -> tuple[Cell, Cell]:
    """The implementation that takes least of the first quantity that lines have, and its figure."""
    for quantity in quantities:
        figures = [
            (figure.median, line.name, figure)
            for line in lines
            if (figure := quantity.of(line)) is not None
        ]
        if figures:
            _, name, figure = min(figures, key=lambda row: row[:2])
            return Cell(name), figure_cell(quantity, figure)
    return Cell("-"), Cell("-", key="")


def verdict_cell(verdict: str) -> Cell:
    """A verdict of `joulemark compare` with its sign."""
    tones = {"faster": Tone.FASTER, "less": Tone.FASTER, "slower": Tone.SLOWER}
    tones |= {"more": Tone.SLOWER, "equal": Tone.LEVEL}
    return Cell(verdict, tone=tones.get(verdict.replace(",", " ").partition(" ")[0], Tone.OPEN))


def run_cell(number: int) -> Cell:
    """The number of a run, with a link to its page."""
    return Cell(str(number), link=Address.of("runs", number), key=number)


def run_table(
    title: str, runs: Sequence[RunOutline], holdings: Holdings, empty: str = "There is no run."
) -> Table:
    """A table of runs."""
    known = holdings.known()
    rows = []
    for run in runs:
        machine = known.machine(run.id)
        finished = "finished" if run.finished_at else "unfinished"
        state = "published" if run.published else finished
        rows.append(
            (
                run_cell(run.id),
                Cell(moment(run.started_at)),
                Cell(machine.short, link=Address.of("machines", machine.slug)),
                Cell(_shortened_list(run.algorithms)),
                Cell(observed(run), key=run.samples),
                Cell(state, small=f"{run.failures} without a figure" if run.failures else ""),
            )
        )
    headings = (
        Heading("Run", number=True),
        Heading("Started (UTC)"),
        Heading("Machine"),
        Heading("Algorithms"),
        Heading("Observed", number=True),
        Heading("State"),
    )
    return Table(title, headings, rows, empty=empty)


def observed(run: RunOutline) -> str:
    """What was observed in a run, as in "40 samples, 3 simulated trials"."""
    if run.published:
        return f"{len(run.trials)} published results"
    samples = f"{run.samples} samples" if run.samples or not run.simulated else ""
    simulated = format_count(run.simulated, "simulated trial") if run.simulated else ""
    return ", ".join(filter(None, (samples, simulated)))


def _shortened_list(names: Sequence[str]) -> str:
    """The first three names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}" or "-"


PENDING: Final = "Not complete yet"
"""Title of the note that figures of a page are missing."""


def pending_notes(holdings: Holdings, lacking: int) -> list[Notes]:
    """A note that figures are missing since they are still being estimated; none if none lacks."""
    if not lacking:
        return []
    sentence = (
        f"Figures of {format_count(lacking, 'run')} of this page are still being estimated from "
        f"their samples ({holdings.pending()} of the whole store); the page loads itself again."
    )
    return [Notes(PENDING, [sentence], warning=True)]


def hidden_note(shown: int, total: int) -> list[str]:
    """A note that a table does not show all rows."""
    return [f"{total - shown} more rows are in the data."] if total > shown else []


def doubts_of(lines: Sequence[Line]) -> list[str]:
    """The first twelve different doubts of the lines."""
    return list(dict.fromkeys(doubt for line in lines for doubt in line.doubts))[:12]
