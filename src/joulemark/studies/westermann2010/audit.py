# SPDX-License-Identifier: Apache-2.0
"""Figures that follow from the paper's own tables, by arithmetic alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.stats.distributions import student_tail
from joulemark.stats.location import doubled_midranks, mean
from joulemark.studies.westermann2010.paper import (
    BITS,
    Bits,
    PublishedFunction,
    Westermann2010,
)

__all__ = ["Correlation", "correlations", "energy_error", "power_spread", "rank_correlation"]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns Spearman's coefficient: Pearson's of the ranks, ties at their mean rank.

    C. Spearman, Am. J. Psychol. 15 (1904) 72.

    Raises:
        ValueError: the series differ in length, or one of them is constant.

    Example:
        >>> rank_correlation([1.0, 2.0, 3.0], [10.0, 40.0, 20.0])
        0.5
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values have no pairs among {len(second)}")
    ranks = [[float(rank) for rank in doubled_midranks(series)] for series in (first, second)]
    deviations = [[rank - mean(series) for rank in series] for series in ranks]
    spreads = [sum(deviation * deviation for deviation in series) for series in deviations]
    if not all(spreads):
        raise ValueError("equal values have no order")
    product = sum(one * other for one, other in zip(*deviations, strict=True))
    return float(product / (spreads[0] * spreads[1]) ** 0.5)


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's coefficient of power and time in one table."""

    bits: Bits
    all_rows: float
    candidates: float
    """Coefficient without MD5, SHA-1 and SHA-2."""
    time_and_energy: float
    """Coefficient of time and energy per byte, over all rows."""
    rows: int

    @property
    def chance(self) -> float:
        """Two-sided probability of `all_rows` or more for independent series, by Student's t.

        E. S. Pitman, J. R. Stat. Soc. Suppl. 4 (1937) 225: an approximation from ten pairs on.
        """
        value = abs(self.all_rows)
        freedom = self.rows - 2
        return 2 * student_tail(value * math.sqrt(freedom / (1 - value * value)), freedom)


def correlations(paper: Westermann2010) -> dict[Bits, Correlation]:
    """Returns the correlations of both tables."""

    def correlation(rows: Sequence[PublishedFunction], first: str, second: str) -> float:
        return rank_correlation(*([getattr(row, key) for row in rows] for key in (first, second)))

    return {
        bits: Correlation(
            bits,
            correlation(paper.table(bits), "watts", "seconds"),
            correlation(paper.table(bits, candidates=True), "watts", "seconds"),
            correlation(paper.table(bits), "seconds", "joules_per_byte"),
            len(paper.table(bits)),
        )
        for bits in BITS
    }


def energy_error(paper: Westermann2010) -> float:
    """Returns the largest relative error of a printed energy, from power times time over bytes."""
    total_bytes = paper.experiment.total_bytes
    return max(
        abs(row.watts * row.seconds / total_bytes / row.joules_per_byte - 1)
        for row in paper.published
    )


def power_spread(paper: Westermann2010, bits: Bits) -> float:
    """Returns the highest over the lowest power of the candidates, less 1."""
    watts = [row.watts for row in paper.table(bits, candidates=True)]
    return max(watts) / min(watts) - 1
