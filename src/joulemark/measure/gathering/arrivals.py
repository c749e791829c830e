# SPDX-License-Identifier: Apache-2.0
"""The arrival times of messages and their sessions: a cycle that a gatherer runs over and over.

Gaps between arrivals are exponential, as of many independent senders: a Poisson process. The
cycle holds the quantiles of that distribution in an order that is shuffled once, the same in every
run, so that its mean is exact and two waits meet the same arrivals.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache
from typing import Final

__all__ = ["ARRIVALS", "gaps_ps", "senders"]

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
