# SPDX-License-Identifier: Apache-2.0
"""One run: what it says of itself, and one of its algorithms with chart and table."""

from __future__ import annotations

from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.quantities import (
    DEFAULT_QUANTITY,
    QUANTITIES,
    Quantity,
    quantity_named,
)
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Block, Cell, Facts, Heading, Notes, Page, Table
from joulemark.explorer.views.changes import change_table
from joulemark.explorer.views.figures import figure_blocks
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    figure_cell,
    line_data,
    moment,
    observed,
    of_quantity,
    pending_notes,
)
from joulemark.explorer.views.picks import Query, one_of
from joulemark.report.context import environment_facts, setting_facts
from joulemark.units import format_bytes

__all__ = ["run", "run_algorithm"]

_CLOCKS: Final = "clocks_per_message"


def run(holdings: Holdings, number: int) -> Page | None:
    """One run; None where there is none of that number."""
    outline = holdings.run(number)
    if outline is None:
        return None
    known = holdings.known()
    machine = known.machines[known.machine_of[number]]
    ready = holdings.ensure([number])
    details = holdings.kept.details(number) if ready else None
    quantity = quantity_named(DEFAULT_QUANTITY)
    lines = holdings.kept.lines([*quantity.fields, _CLOCKS], runs=[number]) if ready else []
    blocks: list[Block] = [*pending_notes(holdings, 0 if ready else 1)]
    if details is not None and details.warnings:
        blocks.append(Notes("Before you read the figures", details.warnings, warning=True))
    rows = []
    for name in outline.algorithms:
        of_it = [line for line in lines if line.algorithm == name]
        size = _size({line.size_bytes for line in of_it})
        rivals = [
            (figure.median, line.name, figure, kind)
            for line in of_it
            if line.size_bytes == size
            for kind in (quantity, QUANTITIES[_CLOCKS])
            if (figure := of_quantity(line, kind)) is not None
        ]
        best = min(rivals, key=lambda rival: (rival[3] is not quantity, *rival[:2]), default=None)
        rows.append(
            (
                Cell(name, link=Address.of("runs", number, name)),
                Cell(str(len({line.implementation for line in of_it}))),
                Cell("-" if best is None else best[1]),
                Cell("-" if size is None else format_bytes(size)),
                Cell("-") if best is None else figure_cell(best[3], best[2]),
            )
        )
    headings = (
        Heading("Algorithm"), Heading("Implementations", number=True), Heading("Fastest"),
        Heading("at", number=True), Heading("Time or clocks per message", number=True),
    )  # fmt: skip
    blocks.append(Table("Algorithms", headings, rows, empty="Nothing was observed in this run."))
    blocks += _judged(holdings, number)
    if details is not None:
        blocks += _failures(details.failures)
        facts = {**details.context.get("run", {})}
        blocks += [
            Facts("The run", list(setting_facts(facts))),
            Facts(
                "Machine", environment_facts(details.context.get("environment", {})), closed=True
            ),
            _built(details.implementations),
        ]
    finished = "finished" if outline.finished_at else "not finished"
    state = "published" if outline.published else finished
    return Page(
        Address.of("runs", number), f"Run {number}", blocks,
        lead=f"Started {moment(outline.started_at)} UTC on {machine.name}, {state}; "
        f"{observed(outline)}.",
        above=[("Runs", Address.of("runs")), (machine.short, Address.of("machines", machine.slug))],
        data=line_data(lines, quantity, holdings), columns=LINE_COLUMNS,
    )  # fmt: skip


def _size(sizes: set[int]) -> int | None:
    """64 bytes where it was asked for, else the shortest."""
    return 64 if 64 in sizes else min(sizes, default=None)


def _judged(holdings: Holdings, number: int) -> list[Block]:
    blocks: list[Block] = []
    for before, answer, reasons in holdings.kept.gates_of(number):
        blocks.append(
            Notes(
                f"Against run {before}: {answer}",
                reasons,
                links=[("Compare the two", Address.of("compare", before=before, after=number))],
            )
        )
    found = holdings.kept.changes(run=number)
    if found:
        blocks.append(change_table("Changes against earlier runs", found, holdings, ""))
    return blocks


def _failures(failures: list[list[object]]) -> list[Block]:
    if not failures:
        return []
    rows = [
        (Cell(str(name)), Cell(str(kind)), Cell(str(reason)),
         Cell("all" if size is None else f"{size} B"))
        for name, kind, reason, size in failures
    ]  # fmt: skip
    headings = (Heading("Implementation"), Heading("Kind"), Heading("Reason"), Heading("Message"))
    return [Table("Without a figure", headings, rows)]


def _built(implementations: dict[str, dict[str, str]]) -> Table:
    names = ("provider", "library_version", "compiler", "flags")
    rows = [
        (Cell(name), *(Cell(about.get(key, "")) for key in names))
        for name, about in implementations.items()
    ]
    headings = (Heading("Implementation"), Heading("Provider"), Heading("Version"),
                Heading("Compiler"), Heading("Flags"))  # fmt: skip
    return Table("How they were built", headings, rows)


def run_algorithm(holdings: Holdings, number: int, algorithm: str, query: Query) -> Page | None:
    """One algorithm of a run; None where the run has none of that name.

    Raises:
        UsageError: the quantity is none.
    """
    outline = holdings.run(number)
    if outline is None or algorithm not in outline.algorithms:
        return None
    known = holdings.known()
    machine = known.machines[known.machine_of[number]]
    ready = holdings.ensure([number])
    there = [
        QUANTITIES[name] for name in holdings.kept.fields_of(algorithm, ready) if name in QUANTITIES
    ] if ready else []  # fmt: skip
    quantity = _asked(one_of(query, "quantity"), there)
    lines = (
        holdings.kept.lines(quantity.fields, runs=[number], algorithm=algorithm) if ready else []
    )
    links = [
        (column.title, Address.of("runs", number, algorithm, quantity=column.name))
        for column in there
        if column is not quantity
    ]
    blocks: list[Block] = [
        *pending_notes(holdings, 0 if ready else 1),
        *figure_blocks(holdings, lines, quantity),
        Notes("Other quantities", [], links=links),
    ]
    chosen = None if quantity is _asked(None, there) else quantity.name
    return Page(
        Address.of("runs", number, algorithm, quantity=chosen),
        f"{algorithm} in run {number}",
        blocks,
        lead=f"Started {moment(outline.started_at)} UTC on {machine.name}.",
        above=[("Runs", Address.of("runs")), (f"Run {number}", Address.of("runs", number))],
        data=line_data(lines, quantity, holdings),
        columns=LINE_COLUMNS,
    )


def _asked(name: str | None, there: list[Quantity]) -> Quantity:
    """The quantity of the address, else time, else the first there is."""
    if name is not None:
        return quantity_named(name)
    default = quantity_named(DEFAULT_QUANTITY)
    return default if default in there or not there else there[0]
