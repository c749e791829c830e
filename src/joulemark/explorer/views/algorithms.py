# SPDX-License-Identifier: Apache-2.0
"""Algorithms: the list, and the page of an algorithm with the newest run of each machine."""

from __future__ import annotations

from typing import Any, Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.lines import DEFAULT_QUANTITY, QUANTITIES, quantity_named
from joulemark.explorer.page.blocks import Page, Rows
from joulemark.explorer.views.figures import figure_blocks
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    line_data,
    moment,
    pending_notes,
    run_cell,
)
from joulemark.explorer.views.picks import Query, one_of
from joulemark.report.sheet import Address, Cell, Heading, Notes, Part, Table

COLUMNS: Final = ("algorithm", "runs", "machines", "implementations", "newest_run")
_MOST_MACHINES: Final = 6
_MOST_LINKS: Final = 28


def algorithms(holdings: Holdings) -> Page:
    """The list of every algorithm that some run has trials of."""
    known = holdings.known()
    rows, data = [], list[dict[str, Any]]()
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
    shown = wanted[:_MOST_MACHINES]
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
