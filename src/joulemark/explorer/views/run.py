# SPDX-License-Identifier: Apache-2.0
"""A run: its own page, and the page of one of its algorithms with chart and table."""

from __future__ import annotations

from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.lines import (
    BUILD_FACTS,
    DEFAULT_QUANTITY,
    QUANTITIES,
    quantity_named,
)
from joulemark.explorer.page.blocks import Page
from joulemark.explorer.views.figures import figure_blocks
from joulemark.explorer.views.history import change_table
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    fastest,
    line_data,
    moment,
    observed,
    pending_notes,
    preferred_size,
)
from joulemark.explorer.views.picks import Query, one_of
from joulemark.report.context import environment_facts, setting_facts
from joulemark.report.sheet import Address, Cell, Facts, Heading, Notes, Part, Table
from joulemark.units import format_bytes

_CLOCKS: Final = "clocks_per_message"


def run(holdings: Holdings, number: int) -> Page | None:
    """The page of a run; None if there is none of that number."""
    known = holdings.known()
    outline = known.runs.get(number)
    if outline is None:
        return None
    machine = known.machine(number)
    ready = holdings.ensure([number])
    details = holdings.estimates.details(number) if ready else None
    quantity = QUANTITIES[DEFAULT_QUANTITY]
    lines = holdings.estimates.lines([*quantity.fields, _CLOCKS], runs=ready)
    blocks: list[Part] = [*pending_notes(holdings, 0 if ready else 1)]
    if details is not None and details.warnings:
        blocks.append(Notes("Before you read the figures", details.warnings, warning=True))
    rows = []
    for name in outline.algorithms:
        of_it = [line for line in lines if line.algorithm == name]
        size = preferred_size({line.size_bytes for line in of_it})
        of_size = [line for line in of_it if line.size_bytes == size]
        implementation, figure = fastest(of_size, (quantity, QUANTITIES[_CLOCKS]))
        rows.append(
            (
                Cell(name, link=Address.of("runs", number, name)),
                Cell(str(len({line.implementation for line in of_it}))),
                implementation,
                Cell(format_bytes(size) if of_it else "-"),
                figure,
            )
        )
    headings = (
        Heading("Algorithm"),
        Heading("Implementations", number=True),
        Heading("Fastest measured"),
        Heading("at", number=True),
        Heading("Time or clocks per message", number=True),
    )
    blocks.append(Table("Algorithms", headings, rows, empty="Nothing was observed in this run."))
    blocks += _judgements(holdings, number)
    if details is not None:
        blocks += _failures(details.failures)
        environment = environment_facts(details.context.get("environment", {}))
        blocks += [
            Facts("The run", setting_facts(details.context.get("run", {}))),
            Facts("Machine", environment, closed=True),
            _builds(details.implementations),
        ]
    finished = "finished" if outline.finished_at else "not finished"
    state = "published" if outline.published else finished
    return Page(
        f"Run {number}",
        blocks,
        address=Address.of("runs", number),
        lead=f"Started {moment(outline.started_at)} UTC on {machine.name}, {state}; "
        f"{observed(outline)}.",
        above=[("Runs", Address.of("runs")), (machine.short, Address.of("machines", machine.slug))],
        data=line_data(lines, quantity, known),
        columns=LINE_COLUMNS,
    )


def _judgements(holdings: Holdings, number: int) -> list[Part]:
    blocks: list[Part] = [
        Notes(
            f"Against run {before}: {answer}",
            reasons,
            links=[("Compare the two", Address.of("compare", before=before, after=number))],
        )
        for before, answer, reasons in holdings.estimates.gates_of(number)
    ]
    changes = holdings.estimates.changes(run=number)
    if changes:
        blocks.append(change_table("Changes against earlier runs", changes, holdings, ""))
    return blocks


def _failures(failures: list[list[object]]) -> list[Part]:
    if not failures:
        return []
    rows = [
        (
            Cell(str(name)),
            Cell(str(kind)),
            Cell(str(reason)),
            Cell("all" if size is None else f"{size} B"),
        )
        for name, kind, reason, size in failures
    ]
    headings = (Heading("Implementation"), Heading("Kind"), Heading("Reason"), Heading("Message"))
    return [Table("Without a figure", headings, rows)]


def _builds(implementations: dict[str, dict[str, str]]) -> Table:
    rows = [
        (Cell(name), *(Cell(about.get(key, "")) for key in BUILD_FACTS))
        for name, about in implementations.items()
    ]
    headings = (
        Heading("Implementation"),
        Heading("Provider"),
        Heading("Version"),
        Heading("Compiler"),
        Heading("Flags"),
    )
    return Table("How they were built", headings, rows)


def run_algorithm(holdings: Holdings, number: int, algorithm: str, query: Query) -> Page | None:
    """The page of an algorithm of a run; None if the run has none of that name."""
    known = holdings.known()
    outline = known.runs.get(number)
    if outline is None or algorithm not in outline.algorithms:
        return None
    ready = holdings.ensure([number])
    there = [QUANTITIES[field] for field in holdings.estimates.fields_of(algorithm, ready)]
    usual = QUANTITIES[DEFAULT_QUANTITY]
    usual = usual if usual in there or not there else there[0]
    name = one_of(query, "quantity")
    quantity = usual if name is None else quantity_named(name)
    lines = holdings.estimates.lines(quantity.fields, runs=ready, algorithm=algorithm)
    links = [
        (column.title, Address.of("runs", number, algorithm, quantity=column.name))
        for column in there
        if column is not quantity
    ]
    blocks: list[Part] = [
        *pending_notes(holdings, 0 if ready else 1),
        *figure_blocks(holdings, lines, quantity),
        Notes("Other quantities", [], links=links),
    ]
    chosen = None if quantity is usual else quantity.name
    return Page(
        f"{algorithm} in run {number}",
        blocks,
        address=Address.of("runs", number, algorithm, quantity=chosen),
        lead=f"Started {moment(outline.started_at)} UTC on {known.machine(number).name}.",
        above=[("Runs", Address.of("runs")), (f"Run {number}", Address.of("runs", number))],
        data=line_data(lines, quantity, known),
        columns=LINE_COLUMNS,
    )
