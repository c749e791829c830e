# SPDX-License-Identifier: Apache-2.0
"""The figures of a pick on one page, and the pages of algorithms, which are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.explorer.estimates import (
    DEFAULT_QUANTITY,
    QUANTITIES,
    Estimate,
    Line,
    LineQuantity,
    quantity_named,
)
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Form, FormChoice, Page, Picks, Query, Rows, one_of
from joulemark.explorer.views.charts import CURVE_CAPTION, curve
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    MOST_OPTIONS,
    MOST_ROWS,
    all_or_some,
    doubts_of,
    figure_column,
    hidden_note,
    line_data,
    machine_options,
    moment,
    pending_notes,
    run_cell,
    where,
)
from joulemark.report import Address, Cell, Chart, Heading, Notes, Part, Table
from joulemark.report.drawing import Row, looks_of
from joulemark.units import format_bytes

_MOST_SERIES: Final = 16
"""Most lines of one picture; the table has all of them."""
_MOST_MACHINES: Final = 12
"""Most machines whose newest run is taken if no run is picked."""


def figures(holdings: Holdings, picks: Picks) -> Page:
    """The view of the picks; without an algorithm, of the most measured."""
    known = holdings.known()
    algorithms = (
        picks.algorithms
        or tuple(dict.fromkeys(name.partition("/")[0] for name in picks.implementations))
        or ((known.most_measured,) if known.algorithms else ())
    )
    wanted = _runs(holdings, picks, algorithms)
    ready = holdings.ensure(wanted)
    lines = [
        line
        for algorithm in algorithms
        for line in holdings.estimates.lines(
            picks.quantity.fields, runs=ready, algorithm=algorithm, sizes_bytes=picks.sizes_bytes
        )
        if not picks.implementations or line.implementation in picks.implementations
    ]
    blocks: list[Part] = [
        _form(known, picks, algorithms, lines),
        *pending_notes(holdings, len(wanted) - len(ready)),
        *figure_blocks(holdings, lines, picks.quantity),
    ]
    return Page(
        "Figures",
        blocks,
        address=Address.of(
            "figures",
            algorithm=picks.algorithms,
            implementation=picks.implementations,
            length=picks.sizes_bytes,
            machine=picks.machines,
            run=picks.runs,
            quantity=picks.quantity.name,
        ),
        lead=f"{picks.quantity.title} of {', '.join(algorithms) or 'nothing'}, in the newest run "
        "of each machine unless you pick runs.",
        data=line_data(lines, picks.quantity, known),
        columns=LINE_COLUMNS,
    )


def _runs(holdings: Holdings, picks: Picks, algorithms: Sequence[str]) -> list[int]:
    found = set(picks.runs) or {
        run
        for algorithm in algorithms
        for run in holdings.newest_of_each_machine(algorithm, picks.machines)[:_MOST_MACHINES]
    }
    return [run.id for run in holdings.known().newest_first() if run.id in found]


def figure_blocks(holdings: Holdings, lines: Sequence[Line], quantity: LineQuantity) -> list[Part]:
    """Chart, table and doubts of the lines that have a figure of the quantity."""
    known = holdings.known()
    shown = [(line, figure) for line in lines if (figure := quantity.of(line)) is not None]
    names = _series_names(known, [line for line, _ in shown])
    rows, series = _drawn(known, shown, quantity, names)
    spec = curve(quantity, rows, looks_of(series), f"{quantity.title} against message length")
    caption = " ".join(filter(None, (CURVE_CAPTION, quantity.caption)))
    if len(series) == _MOST_SERIES and len(names) > _MOST_SERIES:
        caption += f" The picture has {_MOST_SERIES} lines, those that are lowest at their end."
    blocks: list[Part] = [
        Chart(quantity.title, caption, spec, "no line has this figure above zero."),
        _table(known, shown, quantity),
    ]
    doubts = doubts_of([line for line, _ in shown])
    if doubts:
        blocks.append(Notes("What is doubtful about these figures", doubts, warning=True))
    return blocks


def _key(known: KnownRuns, line: Line) -> tuple[str, ...]:
    """All that may tell a line of a picture from others, the name of its implementation first."""
    machine = known.machine(line.run).short
    return line.name, line.algorithm, line.target, line.workload, machine, f"run {line.run}"


def _series_names(known: KnownRuns, lines: Sequence[Line]) -> dict[tuple[str, ...], str]:
    """Key of each line -> the name of its series: all parts of the key that not all lines share."""
    keys = [_key(known, line) for line in lines]
    telling = [index for index in range(1, 6) if len({key[index] for key in keys}) > 1]
    if 5 in telling and len({key[4:] for key in keys}) == len({key[4] for key in keys}):
        telling.remove(5)  # of each machine one run: its number tells nothing more
    return {key: ", ".join([key[0], *(key[index] for index in telling)]) for key in keys}


def _drawn(
    known: KnownRuns,
    shown: Sequence[tuple[Line, Estimate]],
    quantity: LineQuantity,
    names: Mapping[tuple[str, ...], str],
) -> tuple[list[Row], dict[str, Line | None]]:
    """Rows of the chart, and for each series the implementation that it shows."""
    rows: dict[str, list[Row]] = {}
    styled: dict[str, Line | None] = {}
    machines = {known.machine_of[line.run] for line, _ in shown}
    for line, figure in shown:
        name = names[_key(known, line)]
        styled.setdefault(name, line if len(machines) == 1 and name == line.name else None)
        rows.setdefault(name, []).append(
            {
                "series": name,
                "size_bytes": line.size_bytes,
                "value": figure.median,
                "low": figure.low,
                "high": figure.high,
                "evidence": figure.evidence,
                "implementation": line.implementation,
                "where": where(line, known),
                "run": str(line.run),
                "length": line.length,
                "workload": line.workload,
                "text": quantity.text(figure),
                "samples": str(figure.samples),
            }
        )
    lowest = sorted(rows, key=lambda name: (-rows[name][-1]["size_bytes"], rows[name][-1]["value"]))
    names_drawn = lowest[:_MOST_SERIES]
    drawn = [row for name in names_drawn for row in rows[name]]
    return drawn, {name: styled[name] for name in names_drawn}


def _table(
    known: KnownRuns, figures: Sequence[tuple[Line, Estimate]], quantity: LineQuantity
) -> Table:
    def rank(row: tuple[Line, Estimate]) -> tuple[Any, ...]:
        line, figure = row
        return line.algorithm, line.workload, line.size_bytes, figure.median

    shown = sorted(figures, key=rank)[:MOST_ROWS]
    column, cells = figure_column(quantity, [figure for _, figure in shown])
    workloads = {line.workload for line, _ in shown}
    several = len(workloads) > 1
    rows = []
    for (line, figure), cell in zip(shown, cells, strict=True):
        history = Address.of(
            "history", implementation=line.implementation, machine=known.machine_of[line.run]
        )
        rows.append(
            [
                Cell(line.implementation, link=history, doubts=", ".join(line.causes)),
                Cell(line.length, key=line.size_bytes),
                cell,
                Cell(str(figure.samples)),
                Cell(where(line, known)),
                run_cell(line.run),
                *([Cell(line.workload)] if several else []),
            ]
        )
    headings = [
        Heading("Implementation"),
        Heading("Message", number=True),
        column,
        Heading("Samples", number=True),
        Heading("Machine or target"),
        Heading("Run", number=True),
        *([Heading("Workload")] if several else []),
    ]
    workload = f"Workload: {shown[0][0].workload}. " if len(workloads) == 1 else ""
    return Table(
        "Table",
        headings,
        rows,
        caption=f"{workload}Each figure is a median with its 95 % interval.",
        empty="No run that is picked has this figure.",
        notes=hidden_note(len(shown), len(figures)),
    )


def quantity_choice(chosen: LineQuantity) -> FormChoice:
    """The field for the quantity."""
    options = [(column.name, column.title) for column in QUANTITIES.values()]
    return FormChoice("quantity", "Quantity", options, [chosen.name])


def _form(known: KnownRuns, picks: Picks, algorithms: Sequence[str], lines: Sequence[Line]) -> Form:
    there = sorted({*picks.implementations, *(line.implementation for line in lines)})
    sizes = sorted({*picks.sizes_bytes, *(line.size_bytes for line in lines)})
    names = [(name, name) for name in known.algorithms]
    implementations = [(name, name) for name in there[:MOST_OPTIONS]]
    lengths = [(str(size), format_bytes(size)) for size in sizes]
    return Form(
        "What is shown",
        Address.of("figures"),
        [
            FormChoice("algorithm", "Algorithms", names, algorithms, several=True),
            all_or_some(
                "implementation",
                "Implementations",
                implementations,
                picks.implementations,
                several=True,
            ),
            all_or_some(
                "length", "Message lengths", lengths, map(str, picks.sizes_bytes), several=True
            ),
            all_or_some(
                "machine", "Machines", machine_options(known), picks.machines, several=True
            ),
            quantity_choice(picks.quantity),
        ],
    )


# Algorithms: the list, and the page of an algorithm with the newest run of each machine.

COLUMNS: Final = ("algorithm", "runs", "machines", "implementations", "newest_run")
_MOST_OF_AN_ALGORITHM: Final = 6
_MOST_LINKS: Final = 28


def algorithms(holdings: Holdings) -> Page:
    """The list of every algorithm that some run has trials of."""
    known = holdings.known()
    rows, data = [], list[Row]()
    for name, runs in known.algorithms.items():
        machines = {known.machine_of[run] for run in runs}
        newest = known.runs[runs[-1]]
        codes = {
            trial.implementation
            for run in runs[-20:]
            for trial in known.runs[run].trials
            if trial.algorithm == name
        }
        rows.append(
            (
                Cell(name, link=Address.of("algorithms", name)),
                Cell(str(len(codes)), key=len(codes)),
                Cell(str(len(runs)), key=len(runs)),
                Cell(str(len(machines)), key=len(machines)),
                run_cell(newest.id),
                Cell(moment(newest.started_at)),
            )
        )
        data.append(
            dict(zip(COLUMNS, (name, len(runs), len(machines), len(codes), newest.id), strict=True))
        )
    headings = (
        Heading("Algorithm"),
        Heading("Implementations", number=True),
        Heading("Runs", number=True),
        Heading("Machines", number=True),
        Heading("Newest run", number=True),
        Heading("Started (UTC)"),
    )
    caption = "Implementations are those of the twenty newest runs of the algorithm."
    blocks = [Table("", headings, rows, caption=caption, empty="No run has an algorithm yet.")]
    return Page(
        "Algorithms",
        blocks,
        address=Address.of("algorithms"),
        data=Rows(len(data), lambda: data),
        columns=COLUMNS,
    )


def algorithm(holdings: Holdings, name: str, query: Query) -> Page | None:
    """The page of an algorithm; None if no run has it."""
    known = holdings.known()
    if name not in known.algorithms:
        return None
    wanted = holdings.newest_of_each_machine(name)
    shown = wanted[:_MOST_OF_AN_ALGORITHM]
    ready = holdings.ensure(shown)
    quantity = quantity_named(one_of(query, "quantity"))
    lines = holdings.estimates.lines(quantity.fields, runs=ready, algorithm=name)
    codes = list(dict.fromkeys(line.implementation for line in lines))
    links = [
        ("Pick machines, runs and lengths", Address.of("figures", algorithm=name)),
        ("All targets on one axis", Address.of("targets", algorithm=name)),
        ("Its runs", Address.of("runs", algorithm=name)),
        *(
            (QUANTITIES[field].title, Address.of("algorithms", name, quantity=field))
            for field in holdings.estimates.fields_of(name, ready)
            if field != quantity.name
        ),
        *((f"History of {code}", Address.of("history", implementation=code)) for code in codes),
    ][:_MOST_LINKS]
    blocks: list[Part] = [
        *pending_notes(holdings, len(shown) - len(ready)),
        *figure_blocks(holdings, lines, quantity),
        Notes("More", [], links=links),
    ]
    of_all = f" of {len(wanted)}" if len(wanted) > len(shown) else ""
    chosen = None if quantity.name == DEFAULT_QUANTITY else quantity.name
    return Page(
        name,
        blocks,
        address=Address.of("algorithms", name, quantity=chosen),
        lead=f"The newest run of each machine, {len(shown)}{of_all}.",
        above=[("Algorithms", Address.of("algorithms"))],
        data=line_data(lines, quantity, known),
        columns=LINE_COLUMNS,
    )
