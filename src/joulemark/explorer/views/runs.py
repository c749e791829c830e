# SPDX-License-Identifier: Apache-2.0
"""Runs: the list, the newest first, in pages of fifty."""

from __future__ import annotations

import math
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.known.index import KnownRuns
from joulemark.explorer.known.machines import KnownMachine
from joulemark.explorer.page.blocks import Form, Page, Rows
from joulemark.explorer.views.parts import all_or_some, run_table
from joulemark.explorer.views.picks import Query, one_of, whole
from joulemark.report.sheet import Address, Notes, Part
from joulemark.store.reading import RunOutline
from joulemark.units import format_count

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
            all_or_some("machine", "KnownMachine", machines, [machine]),
            all_or_some("algorithm", "Algorithm", algorithms, [algorithm]),
        ],
    )


def _data(run: RunOutline, machine: KnownMachine) -> dict[str, Any]:
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
