# SPDX-License-Identifier: Apache-2.0
"""Which views are published, and on which runs each depends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.known.index import KnownRuns
from joulemark.explorer.page.address import Address
from joulemark.explorer.views.compare import pair_of_machines
from joulemark.explorer.views.runs import pages_of

__all__ = ["PlannedPage", "plan"]

_MOST_MACHINES: Final = 12
"""Newest machines that are compared with each other: the number of pairs grows as the square."""
_ALL: Final = ("all",)


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page that is published."""

    address: Address
    """The address in links."""
    depends: tuple[str, ...]
    """Contents of the runs that the page depends on, with their machines; `all`: any run changes
    the page."""


def plan(holdings: Holdings) -> Iterator[PlannedPage]:
    """Every page: the lists, and each machine, run, algorithm, history and comparison."""
    known = holdings.known()
    for address in (Address(), Address.of("machines"), Address.of("algorithms"),
                    Address.of("changes"), Address.of("cores")):  # fmt: skip
        yield PlannedPage(address, _ALL)
    for page in range(1, pages_of(len(known.runs)) + 1):
        yield PlannedPage(Address.of("runs", page=page if page > 1 else None), _ALL)
    for slug in known.machines:
        yield PlannedPage(Address.of("machines", slug), _ALL)
    for name, runs in known.algorithms.items():
        contents = _contents(known, runs)
        yield PlannedPage(Address.of("algorithms", name), contents)
        yield PlannedPage(Address.of("targets", algorithm=name), _ALL)
    yield from _histories(known)
    changed = {(change.run, change.before) for change in holdings.estimates.changes()}
    for run in known.runs.values():
        before = tuple(known.before(run))
        own = _contents(known, [run.id])
        contents = (*own, *_contents(known, list(before)))
        yield PlannedPage(Address.of("runs", run.id), contents)
        for name in run.algorithms:
            yield PlannedPage(Address.of("runs", run.id, name), own)
        for earlier in before:
            # Without a change the page of the run says all that there is to say.
            if (run.id, earlier) in changed:
                yield PlannedPage(Address.of("compare", before=earlier, after=run.id), contents)
    yield from _machine_pairs(known)
    yield from _budgets(holdings)


def _histories(known: KnownRuns) -> Iterator[PlannedPage]:
    """The history of each implementation on all machines, and on each machine that has it."""
    for name, numbers in known.implementations.items():
        yield PlannedPage(Address.of("history", implementation=name), _contents(known, numbers))
        by_machine: dict[str, list[int]] = {}
        for number in numbers:
            by_machine.setdefault(known.machine_of[number], []).append(number)
        for slug, of_it in by_machine.items():
            address = Address.of("history", implementation=name, machine=slug)
            yield PlannedPage(address, _contents(known, of_it))


def _machine_pairs(known: KnownRuns) -> Iterator[PlannedPage]:
    for first, second in combinations(list(known.machines)[-_MOST_MACHINES:], 2):
        pair = pair_of_machines(known, first, second)
        if pair is not None and all(known.runs[run].samples for run in pair):
            address = Address.of("compare", before=first, after=second)
            yield PlannedPage(address, _contents(known, list(pair)))


def _budgets(holdings: Holdings) -> Iterator[PlannedPage]:
    """The budget of each usual packet that the store has counts for, and the page that leads on."""
    firmware = holdings.firmware()
    contents = _contents(holdings.known(), [run.id for run in firmware.runs()])
    if firmware.usual:
        yield PlannedPage(Address.of("budget"), contents)
    for protocol, node in firmware.usual:
        yield PlannedPage(Address.of("budget", protocol=protocol, node=node), contents)


def _contents(known: KnownRuns, runs: list[int]) -> tuple[str, ...]:
    # A machine's address changes once an equal machine appears, its name once the user gives one.
    return tuple(
        f"{known.runs[run].content} {known.machine(run).slug} {known.machine(run).name}"
        for run in runs
    )
