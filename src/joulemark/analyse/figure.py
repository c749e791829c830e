# SPDX-License-Identifier: Apache-2.0
"""Values of one quantity summarised as a figure: median, interval, quartiles and evidence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from joulemark.analyse.results import Figure
from joulemark.records.evidence import Evidence
from joulemark.stats.clustered import clustered_median_interval
from joulemark.stats.interval import median_interval
from joulemark.stats.location import mad, median, quartiles


def figure(
    values: Sequence[float],
    evidence: Evidence,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Figure:
    """Summarises values of one quantity in their own unit.

    Args:
        values: shape (n,), n >= 1.
        evidence: how they were obtained.
        clusters: n labels; values of one label, as those of one process, share an offset. Without
            them each value stands for itself.
        level: of the interval, between 0 and 1, exclusive.
        seed: of the bootstrap.
    """
    if clusters is None:
        interval = median_interval(values, level=level, seed=seed)
    else:
        interval = clustered_median_interval(values, clusters, level=level, seed=seed)
    return summary(values, interval.low, interval.high, evidence)


def summary(values: Sequence[float], low: float, high: float, evidence: Evidence) -> Figure:
    """The figure of values, n >= 1, whose interval is known: from `low` to `high`."""
    first, third = quartiles(values)
    return Figure(
        median=median(values),
        low=low,
        high=high,
        minimum=min(values),
        quartile_1=first,
        quartile_3=third,
        mad=mad(values),
        evidence=evidence,
        samples=len(values),
    )


def exact(value: float | None, evidence: Evidence) -> Figure | None:
    """The figure of a count that is the same at every repetition; None where there is none."""
    if value is None:
        return None
    return Figure(
        median=value,
        low=value,
        high=value,
        minimum=value,
        quartile_1=value,
        quartile_3=value,
        mad=0.0,
        evidence=evidence,
        samples=1,
    )
