# SPDX-License-Identifier: Apache-2.0
"""The list of runs, and the page of a run."""

from __future__ import annotations

import math
from typing import Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates import BUILD_FACTS, DEFAULT_QUANTITY, QUANTITIES, quantity_named
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownMachine, KnownRuns
from joulemark.explorer.views import Form, Page, Query, Rows, one_of, whole
from joulemark.explorer.views.figures import figure_blocks
from joulemark.explorer.views.history import change_table
from joulemark.explorer.views.parts import (
    LINE_COLUMNS,
    all_or_some,
    fastest,
    line_data,
    moment,
    observed,
    pending_notes,
    preferred_size,
    run_table,
)
from joulemark.report import Address, Cell, Facts, Heading, JsonObject, Notes, Part, Table
from joulemark.report.circumstances import environment_facts, setting_facts
from joulemark.store.reading import RunOutline
from joulemark.units import format_bytes, format_count

COLUMNS: Final = (
    "run",
    "started_at",
    "finished_at",
    "machine",
    "cpu_model",
    "joulemark_version",
    "algorithms",
    "trials",
    "samples",
    "simulated",
    "failures",
    "published",
)
_OF_A_PAGE: Final = 50


def pages_of(count: int) -> int:
    """How many pages a list of so many runs has, at least one."""
    return max(1, math.ceil(count / _OF_A_PAGE))


def runs(holdings: Holdings, query: Query) -> Page:
    """A page of the list: runs of a machine, of an algorithm, of both, or all."""
    known = holdings.known()
    machine, algorithm = one_of(query, "machine"), one_of(query, "algorithm")
    if machine is not None and machine not in known.machines:
        raise UsageError("machine: there is none of that name; the page Machines lists them")
    if algorithm is not None and algorithm not in known.algorithms:
        raise UsageError("algorithm: no run has it; the page Algorithms lists those that are there")
    found = known.newest_first(machine=machine, algorithm=algorithm)
    pages = pages_of(len(found))
    page = whole(one_of(query, "page") or "1", "page")
    if not 1 <= page <= pages:
        raise UsageError(f"page: give a number from 1 to {pages}")
    shown = found[(page - 1) * _OF_A_PAGE : page * _OF_A_PAGE]

    def address(number: int) -> Address:
        return Address.of(
            "runs", machine=machine, algorithm=algorithm, page=number if number > 1 else None
        )

    steps = [("Newer runs", address(page - 1))] * (page > 1)
    steps += [("Older runs", address(page + 1))] * (page < pages)
    blocks: list[Part] = [
        _form(known, machine, algorithm),
        run_table("", shown, holdings),
        Notes("", [], links=steps),
    ]
    return Page(
        "Runs",
        blocks,
        address=address(page),
        lead=f"{format_count(len(found), 'run')}, page {page} of {pages}.",
        data=Rows(len(found), lambda: [_data(run, known.machine(run.id)) for run in found]),
        columns=COLUMNS,
    )


def _form(known: KnownRuns, machine: str | None, algorithm: str | None) -> Form:
    machines = [(stored.slug, stored.short) for stored in known.machines.values()]
    algorithms = [(name, name) for name in known.algorithms]
    return Form(
        "Which runs",
        Address.of("runs"),
        [
            all_or_some("machine", "Machine", machines, [machine]),
            all_or_some("algorithm", "Algorithm", algorithms, [algorithm]),
        ],
    )


def _data(run: RunOutline, machine: KnownMachine) -> JsonObject:
    values = (
        run.id,
        run.started_at.isoformat(),
        run.finished_at.isoformat() if run.finished_at else None,
        machine.slug,
        machine.name,
        run.joulemark_version,
        " ".join(run.algorithms),
        len(run.trials),
        run.samples,
        run.simulated,
        run.failures,
        run.published,
    )
    return dict(zip(COLUMNS, values, strict=True))


# A run: its own page, and the page of one of its algorithms with chart and table.

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
    changes = holdings.estimates.changes(runs=[number])
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
