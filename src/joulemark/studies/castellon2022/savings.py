# SPDX-License-Identifier: Apache-2.0
"""Statistics of one program beside another: the paper's own, and ours.

The paper's are mean and standard deviation of 1000 events. Ours is the median of the ratio of
events that were neighbours in time, with its 95 % interval from the sign test, which asks nothing
of the distribution (joulemark.stats.paired).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict

from joulemark.stats.location import as_sample, mean, median, standard_deviation
from joulemark.stats.paired import sign_test

__all__ = ["Saving", "Spread", "saving", "spread"]


class Spread(BaseModel):
    """One program at one size."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    deviation: float | None
    """Null where one event has none."""
    median: float
    events: int


class Saving(BaseModel):
    """1 - contender / baseline: above 0 the contender costs less. Median and 95 % interval."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    median: float
    low: float
    high: float
    of_means: float
    """1 - mean / mean, as the paper computes it."""
    events: int


def spread(values: Sequence[float]) -> Spread:
    """Mean, deviation and median of at least one value, in its own unit."""
    return Spread(
        mean=mean(values),
        deviation=standard_deviation(values) if len(values) > 1 else None,
        median=median(values),
        events=len(values),
    )


def saving(baseline: Sequence[float], contender: Sequence[float]) -> Saving:
    """What the contender saves, by pairs of events that were taken next to each other.

    Args:
        baseline: above 0, at least one.
        contender: above 0, as many, in the same order.

    Raises:
        ValueError: the lengths differ.
    """
    before, after = as_sample(baseline), as_sample(contender)
    if before.size != after.size:
        raise ValueError("pairs need two series of one length")
    shift = sign_test(np.log(after / before))
    return Saving(
        median=1 - math.exp(shift.estimate),
        low=1 - math.exp(shift.high),
        high=1 - math.exp(shift.low),
        of_means=1 - mean(after) / mean(before),
        events=int(before.size),
    )
