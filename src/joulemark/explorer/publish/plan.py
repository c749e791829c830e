# SPDX-License-Identifier: Apache-2.0
"""Which views are published, and on what content each depends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.known.index import KnownRuns
from joulemark.explorer.page.address import Address
from joulemark.explorer.views.compare import pair_of_machines

__all__ = ["PlannedPage", "plan"]

_MOST_MACHINES: Final = 12
"""Of which each is compared with the others, the newest: pairs grow with the square."""
_ALL: Final = ("all",)


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """One page that is published."""

    address: Address
    """As links name it."""
    depends: tuple[str, ...]
    """Contents of runs with the machines that they are shown on, or `all`: the page changes with
    any run."""


def plan(holdings: Holdings) -> Iterator[PlannedPage]:
    """Every page: one for each machine, run, algorithm, history and comparison, and the lists."""
    known = holdings.known()
    for address in (Address(), Address.of("machines"), Address.of("algorithms"),
                    Address.of("changes"), Address.of("cores")):  # fmt: skip
        yield PlannedPage(address, _ALL)
    yield from _run_lists(known)
    for slug in known.machines:
        yield PlannedPage(Address.of("machines", slug), _ALL)
    for name, runs in known.algorithms.items():
        contents = _contents(known, runs)
        yield PlannedPage(Address.of("algorithms", name), contents)
        yield PlannedPage(Address.of("targets", algorithm=name), _ALL)
    yield from _histories(known)
    changed = {(change.run, change.before) for change in holdings.kept.changes()}
    for run in known.runs.values():
        before = tuple(known.before(run))
        own = _contents(known, [run.id])
        contents = (*own, *_contents(known, list(before)))
        yield PlannedPage(Address.of("runs", run.id), contents)
        for name in run.algorithms:
            yield PlannedPage(Address.of("runs", run.id, name), own)
        for earlier in before:
            # Of the others the page of the run has said that nothing changed.
            if (run.id, earlier) not in changed:
                continue
            yield PlannedPage(Address.of("compare", before=earlier, after=run.id), contents)
    yield from _machine_pairs(holdings, known)
    yield from _budgets(holdings)


def _run_lists(known: KnownRuns) -> Iterator[PlannedPage]:
    pages = max(1, -(-len(known.runs) // 50))
    for page in range(1, pages + 1):
        yield PlannedPage(Address.of("runs", page=page if page > 1 else None), _ALL)


def _histories(known: KnownRuns) -> Iterator[PlannedPage]:
    """Of each implementation on all machines, and on each machine that has it more than once."""
    for name, numbers in known.implementations.items():
        yield PlannedPage(Address.of("history", implementation=name), _contents(known, numbers))
        by_machine: dict[str, list[int]] = {}
        for number in numbers:
            by_machine.setdefault(known.machine_of[number], []).append(number)
        for slug, of_it in by_machine.items():
            address = Address.of("history", implementation=name, machine=slug)
            yield PlannedPage(address, _contents(known, of_it))


def _machine_pairs(holdings: Holdings, known: KnownRuns) -> Iterator[PlannedPage]:
    newest = list(known.machines)[-_MOST_MACHINES:]
    for place, first in enumerate(newest):
        for second in newest[place + 1 :]:
            pair = pair_of_machines(holdings, first, second)
            if pair is not None and all(known.runs[run].samples for run in pair):
                address = Address.of("compare", before=first, after=second)
                yield PlannedPage(address, _contents(known, list(pair)))


def _budgets(holdings: Holdings) -> Iterator[PlannedPage]:
    """Of each usual packet that the store has counts for, and the first of them as the way in."""
    firmware = holdings.firmware()
    addresses = [
        Address.of("budget", protocol=protocol, node=node) for protocol, node in firmware.usual
    ]
    contents = _contents(holdings.known(), [run.id for run in firmware.runs()])
    for address in (*([Address.of("budget")] if addresses else []), *addresses):
        yield PlannedPage(address, contents)


def _contents(known: KnownRuns, runs: list[int]) -> tuple[str, ...]:
    # A machine has another address once an equal one is there, and another name once it is given.
    machines = [known.machines[known.machine_of[run]] for run in runs]
    return tuple(
        f"{known.runs[run].content} {machine.slug} {machine.name}"
        for run, machine in zip(runs, machines, strict=True)
    )
