# SPDX-License-Identifier: Apache-2.0
"""The history of an implementation over the runs, with the changes that the gate would flag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates import (
    DEFAULT_QUANTITY,
    QUANTITIES,
    Change,
    Estimate,
    Line,
    LineQuantity,
    quantity_named,
)
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Form, FormChoice, Page, Query, Rows, one_of
from joulemark.explorer.views.charts import HISTORY_CAPTION
from joulemark.explorer.views.charts import history as history_chart
from joulemark.explorer.views.figures import quantity_choice
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    MOST_OPTIONS,
    all_or_some,
    figure_column,
    hidden_note,
    length_choice,
    line_data,
    machine_options,
    moment,
    pending_notes,
    preferred_size,
    run_cell,
    verdict_cell,
)
from joulemark.report import Address, Cell, Chart, Heading, Part, Table, interval_cell
from joulemark.report.drawing import Row, looks_of
from joulemark.store.reading import RunOutline
from joulemark.units import format_bytes, parse_size

# Changes from run to run: what became slower or faster, and what the gate flags.

COLUMNS: Final = tuple(field.name for field in fields(Change))
_MOST: Final = 300


def changes(holdings: Holdings) -> Page:
    """The newest changes, flagged or not."""
    found = holdings.changes(most=_MOST)
    lead = (
        "Each run is held against the newest earlier run on the same machine that has its "
        "algorithms, as joulemark check does: threshold 5 %, alpha 5 % over all lines together."
    )
    empty = "No implementation became faster or slower from one run to the next."
    blocks = [
        *pending_notes(holdings, holdings.pending()),
        change_table("", found, holdings, empty),
    ]
    return Page(
        "Changes",
        blocks,
        address=Address.of("changes"),
        lead=lead,
        data=Rows(len(found), lambda: [asdict(change) for change in found]),
        columns=COLUMNS,
    )


def ratio_text(ratio: float, low: float, high: float) -> str:
    """A ratio with its interval, as in "1.31x [1.29, 1.33]"."""
    return f"{ratio:.3f}\N{MULTIPLICATION SIGN} [{low:.3f}, {high:.3f}]"


def change_table(title: str, found: Sequence[Change], holdings: Holdings, empty: str) -> Table:
    """A table of changes, each with its two runs."""
    known = holdings.known()
    rows = []
    for change in found:
        machine = known.machine(change.run)
        history = Address.of("history", implementation=change.implementation, machine=machine.slug)
        ratio = ratio_text(change.ratio, change.low, change.high)
        rows.append(
            (
                Cell(change.implementation, link=history, small=change.workload),
                run_cell(change.run),
                run_cell(change.before),
                interval_cell(ratio, "measured", change.ratio),
                verdict_cell(change.verdict),
                Cell("flagged" if change.flagged else "-"),
                Cell(machine.short, link=Address.of("machines", machine.slug)),
            )
        )
    headings = (
        Heading("Implementation"),
        Heading("Run", number=True),
        Heading("Before", number=True),
        Heading("Time over before", number=True),
        Heading("Verdict"),
        Heading("Gate"),
        Heading("Machine"),
    )
    return Table(title, headings, rows, empty=empty)


_MOST_POINTS: Final = 300
"""Most points of one picture, the newest; the data have all of them."""
_MOST_ROWS: Final = 100
_MOST_MACHINES: Final = 8
_MOST_LOOKED_AT: Final = 20
"""Newest runs in which message lengths are looked for."""
_Point = tuple[Line, Estimate]


@dataclass(frozen=True, slots=True)
class _HistoryQuestion:
    """The values of an address."""

    implementation: str
    machine: str | None
    """Slug; None: all machines."""
    quantity: LineQuantity
    runs: Sequence[RunOutline]
    """Runs with the implementation, newest first."""
    sizes_bytes: Sequence[int]
    """Message lengths that the newest of these runs have."""
    size_bytes: int
    named_size: bool
    """Whether the address names the message length."""


def history(holdings: Holdings, query: Query) -> Page:
    """The history of `implementation`, on `machine` or all, at `length`, of `quantity`."""
    known = holdings.known()
    question = _question(known, query)
    if question is None:
        form = _form(known, ("", "", ""), [], QUANTITIES[DEFAULT_QUANTITY])
        return Page(
            "History", [form], address=Address.of("history"), lead="Choose an implementation."
        )
    implementation, machine, quantity = question.implementation, question.machine, question.quantity
    points, pending = _points(holdings, question)
    changes = [
        change
        for change in holdings.changes(implementation=implementation)
        if change.size_bytes == question.size_bytes
        and (machine is None or known.machine_of[change.run] == machine)
    ]
    flags = {
        (change.run, change.target): f"slower than run {change.before}"
        for change in changes
        if change.flagged
    }
    chosen = (implementation, machine or "", str(question.size_bytes))
    blocks: list[Part] = [
        _form(known, chosen, question.sizes_bytes, quantity),
        *pending_notes(holdings, pending),
        _chart(known, points, flags, question),
        change_table(
            "Changes from run to run",
            changes[:_MOST_ROWS],
            holdings,
            "The gate finds no change of this implementation at this length.",
        ),
        _table(known, points, flags, quantity),
    ]
    on = f" on {known.machines[machine].short}" if machine else ""
    length = format_bytes(question.size_bytes)
    algorithm = implementation.partition("/")[0]
    return Page(
        f"History of {implementation}",
        blocks,
        address=Address.of(
            "history",
            implementation=implementation,
            machine=machine,
            length=question.size_bytes if question.named_size else None,
            quantity=None if quantity.name == DEFAULT_QUANTITY else quantity.name,
        ),
        lead=f"{quantity.title} at {length}{on}, {len(question.runs)} runs.",
        above=[
            ("Algorithms", Address.of("algorithms")),
            (algorithm, Address.of("algorithms", algorithm)),
        ],
        data=line_data([line for line, _ in points], quantity, known),
        columns=LINE_COLUMNS,
    )


def _question(known: KnownRuns, query: Query) -> _HistoryQuestion | None:
    """The question of an address; None if it names no implementation."""
    implementation = one_of(query, "implementation")
    if implementation is None:
        return None
    if implementation not in known.implementations:
        raise UsageError("implementation: no run in the store has it")
    machine = one_of(query, "machine")
    if machine is not None and machine not in known.machines:
        raise UsageError("machine: there is none of that name; the page Machines lists them")
    runs = [
        known.runs[run]
        for run in reversed(known.implementations[implementation])
        if machine in (None, known.machine_of[run])
    ]
    sizes = sorted(
        {
            trial.workload.size_bytes
            for run in runs[:_MOST_LOOKED_AT]
            for trial in run.trials
            if trial.implementation == implementation
        }
    )
    length = one_of(query, "length")
    return _HistoryQuestion(
        implementation,
        machine,
        quantity_named(one_of(query, "quantity")),
        runs,
        sizes,
        parse_size(length) if length else preferred_size(sizes),
        bool(length),
    )


def _points(holdings: Holdings, question: _HistoryQuestion) -> tuple[list[_Point], int]:
    """The points whose runs are estimated, oldest first, and the number of runs that are not."""
    holdings.ensure([run.id for run in question.runs[:2]])
    ready = holdings.ready()
    oldest_first = (run.id for run in reversed(question.runs) if run.id in ready)
    wanted = {number: place for place, number in enumerate(oldest_first)}
    lines = holdings.estimates.lines(
        question.quantity.fields,
        implementation=question.implementation,
        sizes_bytes=[question.size_bytes],
    )
    points = [
        (line, figure)
        for line in lines
        if line.run in wanted and (figure := question.quantity.of(line)) is not None
    ]
    points.sort(key=lambda point: wanted[point[0].run])
    return points, len(question.runs) - len(wanted)


def _chart(
    known: KnownRuns,
    points: Sequence[_Point],
    flags: Mapping[tuple[int, str], str],
    question: _HistoryQuestion,
) -> Chart:
    quantity = question.quantity
    newest = points[-_MOST_POINTS:]
    machines = list(dict.fromkeys(known.machine_of[line.run] for line, _ in reversed(newest)))
    shown = machines[:_MOST_MACHINES]
    several = len({line.workload for line, _ in newest}) > 1
    rows: list[Row] = []
    for line, figure in newest:
        if known.machine_of[line.run] not in shown:
            continue
        started_at, machine = known.runs[line.run].started_at, known.machine(line.run).short
        flag = flags.get((line.run, line.target), "")
        rows.append(
            {
                "series": f"{machine}, {line.workload}" if several else machine,
                "time": started_at.isoformat(),
                "value": figure.median,
                "low": figure.low,
                "high": figure.high,
                "evidence": figure.evidence,
                "flagged": bool(flag),
                "run": str(line.run),
                "when": f"{moment(started_at)} UTC",
                "where": machine,
                "length": line.length,
                "text": quantity.text(figure),
                "flag": flag or "-",
            }
        )
    series = dict.fromkeys(row["series"] for row in rows)
    description = f"history of {question.implementation}"
    spec = history_chart(quantity, rows, looks_of(series), description)
    caption = " ".join(filter(None, (HISTORY_CAPTION, quantity.caption)))
    if len(machines) > len(shown) or len(points) > len(newest):
        caption += f" The picture has the newest {len(rows)} of {len(points)} points."
    return Chart(quantity.title, caption, spec, "no run has this figure above zero.")


def _table(
    known: KnownRuns,
    points: Sequence[_Point],
    flags: Mapping[tuple[int, str], str],
    quantity: LineQuantity,
) -> Table:
    shown = points[::-1][:_MOST_ROWS]
    column, cells = figure_column(quantity, [figure for _, figure in shown])
    rows = []
    for (line, _), cell in zip(shown, cells, strict=True):
        machine = known.machine(line.run)
        rows.append(
            (
                run_cell(line.run),
                Cell(moment(known.runs[line.run].started_at)),
                cell._replace(doubts=", ".join(line.causes)),
                Cell(flags.get((line.run, line.target), "-")),
                Cell(machine.short, link=Address.of("machines", machine.slug)),
            )
        )
    headings = (
        Heading("Run", number=True),
        Heading("Started (UTC)"),
        column,
        Heading("Gate"),
        Heading("Machine"),
    )
    return Table(
        "Runs",
        headings,
        rows,
        empty="No run has this figure.",
        notes=hidden_note(len(shown), len(points)),
    )


def _form(
    known: KnownRuns,
    chosen: tuple[str, str, str],
    sizes_bytes: Sequence[int],
    quantity: LineQuantity,
) -> Form:
    implementation, machine, length = chosen
    names = [*list(known.implementations)[:MOST_OPTIONS], *filter(None, [implementation])]
    options = [(name, name) for name in dict.fromkeys(names)]
    return Form(
        "What is shown",
        Address.of("history"),
        [
            FormChoice("implementation", "Implementation", options, [implementation]),
            all_or_some("machine", "Machine", machine_options(known), [machine]),
            length_choice(sizes_bytes, length),
            quantity_choice(quantity),
        ],
    )
