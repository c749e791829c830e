# SPDX-License-Identifier: Apache-2.0
"""Rounds over all points, in each of which windows of a point are taken until one counts.

A window is run, validated and adjusted, and run again, as figure 3 of rashwan2012 has it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from joulemark.errors import ImplementationError
from joulemark.judging.sessions import Trouble, TroubleKind, adjusted, own_share
from joulemark.measure.energy.giving_up import HOPELESS, RETAKE_PAUSE_S
from joulemark.measure.sessions.work import MeasuredPoint
from joulemark.measure.workers.inventory import failure_of
from joulemark.records.failure import Failure
from joulemark.records.gathering import GatherWindow
from joulemark.records.sessions import SessionsWindow

__all__ = ["Attempt", "Patience", "PointRounds", "RoundAttempts", "take", "take_rounds"]

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
    ask: Callable[[int, int], W], judge: Callable[[W], list[Trouble]], *,
    warm_up_ns: int, window_ns: int, longest_ns: int, attempts: int,
    patience: Patience | None = None,
) -> RoundAttempts[W]:  # fmt: skip
    """Takes windows until one counts, or `attempts` of them.

    Args:
        ask: takes a window with this warm-up and of this length.
        judge: names the troubles of a window.
        warm_up_ns: warm-up of the first attempt.
        window_ns: length of the first window.
        longest_ns: to which a window may be lengthened.
        attempts: at least 1.
        patience: of the whole run, which may end before; None: without end.

    Raises:
        ImplementationError: the implementation misbehaved.
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
    points: Sequence[P], rounds: int, take_one: Callable[[int], RoundAttempts[W]],
    announce: Callable[[int, int, P], None], patience: Patience | None = None,
) -> list[PointRounds[P, W]]:  # fmt: skip
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
