# SPDX-License-Identifier: Apache-2.0
"""Machines: all of them, and one with its facts, runs and algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.quantities import DEFAULT_QUANTITY, quantity_named
from joulemark.explorer.page.address import Address
from joulemark.explorer.page.blocks import Block, Cell, Facts, Heading, Notes, Page, Rows, Table
from joulemark.explorer.views.parts import (
    figure_cell,
    moment,
    of_quantity,
    pending_notes,
    run_cell,
    run_table,
    shared_evidence,
)
from joulemark.report.context import environment_facts
from joulemark.report.workload import PREFERRED_SIZE_BYTES
from joulemark.units import format_bytes

__all__ = ["COLUMNS", "machine", "machine_table", "machines"]

COLUMNS = ("machine", "cpu_model", "runs", "first_run", "newest_run", "logical_cpus", "governor",
           "kernel_release")  # fmt: skip
_NEWEST = 20
_MOST_ALGORITHMS = 40
"""Of which the page says who is the fastest."""
_OF_RUNS = {"python_version", "python_implementation", "numpy_version", "scipy_version",
            "joulemark_version", "usable_cpus", "reasons"}  # fmt: skip
"""What the environment says of programs, not of the machine."""


def machines(holdings: Holdings) -> Page:
    """Every machine, that with the newest run first."""
    known = holdings.known()
    slugs = list(known.machines)[::-1]
    lead = "A machine is what must agree for times to be comparable: CPU, settings and kernel."
    return Page(
        Address.of("machines"), "Machines", [machine_table("", slugs, holdings)], lead=lead,
        data=Rows(len(slugs), lambda: _data(slugs, holdings)), columns=COLUMNS,
    )  # fmt: skip


def _data(slugs: Sequence[str], holdings: Holdings) -> list[dict[str, Any]]:
    known = holdings.known()
    rows = []
    for slug in slugs:
        runs = known.newest_first(machine=slug)
        described = known.machines[slug]
        facts = [described.environment.get(name) for name in COLUMNS[-3:]]
        values = (slug, described.name, len(runs), runs[-1].id, runs[0].id, *facts)
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def machine_table(title: str, slugs: Sequence[str], holdings: Holdings) -> Table:
    """Machines with what tells them apart."""
    known = holdings.known()
    counts = Counter(known.machine_of.values())
    newest: dict[str, int] = {slug: run for run, slug in known.machine_of.items()}
    rows = []
    for slug in slugs:
        described = known.machines[slug]
        about = described.environment
        words = [
            f"{about.get('logical_cpus') or '?'} logical CPUs",
            f"governor {about.get('governor') or 'unknown'}",
            f"kernel {about.get('kernel_release') or 'unknown'}",
        ]
        run = known.runs[newest[slug]]
        rows.append(
            (
                Cell(described.short, link=Address.of("machines", slug)),
                Cell(", ".join(words)),
                Cell(str(counts[slug]), key=counts[slug]),
                Cell(moment(run.started_at), small=f"run {run.id}"),
            )
        )
    headings = (Heading("Machine"), Heading("Settings"), Heading("Runs", number=True),
                Heading("Newest run (UTC)"))  # fmt: skip
    return Table(title, headings, rows, empty="There is no machine: the store has no run.")


def machine(holdings: Holdings, slug: str) -> Page | None:
    """One machine; None where there is none of that name."""
    known = holdings.known()
    if slug not in known.machines:
        return None
    described = known.machines[slug]
    runs = known.newest_first(machine=slug)
    newest: dict[str, int] = {}
    for run in runs:
        for name in run.algorithms:
            newest.setdefault(name, run.id)
    table, lacking = _algorithms(holdings, newest, slug)
    facts = {name: value for name, value in described.environment.items() if name not in _OF_RUNS}
    links = [("All its runs", Address.of("runs", machine=slug))]
    others = [other for other in known.machines if other != slug][-1:]
    links += [
        (f"Compare with {known.machines[other].short}",
         Address.of("compare", before=other, after=slug))
        for other in others
    ]  # fmt: skip
    blocks: list[Block] = [
        *pending_notes(holdings, lacking),
        table,
        run_table("Newest runs", runs[:_NEWEST], holdings),
        Notes("More", [], links=links),
        Facts("Facts of its newest run", environment_facts(facts)),
    ]
    return Page(
        Address.of("machines", slug), described.name, blocks,
        lead=f"{len(runs)} {'run' if len(runs) == 1 else 'runs'} of "
        f"{len(newest)} {'algorithm' if len(newest) == 1 else 'algorithms'}.",
        above=[("Machines", Address.of("machines"))],
        data=Rows(1, lambda: _data([slug], holdings)), columns=COLUMNS,
    )  # fmt: skip


def _algorithms(holdings: Holdings, newest: dict[str, int], slug: str) -> tuple[Table, int]:
    """The fastest implementation of each algorithm at 64 bytes; and runs that are not ready."""
    quantity = quantity_named(DEFAULT_QUANTITY)
    shown = dict(sorted(newest.items())[:_MOST_ALGORITHMS])
    wanted = sorted(set(shown.values()), reverse=True)
    ready = holdings.ensure(wanted)
    lines = holdings.kept.lines(
        quantity.fields, runs=ready, sizes_bytes=[PREFERRED_SIZE_BYTES]
    ) if ready else []  # fmt: skip
    rows = []
    for name, run in shown.items():
        rivals = [
            (figure.median, line.name, figure)
            for line in lines
            if line.run == run and line.algorithm == name
            and (figure := of_quantity(line, quantity)) is not None
        ]  # fmt: skip
        best = min(rivals, key=lambda rival: rival[:2], default=None)
        rows.append(
            (
                Cell(name, link=Address.of("algorithms", name)),
                run_cell(run),
                Cell("-" if best is None else best[1]),
                figure_cell(quantity, None if best is None else best[2]),
            )
        )
    word = shared_evidence([row[3] for row in rows])
    headings = (
        Heading("Algorithm"), Heading("Newest run", number=True), Heading("Fastest"),
        Heading(f"{quantity.title} at {format_bytes(PREFERRED_SIZE_BYTES)}", number=True,
                evidence=word),
    )  # fmt: skip
    notes = (
        [f"{len(newest) - len(shown)} more algorithms are in its runs."]
        if len(newest) > len(shown)
        else []
    )
    del slug
    return Table("Algorithms", headings, rows, notes=notes), len(wanted) - len(ready)
