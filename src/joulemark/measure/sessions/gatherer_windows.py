# SPDX-License-Identifier: Apache-2.0
"""Windows of gatherers from a worker, each with the tags of the last batches checked."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from joulemark.errors import WrongOutputError
from joulemark.measure.sessions.rounds import PointRounds
from joulemark.measure.sessions.session_windows import session_tag, window_limit_s
from joulemark.measure.sessions.work import GatherPoint
from joulemark.measure.worker_messages.runs import Gather
from joulemark.measure.worker_process.trials import distinct_keys
from joulemark.measure.workers.correctness import trial_key
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.gathering import GatherWindow

GatherRounds = PointRounds[GatherPoint, GatherWindow]
"""All windows of one point of gatherers."""

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


def gatherer_windows(
    pool: WorkerPool, inventory: Inventory, point: GatherPoint
) -> Callable[[int, int], GatherWindow]:
    """A function that takes a window, given warm-up and length in ns."""
    facts = inventory.facts_of(point.implementation)
    algorithm = point.implementation.split("/", 1)[0]
    sessions, cores = point.scenario.sessions, point.scenario.cores
    keys = distinct_keys(trial_key(facts), sessions)
    gaps = () if point.rate_per_s is None else gaps_ps(point.rate_per_s / len(cores))

    def window(warm_up_ns: int, window_ns: int) -> GatherWindow:
        request = Gather(
            pool.plain_name(point.implementation),
            b"".join(keys),
            sessions,
            point.lengths.cycle,
            gaps,
            senders(),
            point.batch_most,
            point.wait_ns,
            point.rate_per_s,
            cores,
            warm_up_ns,
            window_ns,
        )
        limit_s = window_limit_s(warm_up_ns, window_ns)
        done = pool.ask(point.implementation, request, limit_s=limit_s)
        if any(not 0 <= number < sessions for number, _, _ in done.last):
            raise WrongOutputError("its process tells of sessions that there are not")
        expected = "".join(
            session_tag(algorithm, number, keys[number], size, nonce)[: 2 * facts.output_bytes]
            for number, size, nonce in done.last
        )
        if done.tags != expected:
            raise WrongOutputError(
                f"a tag of the last batch is wrong after a window of {sessions} sessions at "
                f"{point.lengths.title}; no figure of it is shown"
            )
        return done.window

    return window
