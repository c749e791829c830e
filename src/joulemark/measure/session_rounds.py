# SPDX-License-Identifier: Apache-2.0
"""Rounds over points of sessions or gatherers, in each of which windows are taken until one counts.

A window is run, validated and adjusted, and run again, as figure 3 of rashwan2012 has it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Generic, TypeVar

from joulemark import _core
from joulemark.errors import ImplementationError, UsageError
from joulemark.judging import Trouble, TroubleKind, WindowLimits, adjusted, own_share
from joulemark.measure.inventory import Inventory, failure_of
from joulemark.measure.meter_of_run import HOPELESS, RETAKE_PAUSE_S
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import CpuLock
from joulemark.records import Failure, ImplementationFacts
from joulemark.records.sample import GatherWindow, SessionsWindow
from joulemark.records.trial import mean_bytes, mix_lengths, mix_title
from joulemark.units import format_bytes

# The work of sessions and gatherers, and refusals of work that nobody or nothing here can do.

MAX_MESSAGES_BYTES: Final = 1 << 30
"""Most bytes of the messages of all sessions together."""


@dataclass(frozen=True, slots=True)
class MessageLengths:
    """Messages of one length, or of a mix."""

    size_bytes: int = 0
    mix: str = ""
    """The mix as `records.mixes.parse_mix` writes it; empty if all are `size_bytes` long."""

    @property
    def cycle(self) -> tuple[int, ...]:
        """Lengths of the messages in turn."""
        return mix_lengths(self.mix, 1) if self.mix else (self.size_bytes,)

    @property
    def mean_bytes(self) -> float:
        """Mean length of a message."""
        return mean_bytes(self.mix) if self.mix else self.size_bytes

    @property
    def title(self) -> str:
        """The lengths as tables write them."""
        return mix_title(self.mix) if self.mix else format_bytes(self.size_bytes)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Connections, cores and times, as rashwan2012 defines a scenario before each run."""

    sessions: int
    cores: tuple[int, ...]
    warm_up_ns: int
    window_ns: int
    longest_ns: int
    """Length to which a window may be lengthened."""
    attempts: int
    """Most windows that are taken in a round until one counts; at least 1."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """An implementation, the lengths of its messages, and the scenario in which it runs."""

    implementation: str
    lengths: MessageLengths
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class ThreadsPoint(MeasuredPoint):
    """Each session is a thread, and all threads share the cores."""

    software_only: bool = False
    """Whether it runs in workers in which its library finds no instructions that a CPU may lack."""


@dataclass(frozen=True, slots=True)
class GatherPoint(MeasuredPoint):
    """Each core has a gatherer, a thread with a separate part of the sessions."""

    batch_most: int
    wait_ns: int
    rate_per_s: float | None
    """Messages that arrive in a second at all gatherers together; None: messages always wait."""


def require_cores(cores: tuple[int, ...], option: str) -> None:
    """Refuses cores that this process may not run on."""
    allowed = os.sched_getaffinity(0)
    absent = sorted(set(cores) - allowed)
    if absent:
        known = ", ".join(map(str, sorted(allowed)))
        raise UsageError(
            f"{option} {absent[0]}: this process may run on {known}; name some of these"
        )


def require_sessions(sessions: int, lengths: MessageLengths) -> None:
    """Refuses a number of sessions that the harness does not run, and too much memory."""
    most = _core.SESSIONS_MAX
    if not 1 <= sessions <= most:
        raise UsageError(f"--sessions {sessions}: give a number from 1 to {most}")
    longest = max(lengths.cycle)
    if longest < 1:
        raise UsageError("--size 0: a cost per byte needs messages of at least 1 byte")
    if sessions * longest > MAX_MESSAGES_BYTES:
        raise UsageError(
            f"{sessions} sessions with messages of {format_bytes(longest)} are more than "
            f"{format_bytes(MAX_MESSAGES_BYTES)}; name a smaller --size or fewer --sessions"
        )


def require_mac(facts: ImplementationFacts) -> None:
    """Refuses what cannot run in many threads, or authenticates nothing."""
    name = facts.implementation
    if facts.kind != "mac":
        raise UsageError(f"{name} is a {facts.kind}; sessions authenticate messages: name a MAC")
    if facts.provider == "python":
        raise UsageError(
            f"{name} runs in Python, one thread at a time; name an implementation in C"
        )


def require_gatherers(sessions: int, cores: tuple[int, ...]) -> None:
    """Refuses gatherers without a session."""
    if sessions < len(cores):
        raise UsageError(
            f"--sessions {sessions}: each of {len(cores)} cores gathers from at least one; give "
            "more sessions, or name fewer --cores"
        )


_ORDER_SEED: Final = 1
P = TypeVar("P", bound=MeasuredPoint)
W = TypeVar("W", SessionsWindow, GatherWindow)


@dataclass(frozen=True, slots=True)
class Attempt(Generic[W]):
    """One window and its troubles."""

    window: W
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class RoundAttempts(Generic[W]):
    """All windows of one point in one round, in order."""

    attempts: tuple[Attempt[W], ...]
    """At least one attempt; all but the last have troubles."""

    @property
    def best(self) -> Attempt[W]:
        """The attempt that counts; else, of those with the fewest troubles, the least disturbed."""
        return min(
            self.attempts, key=lambda attempt: (len(attempt.troubles), -own_share(attempt.window))
        )

    @property
    def counts(self) -> bool:
        """Whether a window without troubles was taken."""
        return not self.best.troubles


@dataclass(frozen=True, slots=True)
class PointRounds(Generic[P, W]):
    """All windows of one point."""

    point: P
    rounds: tuple[RoundAttempts[W], ...]
    """Fewer rounds than asked for, or none, if the point failed or the run was given up."""
    failure: Failure | None = None

    @property
    def best(self) -> list[Attempt[W]]:
        """The best attempt of each round."""
        return [taken.best for taken in self.rounds]

    @property
    def windows(self) -> list[W]:
        """The best window of each round, whether it counts or not."""
        return [attempt.window for attempt in self.best]

    @property
    def good(self) -> list[W]:
        """The windows that count, which figures stand on; one of a round at most."""
        return [attempt.window for attempt in self.best if not attempt.troubles]

    @property
    def counts(self) -> bool:
        """Whether every round has a window without troubles."""
        return bool(self.rounds) and all(taken.counts for taken in self.rounds)


class Patience:
    """Ends after as many windows in a row as metering does, if others on the cores spoilt them.

    The window after a spoilt one begins a second later, so that three in a row mean some seconds of
    disturbance and not one burst.
    """

    def __init__(self, pause: Callable[[float], None] = time.sleep) -> None:
        self._pause = pause
        self._spoilt = 0

    @property
    def ended(self) -> bool:
        """Whether no more windows should be taken."""
        return self._spoilt >= HOPELESS

    def note(self, found: Sequence[Trouble]) -> None:
        """Takes the troubles of one window into account."""
        spoilt = any(trouble.kind is TroubleKind.OVER_UTILISED for trouble in found)
        self._spoilt = self._spoilt + 1 if spoilt else 0
        if spoilt and not self.ended:
            self._pause(RETAKE_PAUSE_S)


def take(
    ask: Callable[[int, int], W],
    judge: Callable[[W], list[Trouble]],
    scenario: Scenario,
    patience: Patience | None = None,
) -> RoundAttempts[W]:
    """Takes windows until one counts, or as many as the scenario has attempts.

    Args:
        ask: takes a window with this warm-up and of this length, in ns.
        judge: names the troubles of a window.
        scenario: has the times of the first window.
        patience: of the whole run, which may end before; None: without end.
    """
    warm_up_ns, window_ns = scenario.warm_up_ns, scenario.window_ns
    taken: list[Attempt[W]] = []
    for _ in range(scenario.attempts):
        window = ask(warm_up_ns, window_ns)
        found = tuple(judge(window))
        taken.append(Attempt(window, found))
        if patience is not None:
            patience.note(found)
        if not found or (patience is not None and patience.ended):
            break
        warm_up_ns, window_ns = adjusted(
            warm_up_ns, window_ns, found, longest_ns=scenario.longest_ns
        )
    return RoundAttempts(tuple(taken))


def take_rounds(
    points: Sequence[P],
    rounds: int,
    windows_of: Callable[[P], Callable[[int, int], W]],
    judge: Callable[[W], list[Trouble]],
    announce: Callable[[int, int, P], None] = lambda _done, _total, _point: None,
    patience: Patience | None = None,
) -> list[PointRounds[P, W]]:
    """Takes rounds over all points, each round in another order, the same in every run.

    A window that was lengthened stays so in later rounds. A point that fails is left out of them.
    Once the patience has ended no round is begun, so that a point may have none.

    Args:
        points: what is measured.
        rounds: at least 1.
        windows_of: gives the function that takes a point's windows, as `ask` of `take`.
        judge: names the troubles of a window.
        announce: told how many visits are done, of how many, and which point comes.
        patience: the same as in `take`; None: without end.
    """
    taken: list[list[RoundAttempts[W]]] = [[] for _ in points]
    failures: dict[int, Failure] = {}
    scenarios = [point.scenario for point in points]
    for done, place in enumerate(_visits(len(points), rounds)):
        if patience is not None and patience.ended:
            break
        if place in failures:
            continue
        point = points[place]
        announce(done, rounds * len(points), point)
        try:
            windows = take(windows_of(point), judge, scenarios[place], patience)
        except ImplementationError as error:
            size = point.lengths.size_bytes or None
            failures[place] = failure_of(point.implementation, error, size)
            continue
        taken[place].append(windows)
        last = windows.attempts[-1].window
        scenarios[place] = replace(
            scenarios[place], warm_up_ns=last.warm_up_ns, window_ns=last.window_ns
        )
    return [
        PointRounds(point, tuple(taken[place]), failures.get(place))
        for place, point in enumerate(points)
    ]


def _visits(points: int, rounds: int) -> Iterator[int]:
    """Each place from 0 to points - 1 once a round, in an order drawn for the round."""
    chance = random.Random(_ORDER_SEED)  # noqa: S311 - an order, not a secret
    for _ in range(rounds):
        order = list(range(points))
        chance.shuffle(order)
        yield from order


def measured_points(
    inventory: Inventory,
    points: Sequence[P],
    rounds: int,
    windows_of: Callable[[WorkerPool, Inventory, P], Callable[[int, int], W]],
    judge: Callable[[W, WindowLimits], list[Trouble]],
    announce: Callable[[int, int, P], None],
) -> list[PointRounds[P, W]]:
    """Takes rounds over all points in separate workers, patiently and by the usual limits."""
    limits = WindowLimits()
    with closing(WorkerPool(inventory, None)) as pool:
        return take_rounds(
            points,
            rounds,
            partial(windows_of, pool, inventory),
            lambda window: judge(window, limits),
            announce,
            Patience(),
        )


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
