# SPDX-License-Identifier: Apache-2.0
"""Statistics of castellon2022: what a program costs, saves and grows by, with intervals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from joulemark.stats import as_sample, holm, mean, median, standard_deviation
from joulemark.stats.clustered import clustered_shift, student
from joulemark.studies.papers import PaperRecord

# Statistics of one program beside another: the paper's own, and ours.
#
# The paper has mean and standard deviation of 1000 events. We take the ratio of events that were
# neighbours in time, by the rule of every comparison of this project: events of one process share
# its layout in memory, so each process counts once (joulemark.stats.clustered explains why).

ALPHA = 0.05
"""Chance of even one false "costs less" or "costs more" over the sizes of one series."""


class CostSpread(PaperRecord):
    """The costs of one program at one size."""

    mean: float
    deviation: float | None
    """Standard deviation; null if there is one event."""
    median: float
    events: int


class Saving(PaperRecord):
    """The share that a contender saves: 1 - contender / baseline, above 0 if it costs less."""

    median: float
    """Centre of the processes; centre of the events if there is one process."""
    low: float
    high: float
    level: float | None
    """Confidence of the interval; null if it is the widest that two intervals allow."""
    of_means: float
    """1 - mean / mean, as the paper computes it."""
    events: int
    processes: int
    """Processes that took the events; the layout of a single one cannot be told from the program.
    """
    p_value: float | None
    """Two-sided, of "costs the same"; null if it is unknown."""
    p_adjusted: float | None = None
    """The p-value by Holm, for all sizes of the series together."""

    @property
    def costs_less(self) -> bool:
        """Whether it is shown, for all sizes of the series together, that the contender saves."""
        return self.low > 0 and (self.p_adjusted is None or self.p_adjusted < ALPHA)


class Growth(PaperRecord):
    """How much more the last size costs than the first, as a share of the first; 95 % interval."""

    median: float
    low: float | None
    """Null with one process."""
    high: float | None


def spread(values: Sequence[float]) -> CostSpread:
    """Returns mean, deviation and median of at least one value, in the unit of the values."""
    return CostSpread(
        mean=mean(values),
        deviation=standard_deviation(values) if len(values) > 1 else None,
        median=median(values),
        events=len(values),
    )


def saving(
    baseline: Sequence[float],
    contender: Sequence[float],
    processes: Sequence[Hashable],
    *,
    level: float = 1 - ALPHA,
) -> Saving:
    """Returns what the contender saves, by pairs of events that were taken next to each other.

    Args:
        baseline: costs of its events, above 0; at least one.
        contender: costs of its events, above 0; as many, in the same order.
        processes: as many labels; events with one label were taken by one process.
        level: confidence of the interval.
    """
    before, after = as_sample(baseline), as_sample(contender)
    if not before.size == after.size == len(processes):
        raise ValueError("pairs need two series of one length, and a process for each")
    shift = clustered_shift(np.log(after / before), processes, level=level)
    return Saving(
        median=1 - math.exp(shift.estimate),
        low=1 - math.exp(shift.high),
        high=1 - math.exp(shift.low),
        level=level,
        of_means=1 - mean(after) / mean(before),
        events=int(before.size),
        processes=len(set(processes)),
        p_value=shift.p_value,
    )


def together(savings: Sequence[Saving]) -> list[Saving]:
    """Returns the savings of one series with p-values adjusted for each other, if all are known."""
    known = [saved.p_value for saved in savings if saved.p_value is not None]
    if len(known) < len(savings):
        return list(savings)
    return [
        saved.model_copy(update={"p_adjusted": p})
        for saved, p in zip(savings, holm(known), strict=True)
    ]


def reached(savings: Sequence[Saving], least: float) -> bool | None:
    """Whether every saving may be as large as claimed; None if one may be none."""
    if any(saved.high < least for saved in savings):
        return False
    return True if all(saved.costs_less for saved in savings) else None


def growth(
    first: Sequence[float], last: Sequence[float], processes: tuple[Sequence[Hashable], ...]
) -> Growth:
    """Returns the growth from one size to another, process by process.

    Args:
        first: costs of the first size, above 0.
        last: costs of the last size, above 0.
        processes: labels of the first size's events, and of the last size's.
    """
    small, large = (
        _by_process(values, labels) for values, labels in zip((first, last), processes, strict=True)
    )
    shared = [label for label in small if label in large]
    centres = [math.log(median(large[label]) / median(small[label])) for label in shared]
    if len(centres) < 2:
        return Growth(median=median(last) / median(first) - 1, low=None, high=None)
    shift = student(centres)
    return Growth(
        median=math.expm1(shift.estimate), low=math.expm1(shift.low), high=math.expm1(shift.high)
    )


def _by_process(values: Sequence[float], labels: Sequence[Hashable]) -> dict[Hashable, list[float]]:
    by_process: dict[Hashable, list[float]] = {}
    for value, label in zip(values, labels, strict=True):
        by_process.setdefault(label, []).append(value)
    return by_process


# How the study writes shares of a cost: "2.9 % more", never "saves -2.9 %".


def percent(share: float) -> str:
    """Writes a share in percent with one decimal, as in "2.3 %"."""
    return f"{100 * share:.1f} %"


def change(saved: float) -> str:
    """Writes a saved share of a cost, as in "2.3 % less", "2.9 % more" or "the same"."""
    return amount(saved, percent(abs(saved)), nothing=percent(0.0))


def amount(saved: float, text: str, *, nothing: str = "") -> str:
    """Writes an amount without a sign, and whether it is less or more."""
    if text == nothing:
        return "the same"
    return f"{text} {'less' if saved > 0 else 'more'}"


def _between(low: float, high: float) -> str:
    """Writes two saved shares: "1.8 to 2.9 % more", or "1.2 % more to 0.3 % less"."""
    texts = [change(low), change(high)]
    if texts[0] == texts[1]:
        return texts[0]
    words = {text.rsplit(" ", 1)[-1] for text in texts}
    if len(words) > 1:
        return " to ".join(texts)
    near, far = sorted((low, high), key=abs)
    return f"{100 * abs(near):.1f} to {change(far)}"


def interval(saving: Saving) -> str:
    """Writes a saving and its interval, as in "2.3 % less [2.1 to 2.4 % less]"."""
    return f"{change(saving.median)} [{_between(saving.low, saving.high)}]"


def growth_text(growth: Growth) -> str:
    """Writes a growth and its interval, as in "77.0 % [75.1 %, 79.0 %]"."""
    if growth.low is None or growth.high is None:
        return percent(growth.median)
    return f"{percent(growth.median)} [{percent(growth.low)}, {percent(growth.high)}]"


def extremes(shares: Sequence[float]) -> str:
    """Writes the least and the greatest of several saved shares."""
    return _between(min(shares), max(shares))
