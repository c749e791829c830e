# SPDX-License-Identifier: Apache-2.0
"""Windows of gatherers, with the tags of their last batches checked, until one counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from joulemark.errors import ImplementationError, WrongOutputError
from joulemark.judging.gathering import gather_troubles
from joulemark.judging.sessions import Limits, Trouble
from joulemark.measure.gathering.arrivals import gaps_ps, senders
from joulemark.measure.gathering.work import GatherPoint
from joulemark.measure.sessions.ask import session_tag
from joulemark.measure.visits import visits
from joulemark.measure.worker_messages.gathering import Gather
from joulemark.measure.worker_process.batches import distinct_keys
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory, failure_of
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.build_names import plain_name
from joulemark.records.failure import Failure
from joulemark.records.gathering import GatherWindow

__all__ = ["GatherAttempt", "GatherRounds", "Windows", "gather_points", "take_windows"]

_SPARE_S: Final = 60.0
"""Beyond the window: for keys, messages and the end of the threads."""

Ask = Callable[[int], GatherWindow]
"""Window in ns -> what was measured."""


@dataclass(frozen=True, slots=True)
class Windows:
    """How long windows are, and how often they are taken."""

    warm_up_ns: int
    window_ns: int
    longest_ns: int
    """To which a window may be lengthened."""
    attempts: int
    """At most, in a round, until a window counts; at least 1."""
    rounds: int
    """At least 1."""


@dataclass(frozen=True, slots=True)
class GatherAttempt:
    """One window and what is wrong with it."""

    window: GatherWindow
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class GatherRounds:
    """What was taken of one point: all attempts of each round, in order."""

    point: GatherPoint
    rounds: tuple[tuple[GatherAttempt, ...], ...]
    """Fewer than asked for where it failed; at least one attempt in each."""
    failure: Failure | None = None

    @property
    def best(self) -> list[GatherAttempt]:
        """Of each round the attempt with the fewest troubles, that had most of the cores."""
        return [min(taken, key=_disturbance) for taken in self.rounds]

    @property
    def windows(self) -> list[GatherWindow]:
        """What figures stand on."""
        return [attempt.window for attempt in self.best]

    @property
    def counts(self) -> bool:
        """Whether every round has a window without troubles."""
        return bool(self.rounds) and not any(attempt.troubles for attempt in self.best)


def _disturbance(attempt: GatherAttempt) -> tuple[int, float]:
    return len(attempt.troubles), -attempt.window.thread_cpu_ns / max(attempt.window.wall_ns, 1)


def take_windows(ask: Ask, windows: Windows, limits: Limits) -> tuple[GatherAttempt, ...]:
    """Takes windows until one counts, or `windows.attempts` of them; longer where too short."""
    taken: list[GatherAttempt] = []
    window_ns = windows.window_ns
    for _ in range(windows.attempts):
        window = ask(window_ns)
        found = tuple(gather_troubles(window, limits))
        taken.append(GatherAttempt(window, found))
        if not found:
            break
        longer = max(trouble.longer for trouble in found)
        wanted = ceil(window_ns * (1.25 * longer if longer > 1 else 1))
        window_ns = min(wanted, max(windows.longest_ns, window_ns))
    return tuple(taken)


def gather_points(
    pool: WorkerPool, inventory: Inventory, points: Sequence[GatherPoint], windows: Windows,
    limits: Limits, told: Callable[[int, int, GatherPoint], None] = lambda _a, _b, _c: None,
) -> list[GatherRounds]:  # fmt: skip
    """Takes rounds over all points, each round in another order. A point that fails is left out.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        windows: how long, and how often.
        limits: from where on a window does not count.
        told: is told how many visits are done, of how many, and which point comes.
    """
    taken: list[list[tuple[GatherAttempt, ...]]] = [[] for _ in points]
    failures: dict[int, Failure] = {}
    total = windows.rounds * len(points)
    for done, place in enumerate(visits(len(points), windows.rounds)):
        if place in failures:
            continue
        point = points[place]
        told(done, total, point)
        try:
            ask = _asked(pool, inventory, point, windows.warm_up_ns)
            taken[place].append(take_windows(ask, windows, limits))
        except ImplementationError as error:
            size = point.lengths.size_bytes or None
            failures[place] = failure_of(point.implementation, error, size)
    return [
        GatherRounds(point, tuple(taken[place]), failures.get(place))
        for place, point in enumerate(points)
    ]


def _asked(pool: WorkerPool, inventory: Inventory, point: GatherPoint, warm_up_ns: int) -> Ask:
    facts = inventory.facts_of(point.implementation)
    algorithm = point.implementation.split("/", 1)[0]
    chosen = facts.chosen
    plain = plain_name(point.implementation if chosen is None else f"{algorithm}/{chosen}")
    how = point.gathering
    keys = distinct_keys(trial_key(facts), how.sessions)
    share = None if how.rate_per_s is None else how.rate_per_s / len(how.cores)

    def ask(window_ns: int) -> GatherWindow:
        request = Gather(
            plain, b"".join(keys), how.sessions, point.lengths.cycle,
            () if share is None else gaps_ps(share), senders(), how.batch_most, how.wait_ns,
            how.rate_per_s, how.cores, warm_up_ns, window_ns,
        )  # fmt: skip
        limit_s = _SPARE_S + (warm_up_ns + window_ns) / 1e9
        done = pool.ask(point.implementation, request, limit_s=limit_s)
        if any(not 0 <= number < how.sessions for number, _, _ in done.last):
            raise WrongOutputError("its process tells of sessions that there are not")
        expected = "".join(
            session_tag(algorithm, number, keys[number], size, nonce)[: 2 * facts.output_bytes]
            for number, size, nonce in done.last
        )
        if done.tags != expected:
            raise WrongOutputError(
                f"a tag of the last batch is wrong after a window of {how.sessions} sessions at "
                f"{point.lengths.title}; no figure of it is shown"
            )
        return done.window

    return ask
