# SPDX-License-Identifier: Apache-2.0
"""Rounds over all points: an implementation, lengths and cores each, all visited in every round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from joulemark.errors import ImplementationError
from joulemark.judging.sessions import Limits
from joulemark.measure.cpus import CpuLock
from joulemark.measure.sessions.ask import SessionAsker
from joulemark.measure.sessions.attempts import Attempt, RoundAttempts, take
from joulemark.measure.sessions.work import Lengths, Scenario
from joulemark.measure.visits import visits
from joulemark.measure.workers.inventory import Inventory, failure_of
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.failure import Failure
from joulemark.records.sessions import SessionsWindow

__all__ = ["Point", "PointRounds", "cores_held", "run_points"]


@dataclass(frozen=True, slots=True)
class Point:
    """What runs, and where."""

    implementation: str
    lengths: Lengths
    scenario: Scenario
    software_only: bool = False
    """In workers in which its library finds no instructions that a CPU may lack."""


@dataclass(frozen=True, slots=True)
class PointRounds:
    """What was taken of one point."""

    point: Point
    rounds: tuple[RoundAttempts, ...]
    """Fewer than asked for where it failed."""
    failure: Failure | None = None

    @property
    def windows(self) -> list[SessionsWindow]:
        """The best of each round, which figures stand on."""
        return [taken.best.window for taken in self.rounds]

    @property
    def best(self) -> list[Attempt]:
        """The same with their troubles."""
        return [taken.best for taken in self.rounds]

    @property
    def counts(self) -> bool:
        """Whether every round has a window without troubles."""
        return bool(self.rounds) and all(taken.counts for taken in self.rounds)


def run_points(
    pool: WorkerPool, inventory: Inventory, points: Sequence[Point], rounds: int, limits: Limits,
    told: Callable[[int, int, Point], None] = lambda _done, _total, _point: None,
    software_only: WorkerPool | None = None,
) -> list[PointRounds]:  # fmt: skip
    """Takes `rounds` rounds over all points, each round in another order.

    A window that was lengthened stays so in later rounds. A point that fails is left out of them.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        rounds: at least 1.
        limits: from where on a window does not count.
        told: is told how many visits are done, of how many, and which point comes.
        software_only: for points that are; needed if there are any.
    """
    taken: list[list[RoundAttempts]] = [[] for _ in points]
    failures: dict[int, Failure] = {}
    scenarios = [point.scenario for point in points]
    total = rounds * len(points)
    for done, place in enumerate(visits(len(points), rounds)):
        point = points[place]
        if place in failures:
            continue
        told(done, total, point)
        try:
            workers = software_only if point.software_only and software_only else pool
            found = take(_asked(workers, inventory, point), scenarios[place], limits)
        except ImplementationError as error:
            size = point.lengths.size_bytes or None
            failures[place] = failure_of(point.implementation, error, size)
            continue
        taken[place].append(found)
        last = found.attempts[-1].window
        scenarios[place] = replace(
            scenarios[place], warm_up_ns=last.warm_up_ns, window_ns=last.window_ns
        )
    return [
        PointRounds(point, tuple(taken[place]), failures.get(place))
        for place, point in enumerate(points)
    ]


def _asked(
    pool: WorkerPool, inventory: Inventory, point: Point
) -> Callable[[int, int], SessionsWindow]:
    asker = SessionAsker(pool, inventory, point.implementation)
    scenario = point.scenario

    def ask(warm_up_ns: int, window_ns: int) -> SessionsWindow:
        return asker.window(point.lengths, scenario.sessions, scenario.cores, warm_up_ns, window_ns)

    return ask


@contextmanager
def cores_held(cores: Sequence[int]) -> Iterator[list[int]]:
    """Holds the cores against other runs of ours; yields those that another run holds."""
    locks, taken = [], []
    try:
        for core in cores:
            try:
                lock = CpuLock.acquire(core)
            except OSError:
                continue  # no lock can be made: nobody else has one either
            if lock is None:
                taken.append(core)
            else:
                locks.append(lock)
        yield taken
    finally:
        for lock in locks:
            lock.release()
