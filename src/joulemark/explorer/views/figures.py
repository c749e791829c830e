# SPDX-License-Identifier: Apache-2.0
"""Figures that the reader picks: a chart against message length, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.explorer.charts.base import looks_of
from joulemark.explorer.charts.curve import CAPTION, curve
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.lines import Line
from joulemark.explorer.estimates.quantities import QUANTITIES, Quantity
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import (
    Block,
    Cell,
    Chart,
    Choice,
    Form,
    Heading,
    Notes,
    Page,
    Table,
)
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    MOST_ROWS,
    doubts_of,
    figure_cell,
    hidden_note,
    line_data,
    of_quantity,
    pending_notes,
    run_cell,
    shared_evidence,
    where,
)
from joulemark.explorer.views.picks import Picks
from joulemark.units import format_bytes

__all__ = ["figure_blocks", "figures", "quantity_choice"]

_MOST_SERIES: Final = 16
"""Lines of one picture; the table has all."""
_MOST_MACHINES: Final = 12
"""Of which the newest run is taken where no run is picked."""
_MOST_OPTIONS: Final = 200
"""Of one list of a form: a list of thousands cannot be read."""


def figures(holdings: Holdings, picks: Picks) -> Page:
    """The view of the picks; without an algorithm, of the first one there is."""
    known = holdings.known()
    names = known.algorithms
    algorithms = (
        picks.algorithms
        or tuple(
            dict.fromkeys(
                implementation.partition("/")[0] for implementation in picks.implementations
            )
        )
        or tuple(names)[:1]
    )
    wanted = _runs(holdings, picks, algorithms)
    ready = holdings.ensure(wanted)
    lines = [
        line
        for algorithm in algorithms
        for line in holdings.kept.lines(
            picks.quantity.fields, runs=ready, algorithm=algorithm, sizes_bytes=picks.sizes_bytes
        )
        if not picks.implementations or line.implementation in picks.implementations
    ]
    query = {
        "algorithm": picks.algorithms,
        "implementation": picks.implementations,
        "length": picks.sizes_bytes,
        "machine": picks.machines,
        "run": picks.runs,
        "quantity": picks.quantity.name,
    }
    blocks: list[Block] = [
        _form(holdings, picks, algorithms, lines),
        *pending_notes(holdings, len(wanted) - len(ready)),
        *figure_blocks(holdings, lines, picks.quantity),
    ]
    return Page(
        Address.of("figures", **query),
        "Figures",
        blocks,
        lead=f"{picks.quantity.title} of {', '.join(algorithms) or 'nothing'}; of each machine its "
        "newest run, unless runs are picked.",
        data=line_data(lines, picks.quantity, holdings),
        columns=LINE_COLUMNS,
    )


def _runs(holdings: Holdings, picks: Picks, algorithms: Sequence[str]) -> list[int]:
    if picks.runs:
        return sorted((run for run in picks.runs if holdings.run(run)), reverse=True)
    found = [
        run
        for algorithm in algorithms
        for run in holdings.newest_of_each_machine(algorithm, picks.machines)[:_MOST_MACHINES]
    ]
    return sorted(set(found), reverse=True)


def figure_blocks(
    holdings: Holdings, lines: Sequence[Line], quantity: Quantity, *, title: str = ""
) -> list[Block]:
    """Chart, table and doubts of lines.

    Args:
        holdings: where the lines are from.
        lines: with the figures of `quantity`.
        quantity: what is shown.
        title: of the chart; that of the quantity unless given.
    """
    shown = [line for line in lines if of_quantity(line, quantity) is not None]
    rows, series = _drawn(holdings, shown, quantity)
    looks = looks_of(series)
    description = f"{quantity.title} against message length"
    spec = curve(quantity, rows, looks, description)
    caption = " ".join(filter(None, (CAPTION, quantity.caption)))
    if len(series) == _MOST_SERIES and len(_names(holdings, shown)) > _MOST_SERIES:
        caption += f" The picture has {_MOST_SERIES} lines, those that are lowest at their end."
    table = _table(holdings, shown, quantity)
    blocks: list[Block] = [
        Chart(title or quantity.title, caption, spec, "no line has this figure above zero."),
        table,
    ]
    doubts = doubts_of(shown)
    if doubts:
        blocks.append(Notes("What is doubtful about these figures", doubts, warning=True))
    return blocks


def _key(holdings: Holdings, line: Line) -> tuple[str, ...]:
    """All that may tell a line of a picture from others."""
    known = holdings.known()
    return (
        line.algorithm,
        line.name,
        line.target,
        line.workload,
        known.machines[known.machine_of[line.run]].short,
        f"run {line.run}",
    )


def _names(holdings: Holdings, lines: Sequence[Line]) -> dict[tuple[str, ...], str]:
    """What tells lines of a picture apart -> the name of their series, without what all share."""
    keys = [_key(holdings, line) for line in lines]
    telling = [place for place in range(6) if place == 1 or len({key[place] for key in keys}) > 1]
    if 5 in telling and len({(key[4], key[5]) for key in keys}) == len({key[4] for key in keys}):
        telling.remove(5)  # of each machine one run: its number tells nothing more
    return {
        key: ", ".join([key[1], *(key[place] for place in telling if place != 1)]) for key in keys
    }


def _drawn(
    holdings: Holdings, lines: Sequence[Line], quantity: Quantity
) -> tuple[list[Mapping[str, Any]], dict[str, Line | None]]:
    """Rows of the chart, and what each series shows."""
    known = holdings.known()
    names = _names(holdings, lines)
    rows: dict[str, list[dict[str, Any]]] = {}
    styled: dict[str, Line | None] = {}
    machines = {known.machine_of[line.run] for line in lines}
    for line in lines:
        figure = of_quantity(line, quantity)
        assert figure is not None
        name = names[_key(holdings, line)]
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
                "where": where(line, holdings),
                "run": str(line.run),
                "length": line.length,
                "workload": line.workload,
                "text": quantity.text(figure),
                "samples": str(figure.samples),
            }
        )
    lowest = sorted(rows, key=lambda name: (-rows[name][-1]["size_bytes"], rows[name][-1]["value"]))
    kept = lowest[:_MOST_SERIES]
    return [row for name in kept for row in rows[name]], {name: styled[name] for name in kept}


def _table(holdings: Holdings, lines: Sequence[Line], quantity: Quantity) -> Table:
    ordered = sorted(
        lines,
        key=lambda line: (line.algorithm, line.workload, line.size_bytes, _median(line, quantity)),
    )
    shown = ordered[:MOST_ROWS]
    cells = [figure_cell(quantity, of_quantity(line, quantity)) for line in shown]
    word = shared_evidence(cells)
    several = len({line.workload for line in shown}) > 1
    rows = []
    for line, figure in zip(shown, cells, strict=True):
        history = Address.of(
            "history",
            implementation=line.implementation,
            machine=holdings.known().machine_of[line.run],
        )
        samples = of_quantity(line, quantity)
        rows.append(
            [
                Cell(line.implementation, link=history, doubts=", ".join(line.causes)),
                Cell(line.length, key=line.size_bytes),
                Cell(figure.text, figure.interval, "" if word else figure.evidence, key=figure.key),
                Cell(str(samples.samples) if samples else "-"),
                Cell(where(line, holdings)),
                run_cell(line.run),
                *([Cell(line.workload)] if several else []),
            ]
        )
    headings = [
        Heading("Implementation"),
        Heading("Message", number=True),
        Heading(quantity.title, number=True, evidence=word),
        Heading("Samples", number=True),
        Heading("Machine or target"),
        Heading("Run", number=True),
        *([Heading("Workload")] if several else []),
    ]
    workload = "" if several or not shown else f"Workload: {shown[0].workload}. "
    return Table(
        "Table",
        headings,
        rows,
        caption=f"{workload}Each figure is a median with its 95 % interval.",
        empty="No run that is picked has this figure.",
        notes=hidden_note(len(shown), len(ordered)),
    )


def _median(line: Line, quantity: Quantity) -> float:
    figure = of_quantity(line, quantity)
    return float("inf") if figure is None else figure.median


def quantity_choice(chosen: Quantity) -> Choice:
    """Which quantity."""
    options = [(column.name, column.title) for column in QUANTITIES.values()]
    return Choice("quantity", "Quantity", options, [chosen.name])


def _form(
    holdings: Holdings, picks: Picks, algorithms: Sequence[str], lines: Sequence[Line]
) -> Form:
    known = holdings.known()
    there = sorted({*picks.implementations, *(line.implementation for line in lines)})
    sizes = sorted({*picks.sizes_bytes, *(line.size_bytes for line in lines)})
    return Form(
        "What is shown",
        Address.of("figures"),
        [
            Choice(
                "algorithm",
                "Algorithms",
                [(algorithm, algorithm) for algorithm in known.algorithms],
                algorithms,
                several=True,
            ),
            Choice(
                "implementation",
                "Implementations",
                [("", "all"), *((name, name) for name in there[:_MOST_OPTIONS])],
                picks.implementations or [""],
                several=True,
            ),
            Choice(
                "length",
                "Message lengths",
                [("", "all"), *((str(size), format_bytes(size)) for size in sizes)],
                [*map(str, picks.sizes_bytes)] or [""],
                several=True,
            ),
            Choice(
                "machine",
                "Machines",
                [
                    ("", "all"),
                    *(
                        (machine.slug, machine.short)
                        for machine in list(known.machines.values())[::-1][:_MOST_OPTIONS]
                    ),
                ],
                picks.machines or [""],
                several=True,
            ),
            quantity_choice(picks.quantity),
        ],
    )
