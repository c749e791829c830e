# SPDX-License-Identifier: Apache-2.0
"""The precision of one trial's time, by which `--precision` decides when a run may stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from joulemark.analyse.derive import seconds_per_message
from joulemark.records.sample import RawSample
from joulemark.stats import median
from joulemark.stats.clustered import clustered_median_interval

LOOKED_LEVEL: Final = 0.965
"""Nominal level of the intervals of a run that stops once they are narrow enough. Such a run stops
more often where chance made the interval narrow; at this level the interval still holds the truth
in 95 % of runs, for any precision and for up to eight looks."""


def half_width(samples: Sequence[RawSample], *, level: float = LOOKED_LEVEL) -> float:
    """Half of the interval of the time per message over its median; infinite without a median.

    Args:
        samples: those of one trial that figures stand on, any number.
        level: of the interval, between 0 and 1, exclusive.
    """
    if not samples:
        return math.inf
    seconds = [seconds_per_message(sample) for sample in samples]
    processes = [sample.generation for sample in samples]
    interval = clustered_median_interval(seconds, processes, level=level)
    centre = median(seconds)
    return (interval.high - interval.low) / 2 / centre if centre > 0 else math.inf
