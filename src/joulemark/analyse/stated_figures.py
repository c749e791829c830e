# SPDX-License-Identifier: Apache-2.0
"""Figures that are stated with an interval or refused with the reason: joules, watts, percentiles.

A figure in joules or watts is the median over the windows of one domain of a per-window value, as
times are. Its interval is the wider of two: the bootstrap interval for that median, which sees all
that varies from window to window, and 1.96 standard uncertainties of the mean as the windows' own
errors propagate to it, which also sees what the windows share, the baseline above all.

A figure whose half interval exceeds the limit is refused with the reason; so a net energy that is
small beside the power at rest has no figure rather than a random one, and none is ever negative.
"""

from __future__ import annotations

import bisect
import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from scipy import special

from joulemark.analyse import Figure, TrialPercentile
from joulemark.analyse.derive import seconds_per_message, ticks_per_ns
from joulemark.analyse.estimate import summary
from joulemark.analyse.gate_report import workload_words
from joulemark.judging.void import Void
from joulemark.records.figures import Absence, AbsenceKind, Evidence
from joulemark.records.sample import RawSample, SessionsWindow, bucket_middle
from joulemark.records.trial import HOST, Trial
from joulemark.stats import median, student_quantile
from joulemark.stats.clustered import median_interval
from joulemark.units import format_percent, format_si

# Why a figure in joules or watts is not stated, and what can be said in its place.
#
# A net figure whose interval holds 0 is refused, and its upper end is still knowledge: the work
# adds less than that. The bound is the higher of two upper ends at 95 %: of the figure's own
# interval, and of Student's t over the windows, because few windows spread less than they vary.

_FEWEST: Final = 3
"""Windows below which their scatter says too little for a bound."""
_LEVEL: Final = 0.95
_UNITS: Final[tuple[tuple[str, str], ...]] = (
    ("joule_seconds", "J s"),
    ("joules", "J"),
    ("watts", "W"),
)
"""Part of a figure's name -> its unit."""


def upper_bound(values: Sequence[Any], figure: Figure) -> float | None:
    """The upper bound of a net figure that is not told from 0; None where there is none."""
    if figure.low > 0 or len(values) < _FEWEST:
        return None
    nominal = [float(value.nominal_value) for value in values]
    error = statistics.stdev(nominal) / math.sqrt(len(nominal))
    factor = student_quantile((1 + _LEVEL) / 2, len(nominal) - 1)
    bound = max(figure.high, statistics.fmean(nominal) + factor * error)
    # Below 0 there is no energy: the power at rest moved between the windows.
    return bound if bound > 0 else None


def bound_text(name: str, bound: float) -> str:
    """A bound of the figure called `name`, with its unit, rounded up to two digits."""
    unit = next(unit for part, unit in _UNITS if part in name)
    step = 10.0 ** (math.floor(math.log10(bound)) - 1)
    return format_si(math.ceil(bound / step * (1 - 1e-9)) * step, unit)


def refusal(
    figure: Figure, limit: float, context: str, more: str, *, below: str | None = None
) -> Absence | None:
    """Why a figure is not stated; None if it is.

    Args:
        figure: of energy or power.
        limit: half interval over median above which it is refused.
        context: power that it has to stand out from, as in "21 W while working"; may be empty.
        more: options that would narrow the interval, in words.
        below: bound of a net figure that is not told from 0, in words.
    """
    half = (figure.high - figure.low) / 2
    if figure.median > 0 and figure.low > 0 and half <= limit * figure.median:
        return None
    if below is not None:
        problem = f"not told from 0, below {below}"
        context = "; ".join(filter(None, ("upper end of the 95 % interval", context)))
    else:
        share = half / figure.median if figure.median > 0 else 1.0
        size = f"+-{format_percent(share)}" if share < 1 else "more than 100 %"
        problem = f"its interval is {size}, the limit is {format_percent(limit)}"
    around = f" ({context})" if context else ""
    text = f"{problem}{around}; {more} or a quieter machine would narrow it"
    return Absence(text, AbsenceKind.REFUSED)


def unusable(voids: Sequence[Void]) -> str:
    """Why no window could be used: the reason given most often."""
    if not voids:
        return "no energy window was taken"
    (reason, times), *_ = Counter(void.reason for void in voids).most_common(1)
    example = next(void.text for void in voids if void.reason is reason)
    if len(voids) == 1:
        return f"its one window could not be used, {reason.value}: {example}"
    counted = "all" if times == len(voids) else str(times)
    return (
        f"none of its {len(voids)} windows could be used, {counted} because of {reason.value}: "
        f"{example}"
    )


ERROR_LIMIT: Final = 0.05
"""Half interval over median above which no energy is stated: implementations worth choosing
between often differ by as little."""
_Z95: Final = 1.96


def energy_figure(values: Sequence[Any], evidence: Evidence) -> Figure:
    """Summarises uncertain per-window values, n >= 1."""
    nominal = [float(value.nominal_value) for value in values]
    middle = median(nominal)
    half = _Z95 * float((sum(values) / len(values)).std_dev)
    scatter = median_interval(nominal)
    return summary(
        nominal, min(scatter.low, middle - half), max(scatter.high, middle + half), evidence
    )


class EnergyFigures:
    """Figures made or refused, with the reasons.

    Args:
        evidence: of every figure.
        limit: half interval over median above which a figure is refused.
        more: options that would narrow the intervals, in words, for refusals.
        outside: whether the domain lies outside the CPU: what it used less than says nothing about
            the measured code, so no upper bound is given.
    """

    def __init__(
        self, evidence: Evidence, limit: float, more: str, *, outside: bool = False
    ) -> None:
        self.by_field: dict[str, Figure | None] = {}
        self.reasons: dict[str, Absence] = {}
        self.upper_bounds: dict[str, float] = {}
        self._evidence = evidence
        self._limit = limit
        self._more = more
        self._outside = outside

    def add(
        self,
        name: str,
        values: Sequence[Any],
        missing: Absence,
        context: str | None = None,
        *,
        like: str | None = None,
    ) -> None:
        """Adds one figure, or the reason why there is none or why it is refused.

        Args:
            name: of the figure.
            values: of the windows.
            missing: the reason if there are no values.
            context: of a net figure alone: how far it stands out from rest, see `against_rest`.
            like: figure that says the same in another unit; if both are refused, they share its
                reason.
        """
        self.by_field[name] = None
        if not values:
            self.reasons[name] = missing
            return
        figure = energy_figure(values, self._evidence)
        bounded = context is not None and not self._outside
        bound = upper_bound(values, figure) if bounded else None
        reason = refusal(
            figure,
            self._limit,
            context or "",
            self._more,
            below=None if bound is None else bound_text(name, bound),
        )
        if reason is None:
            self.by_field[name] = figure
            return
        self.reasons[name] = reason if like is None else self.reasons.get(like, reason)
        if bound is not None:
            self.upper_bounds[name] = bound


def against_rest(load_w: Sequence[Any], rest_w: Sequence[Any]) -> str:
    """How far the power under load stands out from rest, for a refusal; empty without either."""
    if not load_w or not rest_w:
        return ""
    load, rest = (
        format_si(median([power.nominal_value for power in powers]), "W")
        for powers in (load_w, rest_w)
    )
    return f"{load} while working against {rest} at rest"


def no_rest(word: str) -> Absence:
    """The reason why no figure is net of the idle that is called `word`."""
    return Absence(f"no window of {word} could be used, so nothing can be net of it")


# A percentile of choice, with an interval between two order statistics.
#
# Of n values x_(1) <= ... <= x_(n), the number at or below the percentile is binomial, whatever the
# distribution. So x_(l) and x_(u) enclose it with a stated probability, and where no ranks l and u
# do so there are too few values (H. A. David, H. N. Nagaraja: Order Statistics, 2003, section 7.1).


_DIGITS_OF_A_RANK: Final = 6
"""Behind the point of a product of a share and a number of values, which is otherwise rounded."""


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
    # 99.9 / 100 is a little above 0.999, and its product with 10 000 above the rank of 9 990.
    return math.ceil(round(share * count, _DIGITS_OF_A_RANK)), low, high


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
                percent=round(100 * share, _DIGITS_OF_A_RANK),
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
