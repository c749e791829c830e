# SPDX-License-Identifier: Apache-2.0
"""Windows of gatherers, each with the tags of the last batches checked, in rounds over points."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from joulemark.errors import WrongOutputError
from joulemark.judging.sessions import Limits, gather_troubles
from joulemark.measure.gathering.work import GatherPoint
from joulemark.measure.sessions.run import (
    Patience,
    PointRounds,
    RoundAttempts,
    session_tag,
    take,
    take_rounds,
    window_limit_s,
)
from joulemark.measure.worker_messages.runs import Gather
from joulemark.measure.worker_process.trials import distinct_keys
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.gathering import GatherWindow

# The arrival times of messages and their sessions: a cycle that a gatherer runs over and over.
#
# Gaps between arrivals are exponential, as of many independent senders: a Poisson process. The
# cycle holds the quantiles of that distribution in an order that is shuffled once, the same in
# every run, so that its mean is exact and two waits meet the same arrivals.

ARRIVALS: Final = 8192
"""Messages of a cycle."""
_SEED: Final = 21


@lru_cache(maxsize=64)
def gaps_ps(rate_per_s: float) -> tuple[int, ...]:
    """Gaps between arrivals at one gatherer, in ps; their mean is 1 / rate to a rounding.

    Args:
        rate_per_s: messages that arrive in a second at this gatherer, above 0.
    """
    quantiles = [-math.log(1 - (place + 0.5) / ARRIVALS) for place in range(ARRIVALS)]
    scale = ARRIVALS / math.fsum(quantiles) * 1e12 / rate_per_s
    random.Random(_SEED).shuffle(quantiles)  # noqa: S311 - an order, not a secret
    return tuple(round(quantile * scale) for quantile in quantiles)


@lru_cache(maxsize=1)
def senders() -> tuple[int, ...]:
    """Numbers below 2^32 that choose the session of each message in turn, evenly."""
    chance = random.Random(_SEED + 1)  # noqa: S311 - an order, not a secret
    return tuple(chance.getrandbits(32) for _ in range(ARRIVALS))


GatherRounds = PointRounds[GatherPoint, GatherWindow]
"""All windows of one point of gatherers."""


@dataclass(frozen=True, slots=True)
class Windows:
    """How long windows are, and how often they are taken."""

    warm_up_ns: int
    window_ns: int
    longest_ns: int
    """Length to which a window may be lengthened."""
    attempts: int
    """Most windows that are taken in a round until one counts; at least 1."""
    rounds: int
    """Number of rounds, at least 1."""


def take_windows(
    ask: Callable[[int], GatherWindow],
    windows: Windows,
    limits: Limits,
    patience: Patience | None = None,
) -> RoundAttempts[GatherWindow]:
    """Takes windows until one counts, or `windows.attempts` of them; longer where too short."""
    return take(
        lambda _warm_up_ns, window_ns: ask(window_ns),
        partial(gather_troubles, limits=limits),
        warm_up_ns=windows.warm_up_ns,
        window_ns=windows.window_ns,
        longest_ns=windows.longest_ns,
        attempts=windows.attempts,
        patience=patience,
    )


def gather_points(
    pool: WorkerPool,
    inventory: Inventory,
    points: Sequence[GatherPoint],
    windows: Windows,
    limits: Limits,
    announce: Callable[[int, int, GatherPoint], None],
    patience: Patience | None = None,
) -> list[GatherRounds]:
    """Takes rounds over all points, each round in another order.

    Args:
        pool: whose workers are not pinned.
        inventory: what there is.
        points: what is measured.
        windows: how long, and how often.
        limits: bounds beyond which a window does not count.
        announce: told how many visits are done, of how many, and which point comes.
        patience: ends the rounds early where others use the cores; None: never.
    """

    def take_one(place: int) -> RoundAttempts[GatherWindow]:
        ask = _gather_windows(pool, inventory, points[place], windows.warm_up_ns)
        return take_windows(ask, windows, limits, patience)

    return take_rounds(points, windows.rounds, take_one, announce, patience)


def _gather_windows(
    pool: WorkerPool, inventory: Inventory, point: GatherPoint, warm_up_ns: int
) -> Callable[[int], GatherWindow]:
    """A function that takes a window of this length in ns."""
    facts = inventory.facts_of(point.implementation)
    algorithm = point.implementation.split("/", 1)[0]
    how = point.gathering
    keys = distinct_keys(trial_key(facts), how.sessions)
    gaps = () if how.rate_per_s is None else gaps_ps(how.rate_per_s / len(how.cores))

    def window(window_ns: int) -> GatherWindow:
        request = Gather(
            pool.plain_name(point.implementation),
            b"".join(keys),
            how.sessions,
            point.lengths.cycle,
            gaps,
            senders(),
            how.batch_most,
            how.wait_ns,
            how.rate_per_s,
            how.cores,
            warm_up_ns,
            window_ns,
        )
        limit_s = window_limit_s(warm_up_ns, window_ns)
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

    return window
