# SPDX-License-Identifier: Apache-2.0
"""Rounds over points of sessions: an implementation, lengths and cores each."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final, Generic, TypeVar

from joulemark import _core
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import ImplementationError, WrongOutputError
from joulemark.judging.sessions import Limits, Trouble, TroubleKind, adjusted, own_share, troubles
from joulemark.measure.energy.giving_up import HOPELESS, RETAKE_PAUSE_S
from joulemark.measure.quiet import CpuLock
from joulemark.measure.sessions.work import Lengths, MeasuredPoint, Scenario
from joulemark.measure.worker_messages.runs import RunSessions
from joulemark.measure.worker_process.trials import distinct_keys, portable_kernel
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory, failure_of
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.failure import Failure
from joulemark.records.gathering import GatherWindow
from joulemark.records.sessions import SessionsWindow

# Windows of sessions from a worker, each with the last tag of every session checked.

_SPARE_S: Final = 60.0
"""Time beyond a window: for keys and messages, and until a thousand threads have ended."""


def session_windows(
    pool: WorkerPool,
    inventory: Inventory,
    implementation: str,
    lengths: Lengths,
    scenario: Scenario,
) -> Callable[[int, int], SessionsWindow]:
    """A function that takes a window, given warm-up and length in ns.

    It raises `ImplementationError` if the implementation crashed, hung or refused, or if the last
    tag of a session is wrong.

    Args:
        pool: whose workers are not pinned; it checks the implementation first.
        inventory: what there is.
        implementation: name of a MAC.
        lengths: lengths of the messages.
        scenario: sessions and cores.
    """
    facts = inventory.facts_of(implementation)
    algorithm = implementation.split("/", 1)[0]
    keys = distinct_keys(trial_key(facts), scenario.sessions)

    def window(warm_up_ns: int, window_ns: int) -> SessionsWindow:
        request = RunSessions(
            pool.plain_name(implementation),
            b"".join(keys),
            scenario.sessions,
            lengths.cycle,
            scenario.cores,
            warm_up_ns,
            window_ns,
        )
        limit_s = window_limit_s(warm_up_ns, window_ns)
        ran = pool.ask(implementation, request, limit_s=limit_s)
        expected = "".join(
            session_tag(algorithm, number, key, session.last_bytes, session.last_nonce)[
                : 2 * facts.output_bytes
            ]
            for number, (key, session) in enumerate(zip(keys, ran.window.sessions, strict=True))
        )
        if ran.tags != expected:
            raise WrongOutputError(
                f"a session's last tag is wrong after a window of {scenario.sessions} sessions at "
                f"{lengths.title}; no figure of it is shown"
            )
        return ran.window

    return window


def window_limit_s(warm_up_ns: int, window_ns: int) -> float:
    """Seconds after which a worker that takes such a window counts as hung."""
    return _SPARE_S + (warm_up_ns + window_ns) / 1e9


@lru_cache(maxsize=16384)
def session_tag(algorithm: str, session: int, key: bytes, size_bytes: int, nonce: int) -> str:
    """The tag of a session's message by our portable kernel, in hexadecimal.

    Args:
        algorithm: its id in the catalogue.
        session: number of the session, from 0, which chooses where in the stream messages begin.
        key: key of the session.
        size_bytes: length of the message.
        nonce: as a little-endian number of the usual length; 0 without nonces.
    """
    own = portable_kernel(algorithm)
    if own is None:
        raise WrongOutputError(
            f"there is no portable kernel of {algorithm} to hold the sessions' tags to"
        )
    message = _core.message(size_bytes, session * _core.SESSION_APART)
    lengths = algorithms()[algorithm].nonce_bytes if algorithm in algorithms() else []
    state = _core.KeyState(own, key)
    try:
        if lengths:
            state.set_nonce(nonce.to_bytes(lengths[0], "little"))
        return state.tag(message).hex()
    finally:
        state.wipe()


# Rounds over all points, in each of which windows of a point are taken until one counts.
#
# A window is run, validated and adjusted, and run again, as figure 3 of rashwan2012 has it.

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

    Args:
        pause: lets so many seconds pass.
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
    *,
    warm_up_ns: int,
    window_ns: int,
    longest_ns: int,
    attempts: int,
    patience: Patience | None = None,
) -> RoundAttempts[W]:
    """Takes windows until one counts, or `attempts` of them.

    Args:
        ask: takes a window with this warm-up and of this length.
        judge: names the troubles of a window.
        warm_up_ns: warm-up of the first attempt.
        window_ns: length of the first window.
        longest_ns: to which a window may be lengthened.
        attempts: at least 1.
        patience: of the whole run, which may end before; None: without end.
    """
    taken: list[Attempt[W]] = []
    for _ in range(attempts):
        window = ask(warm_up_ns, window_ns)
        found = tuple(judge(window))
        taken.append(Attempt(window, found))
        if patience is not None:
            patience.note(found)
        if not found or (patience is not None and patience.ended):
            break
        warm_up_ns, window_ns = adjusted(warm_up_ns, window_ns, found, longest_ns=longest_ns)
    return RoundAttempts(tuple(taken))


def take_rounds(
    points: Sequence[P],
    rounds: int,
    take_one: Callable[[int], RoundAttempts[W]],
    announce: Callable[[int, int, P], None],
    patience: Patience | None = None,
) -> list[PointRounds[P, W]]:
    """Takes rounds over all points, each round in another order, the same in every run.

    A point that fails is left out of later rounds. Once the patience has ended no round is begun,
    so that a point may have none.

    Args:
        points: what is measured.
        rounds: at least 1.
        take_one: takes the windows of one round of the point in this place.
        announce: told how many visits are done, of how many, and which point comes.
        patience: the same as in `take`; None: without end.
    """
    taken: list[list[RoundAttempts[W]]] = [[] for _ in points]
    failures: dict[int, Failure] = {}
    for done, place in enumerate(_visits(len(points), rounds)):
        if patience is not None and patience.ended:
            break
        if place in failures:
            continue
        point = points[place]
        announce(done, rounds * len(points), point)
        try:
            taken[place].append(take_one(place))
        except ImplementationError as error:
            size = point.lengths.size_bytes or None
            failures[place] = failure_of(point.implementation, error, size)
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


@dataclass(frozen=True, slots=True)
class Point(MeasuredPoint):
    """An implementation, lengths, and the scenario in which it runs."""

    scenario: Scenario
    software_only: bool = False
    """Whether it runs in workers in which its library finds no instructions that a CPU may lack."""


SessionRounds = PointRounds[Point, SessionsWindow]
"""All windows of one point of sessions."""


def run_points(
    pool: WorkerPool,
    inventory: Inventory,
    points: Sequence[Point],
    rounds: int,
    limits: Limits,
    announce: Callable[[int, int, Point], None] = lambda _done, _total, _point: None,
    software_only: WorkerPool | None = None,
    patience: Patience | None = None,
) -> list[SessionRounds]:
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
            partial(troubles, limits=limits),
            warm_up_ns=scenario.warm_up_ns,
            window_ns=scenario.window_ns,
            longest_ns=scenario.longest_ns,
            attempts=scenario.attempts,
            patience=patience,
        )
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
