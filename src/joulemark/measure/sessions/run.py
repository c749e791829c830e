# SPDX-License-Identifier: Apache-2.0
"""Rounds over points of sessions: an implementation, lengths and cores each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from joulemark.judging.sessions import Limits, troubles
from joulemark.measure.cpus import CpuLock
from joulemark.measure.sessions.ask import session_windows
from joulemark.measure.sessions.rounds import (
    Patience,
    PointRounds,
    RoundAttempts,
    take,
    take_rounds,
)
from joulemark.measure.sessions.work import MeasuredPoint, Scenario
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.sessions import SessionsWindow

__all__ = ["Point", "SessionRounds", "cores_held", "run_points"]


@dataclass(frozen=True, slots=True)
class Point(MeasuredPoint):
    """An implementation, lengths, and the scenario in which it runs."""

    scenario: Scenario
    software_only: bool = False
    """Whether it runs in workers in which its library finds no instructions that a CPU may lack."""


SessionRounds = PointRounds[Point, SessionsWindow]
"""All windows of one point of sessions."""


def run_points(
    pool: WorkerPool, inventory: Inventory, points: Sequence[Point], rounds: int, limits: Limits,
    announce: Callable[[int, int, Point], None] = lambda _done, _total, _point: None,
    software_only: WorkerPool | None = None, patience: Patience | None = None,
) -> list[SessionRounds]:  # fmt: skip
    """Takes rounds over all points; a window that was lengthened stays so in later rounds.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        rounds: at least 1.
        limits: bounds beyond which a window does not count.
        announce: told how many visits are done, of how many, and which point comes.
        software_only: workers of points that run in software only; needed if there are any.
        patience: ends the rounds early where others use the cores; None: never.
    """
    scenarios = [point.scenario for point in points]

    def take_one(place: int) -> RoundAttempts[SessionsWindow]:
        point, scenario = points[place], scenarios[place]
        workers = software_only if point.software_only and software_only else pool
        taken = take(
            session_windows(workers, inventory, point.implementation, point.lengths, scenario),
            partial(troubles, limits=limits), warm_up_ns=scenario.warm_up_ns,
            window_ns=scenario.window_ns, longest_ns=scenario.longest_ns,
            attempts=scenario.attempts, patience=patience,
        )  # fmt: skip
        last = taken.attempts[-1].window
        scenarios[place] = replace(scenario, warm_up_ns=last.warm_up_ns, window_ns=last.window_ns)
        return taken

    return take_rounds(points, rounds, take_one, announce, patience)


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
