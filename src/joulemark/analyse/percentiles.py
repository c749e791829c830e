# SPDX-License-Identifier: Apache-2.0
"""A percentile of choice, with an interval between two order statistics.

Of n values x_(1) <= ... <= x_(n), the number at or below the percentile is binomial, whatever the
distribution. So x_(l) and x_(u) enclose it with a stated probability, and where no ranks l and u
do so there are too few values (H. A. David, H. N. Nagaraja: Order Statistics, 2003, section 7.1).
"""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from scipy import special

from joulemark.analyse import TrialPercentile
from joulemark.analyse.derive import seconds_per_message, ticks_per_ns
from joulemark.analyse.gate_report import workload_words
from joulemark.records import HOST, Trial
from joulemark.records.sample import RawSample, SessionsWindow, bucket_middle
from joulemark.stats import median

_LEVEL: Final = 0.95


def fewest_values(share: float) -> int:
    """The fewest values of which two enclose the percentile with the probability of an interval."""
    rare = math.log((1 - _LEVEL) / 2)
    return math.ceil(max(rare / math.log(share), rare / math.log1p(-share)))


def ranks(count: int, share: float) -> tuple[int, int, int] | None:
    """Ranks, from 1 on, of the percentile and of the ends of its interval; None for too few."""
    tail = (1 - _LEVEL) / 2

    def at_most(rank: int) -> float:
        """The probability that the percentile lies below the value of that rank."""
        return float(special.bdtr(rank - 1, count, share)) if rank else 0.0

    low = bisect.bisect_right(range(count + 1), tail, key=at_most) - 1
    high = bisect.bisect_left(range(count + 1), 1 - tail, key=at_most)
    if low < 1 or high > count:
        return None
    return math.ceil(share * count), low, high


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile in seconds, and its 95 % interval."""

    seconds: float
    low: float
    high: float


def percentile_of(counts: Mapping[float, int], share: float) -> Percentile | None:
    """The percentile of values in seconds, each with the number of times it came."""
    found = ranks(sum(counts.values()), share)
    if found is None:
        return None
    values = sorted(counts)
    reached = list(accumulate(counts[value] for value in values))
    return Percentile(*(values[bisect.bisect_left(reached, rank)] for rank in found))


def trial_percentiles(
    samples: Mapping[Trial, Sequence[RawSample]], share: float, withheld: Collection[str]
) -> list[TrialPercentile]:
    """The percentile of each trial's windows on the host: of all, interrupted ones too.

    Args:
        samples: of a run.
        share: of windows that take no longer.
        withheld: implementations without figures.
    """
    found = []
    for trial, taken in sorted(samples.items()):
        if trial.target != HOST or trial.implementation in withheld:
            continue
        times = Counter(seconds_per_message(sample) for sample in taken if sample.wall_ns > 0)
        value = percentile_of(times, share)
        found.append(
            TrialPercentile(
                implementation=trial.implementation,
                message=workload_words(trial.workload),
                percent=100 * share,
                median=median(list(times.elements())) if times else None,
                seconds_per_message=None if value is None else value.seconds,
                low=None if value is None else value.low,
                high=None if value is None else value.high,
                windows=sum(times.values()),
            )
        )
    return found


def latency_percentile(
    windows: Sequence[SessionsWindow], share: float
) -> tuple[Percentile | None, int]:
    """The percentile of the messages that were timed in all windows, and their number.

    Values of a bucket count as its middle, off by 1.6 % at most.
    """
    times: Counter[float] = Counter()
    for window in windows:
        for bucket, count in window.latencies:
            ticks = max(0.0, bucket_middle(bucket) - window.clock_pair_ticks)
            times[ticks / ticks_per_ns(window) / 1e9] += count
    return percentile_of(times, share), sum(times.values())
