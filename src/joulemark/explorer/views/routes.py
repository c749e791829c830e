# SPDX-License-Identifier: Apache-2.0
"""The views: the addresses of each, and which of its pages are published. A view is a line here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.estimates.known import KnownRuns
from joulemark.explorer.views import Page, Picks, Query, whole
from joulemark.explorer.views.budget import budget
from joulemark.explorer.views.compare import compare, pair_of_machines
from joulemark.explorer.views.cores import cores
from joulemark.explorer.views.figures import algorithm, algorithms, figures
from joulemark.explorer.views.history import changes, history
from joulemark.explorer.views.machines import home, machine, machines
from joulemark.explorer.views.runs import pages_of, run, run_algorithm, runs
from joulemark.explorer.views.targets import targets
from joulemark.report import Address

ALL_RUNS: Final = ("all",)
"""What a page depends on that any run changes."""
_MOST_MACHINES: Final = 12
"""Newest machines that are compared with each other: the number of pairs grows as the square."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page that is published."""

    address: Address
    """The address in links."""
    depends: tuple[str, ...] = ALL_RUNS
    """Contents of the runs that the page depends on, with their machines."""
    same_as: Address | None = None
    """Another planned page that shows the same, and stands for this one."""


# Which pages of each view are published, and on which runs each of them depends.


def _nothing(_holdings: Holdings) -> Iterator[PlannedPage]:
    """No page: the view answers questions, of which a folder of files has no end."""
    yield from ()


def _only(*path: str) -> Callable[[Holdings], Iterator[PlannedPage]]:
    """One page, which any run changes."""
    return lambda _holdings: iter([PlannedPage(Address.of(*path))])


def _machines(holdings: Holdings) -> Iterator[PlannedPage]:
    yield PlannedPage(Address.of("machines"))
    for slug in holdings.known().machines:
        yield PlannedPage(Address.of("machines", slug))


def _runs(holdings: Holdings) -> Iterator[PlannedPage]:
    """The list in parts, each run, and each algorithm of a run."""
    known = holdings.known()
    for page in range(1, pages_of(len(known.runs)) + 1):
        yield PlannedPage(Address.of("runs", page=page if page > 1 else None))
    for of_run in known.runs.values():
        own = _contents(known, [of_run.id])
        contents = (*own, *_contents(known, known.before(of_run)))
        yield PlannedPage(Address.of("runs", of_run.id), contents)
        for name in of_run.algorithms:
            yield PlannedPage(Address.of("runs", of_run.id, name), own)


def _algorithms(holdings: Holdings) -> Iterator[PlannedPage]:
    known = holdings.known()
    yield PlannedPage(Address.of("algorithms"))
    for name, numbers in known.algorithms.items():
        yield PlannedPage(Address.of("algorithms", name), _contents(known, numbers))


def _comparisons(holdings: Holdings) -> Iterator[PlannedPage]:
    """Each run with those before it from which it differs, and the machines in pairs."""
    known = holdings.known()
    changed = {(change.run, change.before) for change in holdings.changes()}
    with_changes = {number for number, _ in changed}
    for of_run in known.runs.values():
        if of_run.id not in with_changes:
            continue
        before = tuple(known.before(of_run))
        contents = _contents(known, [of_run.id, *before])
        for earlier in before:
            # Without a change the page of the run says all that there is to say.
            if (of_run.id, earlier) in changed:
                address = Address.of("compare", before=earlier, after=of_run.id)
                yield PlannedPage(address, contents)
    for first, second in combinations(list(known.machines)[-_MOST_MACHINES:], 2):
        pair = pair_of_machines(known, first, second)
        if pair is not None and all(known.runs[number].samples for number in pair):
            address = Address.of("compare", before=first, after=second)
            yield PlannedPage(address, _contents(known, pair))


def _histories(holdings: Holdings) -> Iterator[PlannedPage]:
    """The history of each implementation on all machines, and on each machine that has it."""
    known = holdings.known()
    for name, numbers in known.implementations.items():
        yield PlannedPage(Address.of("history", implementation=name), _contents(known, numbers))
        by_machine: dict[str, list[int]] = {}
        for number in numbers:
            by_machine.setdefault(known.machine_of[number], []).append(number)
        alone = Address.of("history", implementation=name) if len(by_machine) == 1 else None
        for slug, of_it in by_machine.items():
            address = Address.of("history", implementation=name, machine=slug)
            yield PlannedPage(address, _contents(known, of_it), alone)


def _targets(holdings: Holdings) -> Iterator[PlannedPage]:
    known = holdings.known()
    cores = tuple(json.dumps(core.model_dump(mode="json")) for core in holdings.cores())
    for name, numbers in known.algorithms.items():
        contents = _contents(known, numbers)
        yield PlannedPage(Address.of("targets", algorithm=name), (*contents, *cores))


def _budgets(holdings: Holdings) -> Iterator[PlannedPage]:
    """The budget of each usual packet that the store has counts for, and the page that leads on."""
    firmware = holdings.firmware()
    contents = _contents(holdings.known(), [of_run.id for of_run in firmware.runs()])
    if firmware.usual:
        yield PlannedPage(Address.of("budget"), contents)
    for protocol, node in firmware.usual:
        yield PlannedPage(Address.of("budget", protocol=protocol, node=node), contents)


def _contents(known: KnownRuns, numbers: Iterable[int]) -> tuple[str, ...]:
    # A machine's address changes once an equal machine appears, its name once the user gives one.
    return tuple(
        f"{known.runs[number].content} {known.machine(number).slug} {known.machine(number).name}"
        for number in numbers
    )


# The table.


@dataclass(frozen=True, slots=True)
class View:
    """A kind of page."""

    title: str
    """In the line at the top of each page."""
    page: Callable[[Holdings, Query], Page]
    """The page of the address that has the view's name alone."""
    published: Callable[[Holdings], Iterator[PlannedPage]] = _nothing
    of_thing: Callable[[Holdings, str, Query], Page | None] | None = None
    """The page of an address with one name behind that of the view; None: no such thing."""


VIEWS: Final[Mapping[str, View]] = {
    "": View("Overview", lambda holdings, _: home(holdings), _only()),
    "machines": View(
        "Machines",
        lambda holdings, _: machines(holdings),
        _machines,
        lambda holdings, slug, _: machine(holdings, slug),
    ),
    "runs": View(
        "Runs", runs, _runs, lambda holdings, number, _: run(holdings, whole(number, "run"))
    ),
    "algorithms": View(
        "Algorithms", lambda holdings, _: algorithms(holdings), _algorithms, algorithm
    ),
    "figures": View("Figures", lambda holdings, query: figures(holdings, Picks.of(query))),
    "compare": View("Compare", compare, _comparisons),
    "history": View("History", history, _histories),
    "targets": View("Targets", targets, _targets),
    "cores": View("Hardware cores", cores, _only("cores")),
    "budget": View("Budget", budget, _budgets),
    "changes": View("Changes", lambda holdings, _: changes(holdings), _only("changes")),
}
"""First segment of the address -> view, in the order of the line at the top of each page."""


def page_at(holdings: Holdings, path: tuple[str, ...], query: Query) -> Page | None:
    """The page of an address; None if there is no such view or thing."""
    first, *names = path or ("",)
    view = VIEWS.get("" if path == ("index",) else first)
    if view is None:
        return None
    if not names:
        return view.page(holdings, query)
    if len(names) == 1 and view.of_thing is not None:
        return view.of_thing(holdings, names[0], query)
    if len(names) == 2 and first == "runs":
        return run_algorithm(holdings, whole(names[0], "run"), names[1], query)
    return None
