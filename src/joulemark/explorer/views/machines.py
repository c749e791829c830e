# SPDX-License-Identifier: Apache-2.0
"""The first page, and the pages of machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from joulemark.catalogue import by_use
from joulemark.explorer.estimates import DEFAULT_QUANTITY, QUANTITIES
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownMachine, KnownRuns
from joulemark.explorer.views import Page, Rows
from joulemark.explorer.views.figures import figure_blocks
from joulemark.explorer.views.history import change_table
from joulemark.explorer.views.parts import fastest, moment, pending_notes, run_cell, run_table
from joulemark.report import (
    Address,
    Cell,
    Chart,
    Facts,
    Heading,
    JsonObject,
    Notes,
    Part,
    Table,
    shared_evidence,
)
from joulemark.report.circumstances import environment_facts
from joulemark.report.words import PREFERRED_SIZE_BYTES
from joulemark.units import format_bytes, format_count

COLUMNS = (
    "machine",
    "cpu_model",
    "runs",
    "first_run",
    "newest_run",
    "logical_cpus",
    "governor",
    "kernel_release",
)
# The first page: counts of the store, the newest runs, changes and machines.

_NEWEST = 20
_MOST_MACHINES: Final = 4
"""Machines of which the first page shows the newest run of an algorithm."""
_MOST_ALGORITHMS = 40
"""Most algorithms of which the page shows the fastest implementation."""
_OF_RUNS = {
    "python_version",
    "python_implementation",
    "numpy_version",
    "scipy_version",
    "joulemark_version",
    "usable_cpus",
    "cpu_quota",
    "reasons",
}
"""Facts of the environment that are about a run, not about its machine."""


def machines(holdings: Holdings) -> Page:
    """The list of machines, the one with the newest run first."""
    known = holdings.known()
    shown = list(known.machines.values())[::-1]
    lead = "A machine is what must agree for times to be comparable: CPU, settings and kernel."
    return Page(
        "Machines",
        [machine_table("", shown, known)],
        address=Address.of("machines"),
        lead=lead,
        data=Rows(len(shown), lambda: [_data(machine, known) for machine in shown]),
        columns=COLUMNS,
    )


def _data(machine: KnownMachine, known: KnownRuns) -> JsonObject:
    runs = known.newest_first(machine=machine.slug)
    facts = [machine.environment.get(name) for name in COLUMNS[-3:]]
    values = (machine.slug, machine.name, len(runs), runs[-1].id, runs[0].id, *facts)
    return dict(zip(COLUMNS, values, strict=True))


def machine_table(title: str, shown: Sequence[KnownMachine], known: KnownRuns) -> Table:
    """A table of machines with the settings that tell them apart."""
    counts = Counter(known.machine_of.values())
    newest: dict[str, int] = {slug: run for run, slug in known.machine_of.items()}
    rows = []
    for machine in shown:
        facts = machine.environment
        settings = [
            f"{facts.get('logical_cpus') or '?'} logical CPUs",
            f"governor {facts.get('governor') or 'unknown'}",
            f"kernel {facts.get('kernel_release') or 'unknown'}",
        ]
        run, count = known.runs[newest[machine.slug]], counts[machine.slug]
        rows.append(
            (
                Cell(machine.short, link=Address.of("machines", machine.slug)),
                Cell(", ".join(settings)),
                Cell(str(count), key=count),
                Cell(moment(run.started_at), small=f"run {run.id}"),
            )
        )
    headings = (
        Heading("Machine"),
        Heading("Settings"),
        Heading("Runs", number=True),
        Heading("Newest run (UTC)"),
    )
    return Table(title, headings, rows, empty="There is no machine: the store has no run.")


def machine(holdings: Holdings, slug: str) -> Page | None:
    """The page of a machine; None if there is none of that name."""
    known = holdings.known()
    described = known.machines.get(slug)
    if described is None:
        return None
    runs = known.newest_first(machine=slug)
    newest: dict[str, int] = {}
    for run in runs:
        for name in run.algorithms:
            newest.setdefault(name, run.id)
    table, lacking = fastest_of_each(holdings, newest)
    facts = {name: value for name, value in described.environment.items() if name not in _OF_RUNS}
    links = [("All its runs", Address.of("runs", machine=slug))]
    links += [
        (f"Compare with {other.short}", Address.of("compare", before=other.slug, after=slug))
        for other in [other for other in known.machines.values() if other.slug != slug][-1:]
    ]
    blocks: list[Part] = [
        *pending_notes(holdings, lacking),
        table,
        run_table("Newest runs", runs[:_NEWEST], holdings),
        Notes("More", [], links=links),
        Facts("Facts of its newest run", environment_facts(facts)),
    ]
    return Page(
        described.name,
        blocks,
        address=Address.of("machines", slug),
        lead=f"{format_count(len(runs), 'run')} of {format_count(len(newest), 'algorithm')}.",
        above=[("Machines", Address.of("machines"))],
        data=Rows(1, lambda: [_data(described, known)]),
        columns=COLUMNS,
    )


def fastest_of_each(
    holdings: Holdings, newest: dict[str, int], first: int = 0
) -> tuple[Table, int]:
    """The fastest implementation of each algorithm at 64 bytes.

    Args:
        holdings: the store.
        newest: algorithm -> the run that is shown.
        first: rows that are shown until the reader opens the others; 0: all.

    Returns:
        The table, and the number of runs that are not yet estimated.
    """
    quantity = QUANTITIES[DEFAULT_QUANTITY]
    shown = {name: newest[name] for name in by_use(newest)[:_MOST_ALGORITHMS]}
    wanted = sorted(set(shown.values()), reverse=True)
    ready = holdings.ensure(wanted)
    lines = holdings.estimates.lines(
        quantity.fields, runs=ready, sizes_bytes=[PREFERRED_SIZE_BYTES]
    )
    rows = []
    for name, run in shown.items():
        of_it = [line for line in lines if line.run == run and line.algorithm == name]
        link = Address.of("algorithms", name)
        rows.append((Cell(name, link=link), run_cell(run), *fastest(of_it, [quantity])))
    word = shared_evidence([row[3] for row in rows])
    headings = (
        Heading("Algorithm"),
        Heading("Newest run", number=True),
        Heading("Fastest measured"),
        Heading(
            f"{quantity.title} at {format_bytes(PREFERRED_SIZE_BYTES)}", number=True, evidence=word
        ),
    )
    hidden = len(newest) - len(shown)
    notes = [f"The page Algorithms has {hidden} more."] if hidden else []
    table = Table("The fastest of each algorithm", headings, rows, notes=notes, first=first)
    return table, len(wanted) - len(ready)


_FIRST_ROWS: Final = 10


def _most_measured(holdings: Holdings, name: str) -> list[Part]:
    """The times of an algorithm in the newest run of each machine, and links to all figures."""
    quantity = QUANTITIES[DEFAULT_QUANTITY]
    ready = holdings.ensure(holdings.newest_of_each_machine(name)[:_MOST_MACHINES])
    lines = holdings.estimates.lines(quantity.fields, runs=ready, algorithm=name)
    parts = figure_blocks(holdings, lines, quantity)
    charts = [part for part in parts if isinstance(part, Chart)]
    links = [
        (f"All figures of {name}", Address.of("algorithms", name)),
        ("Other algorithms", Address.of("algorithms")),
    ]
    titled = [replace(chart, title=f"{name}: {quantity.title.lower()}") for chart in charts]
    return [*titled, Notes("", [], links=links)]


def home(holdings: Holdings) -> Page:
    """The first page."""
    known = holdings.known()
    reports = len(holdings.cores())
    counts = (
        format_count(len(known.machines), "machine"),
        format_count(len(known.runs), "run"),
        format_count(len(known.algorithms), "algorithm"),
        f"{reports} {'report of a core' if reports == 1 else 'reports of cores'}",
    )
    newest = {name: numbers[-1] for name, numbers in known.algorithms.items()}
    figures: list[Part] = []
    if newest:
        table, _ = fastest_of_each(holdings, newest, _FIRST_ROWS)
        figures = [*_most_measured(holdings, known.most_measured), table]
    changes = holdings.changes(most=200)
    flagged = [change for change in changes if change.flagged][:_FIRST_ROWS]
    blocks: list[Part] = [
        *pending_notes(holdings, holdings.pending()),
        *figures,
        run_table("Newest runs", known.newest_first()[:_FIRST_ROWS], holdings),
        change_table(
            "Newest changes that the gate flags",
            flagged,
            holdings,
            "No run is slower than the run before it.",
        ),
        machine_table("Machines with the newest runs", known.newest_machines(_FIRST_ROWS), known),
    ]
    return Page(
        "What authentication costs", blocks, address=Address(), lead=f"{', '.join(counts)}."
    )
