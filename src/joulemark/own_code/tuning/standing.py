# SPDX-License-Identifier: Apache-2.0
"""Which candidates may be the fastest: those that no other candidate is told to be faster than.

At a length the set of these candidates holds the fastest one with a stated chance. The fastest one
drops out only if another one seems faster by chance. Each comparison has alpha divided by the
number of the others, so that this happens with a chance of at most alpha, however many pairs there
are (S. S. Gupta, Technometrics 7 (1965) 225: a subset that holds the best; J. C. Hsu, Multiple
Comparisons, 1996, chapter 4: comparisons with the best). A correction for all pairs would need many
more rounds.

Two candidates are compared as `joulemark.analyse.compare` compares implementations: by differences
of logarithms of seconds in the same round, which process generations put into clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from joulemark.analyse.compare import Samples, by_round, points_of
from joulemark.analyse.verdict import FEWEST_GENERATIONS, FEWEST_ROUNDS
from joulemark.stats.clustered import clustered_shift
from joulemark.stats.location import mean

__all__ = ["OVERALL", "Field", "Gap", "Rounds", "field_of", "gap_between", "timings_of"]

OVERALL: Final = -1
"""Stands for all lengths together among lengths in bytes: the mean of the logarithms, which is the
logarithm of the geometric mean of the times."""

Rounds = Mapping[int, tuple[int, float]]
"""Round -> generation, and logarithm of seconds per message."""
Timings = Mapping[str, Mapping[int, Rounds]]
"""Implementation -> length in bytes, or `OVERALL` -> its rounds."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Seconds of one candidate over those of another."""

    ratio: float
    low: float
    high: float
    """The interval holds together with those of all comparisons of the same candidate."""
    told: bool
    """Whether the two are told apart: enough rounds and generations, and 1 outside the interval."""

    @property
    def slower(self) -> bool:
        """Whether the candidate is told to be slower than the other."""
        return self.told and self.low > 1

    def inverse(self) -> Gap:
        """Seconds of the other candidate over those of this one."""
        return Gap(1 / self.ratio, 1 / self.high, 1 / self.low, self.told)


@dataclass(frozen=True, slots=True)
class Field:
    """Candidates at one length, or over all lengths."""

    best: str
    """The candidate of `perhaps_best` with the smallest ratio to all others."""
    perhaps_best: tuple[str, ...]
    """Candidates that may be the fastest, `best` first, then by their ratios to all others."""
    gaps: Mapping[tuple[str, str], Gap]
    """Two candidates -> seconds of the first over those of the second, for every pair in both
    orders; a pair without a common round is left out."""

    def gap(self, one: str, other: str) -> Gap | None:
        """Seconds of `one` over those of `other`; None if they have no round in common."""
        return self.gaps.get((one, other))


def timings_of(samples: Samples) -> dict[str, dict[int, Rounds]]:
    """The rounds of each implementation at each length, and over all lengths if it has all.

    Args:
        samples: samples of trials that differ only in implementation and size.
    """
    pairs = [
        (one, other)
        for one, other in combinations(sorted(samples), 2)
        if one.workload == other.workload
    ]
    timings: dict[str, dict[int, Rounds]] = {}
    for trial, points in points_of(samples, pairs).items():
        rounds = {
            index: (point.generation, point.value) for index, point in by_round(points).items()
        }
        if rounds:
            timings.setdefault(trial.implementation, {})[trial.workload.size_bytes] = rounds
    sizes_bytes = {trial.workload.size_bytes for trial in samples}
    for timing in timings.values():
        if timing.keys() == sizes_bytes and (together := _together(list(timing.values()))):
            timing[OVERALL] = together
    return timings


def _together(lengths: Sequence[Rounds]) -> Rounds:
    """Rounds that all lengths have, with the generation of the first length."""
    common = set(lengths[0]).intersection(*lengths[1:])
    return {
        index: (lengths[0][index][0], mean([rounds[index][1] for rounds in lengths]))
        for index in sorted(common)
    }


def gap_between(one: Rounds, other: Rounds, alpha: float) -> Gap | None:
    """Seconds of `one` over those of `other`, in the rounds that both have.

    Args:
        one: rounds of a candidate.
        other: rounds of another candidate at the same length.
        alpha: chance that the interval misses the ratio.

    Returns:
        None if they have no round in common.
    """
    common = sorted(one.keys() & other.keys())
    if not common:
        return None
    differences = [one[index][1] - other[index][1] for index in common]
    labels = [(one[index][0], other[index][0]) for index in common]
    shift = clustered_shift(differences, labels, level=1 - alpha)
    enough = (
        shift.attained and len(common) >= FEWEST_ROUNDS and len(set(labels)) >= FEWEST_GENERATIONS
    )
    told = enough and shift.p_value < alpha and (shift.low > 0 or shift.high < 0)
    return Gap(math.exp(shift.estimate), math.exp(shift.low), math.exp(shift.high), told)


def field_of(rounds: Mapping[str, Rounds], alpha: float) -> Field:
    """The field of some candidates at a length, or over all lengths.

    Args:
        rounds: rounds of each candidate, of which there is at least one.
        alpha: share of each comparison. Times the number of a candidate's competitors it is the
            chance that the fastest candidate is not among `perhaps_best`.
    """
    gaps: dict[tuple[str, str], Gap] = {}
    for one, other in combinations(rounds, 2):
        gap = gap_between(rounds[one], rounds[other], alpha)
        if gap is not None:
            gaps[one, other], gaps[other, one] = gap, gap.inverse()
    slower = {name for (name, _), gap in gaps.items() if gap.slower}
    perhaps = [name for name in rounds if name not in slower] or list(rounds)
    perhaps.sort(key=lambda name: _over_others(name, gaps))
    return Field(perhaps[0], tuple(perhaps), gaps)


def _over_others(name: str, gaps: Mapping[tuple[str, str], Gap]) -> float:
    """Mean logarithm of the paired ratios of a candidate to each other one.

    Paired ratios put the candidates in the order that the shown ratios have.
    """
    ratios = [math.log(gap.ratio) for (first, _), gap in gaps.items() if first == name]
    return mean(ratios) if ratios else 0.0
