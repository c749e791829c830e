# SPDX-License-Identifier: Apache-2.0
"""The facts of westermann2010: its workload, and the figures of its two tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from pydantic import Field

from joulemark.stats import doubled_midranks, mean, student_tail
from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper

Bits = Literal[256, 512]
BITS: tuple[Bits, Bits] = (256, 512)
"""Lengths of a digest; the paper has a table for each."""


class WestermannExperiment(PaperFacts):
    """Facts of section 2."""

    messages: Count
    message_bytes: Count
    bytes_interpretation: str
    rounds: Count
    idle_samples: Count
    sample_interval_s: Positive
    skipped_s: Positive
    rest_s: Positive
    machine: str
    one_binary: list[str]
    one_binary_place: str

    @property
    def total_bytes(self) -> int:
        """Bytes that one measurement hashes."""
        return self.messages * self.message_bytes


class PublishedFunction(PaperFacts):
    """A row of Table 1 or 2."""

    name: str
    bits: Bits
    algorithm: str = Field(description="id in our catalogue")
    candidate: bool
    watts: Positive
    seconds: Positive
    joules_per_byte: Positive


class Westermann2010(Paper):
    """`catalogue/papers/westermann2010.toml`."""

    experiment: WestermannExperiment
    published: list[PublishedFunction]

    def table(self, bits: Bits, *, candidates: bool = False) -> list[PublishedFunction]:
        """Returns the rows of one table in the paper's order.

        Args:
            bits: length of the digest.
            candidates: whether MD5, SHA-1 and SHA-2 are left out.
        """
        rows = (row for row in self.published if row.bits == bits)
        return [row for row in rows if row.candidate or not candidates]

    def row(self, name: str, bits: Bits) -> PublishedFunction:
        """Returns the printed row of one function."""
        return next(row for row in self.table(bits) if row.name == name)


westermann2010 = cache(partial(read_paper, Westermann2010, "westermann2010"))
"""The facts of the paper, read once."""


# Figures that follow from the paper's own tables, by arithmetic alone.


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns Spearman's coefficient: Pearson's of the ranks, ties at their mean rank.

    C. Spearman, Am. J. Psychol. 15 (1904) 72.

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
