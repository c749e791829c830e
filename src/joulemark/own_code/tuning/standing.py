# SPDX-License-Identifier: Apache-2.0
"""Which candidates may be the fastest: those that none other is told to be faster than.

At one length the set of these holds the fastest one, wherever it lies, with a stated chance: the
fastest one leaves it only if one of the others seems faster by chance, and with alpha divided by
the number of the others that happens to the fastest one with a chance of at most alpha, however
many pairs there are (S. S. Gupta, Technometrics 7 (1965) 225: a subset that holds the best; J. C.
Hsu, Multiple Comparisons, 1996, chapter 4: comparisons with the best). Correcting for all pairs
would need many more rounds.

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
"""The place of all lengths together, beside lengths in bytes: the mean of the logarithms, which is
that of the geometric mean of the times."""

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
    """Whether they are told apart: enough rounds and generations, and 1 outside the interval."""

    @property
    def slower(self) -> bool:
        """Whether the candidate is told to be slower than the other."""
        return self.told and self.low > 1

    @property
    def faster(self) -> bool:
        """Whether it is told to be faster."""
        return self.told and self.high < 1

    def turned(self) -> Gap:
        """The other one over this one."""
        return Gap(1 / self.ratio, 1 / self.high, 1 / self.low, self.told)


@dataclass(frozen=True, slots=True)
class Field:
    """Candidates at one length, or over all lengths."""

    best: str
    """Of those that may be the fastest, the one with the smallest ratio to all others."""
    perhaps_best: tuple[str, ...]
    """All that may be the fastest, `best` first, then by their ratios to all others."""
    gaps: Mapping[tuple[str, str], Gap]
    """(slower, faster) of every pair, either way; without pairs that have too few rounds."""

    def gap(self, one: str, other: str) -> Gap | None:
        """Seconds of one over those of the other; None where nothing can be said."""
        return self.gaps.get((one, other))


def timings_of(samples: Samples) -> dict[str, dict[int, Rounds]]:
    """The rounds of each implementation at each length, and over all lengths if it has all.

    Args:
        samples: of trials that differ in implementation and size alone.
    """
    pairs = [
        (one, other)
        for one, other in combinations(sorted(samples), 2)
        if one.workload == other.workload
    ]
    found: dict[str, dict[int, Rounds]] = {}
    for trial, points in points_of(samples, pairs).items():
        rounds = {
            index: (point.generation, point.value) for index, point in by_round(points).items()
        }
        if rounds:
            found.setdefault(trial.implementation, {})[trial.workload.size_bytes] = rounds
    lengths = {trial.workload.size_bytes for trial in samples}
    for places in found.values():
        if places.keys() == lengths and (together := _together(list(places.values()))):
            places[OVERALL] = together
    return found


def _together(places: Sequence[Rounds]) -> Rounds:
    """Rounds that all lengths have, under the generation of the first."""
    common = set(places[0]).intersection(*places[1:])
    return {
        index: (places[0][index][0], mean([place[index][1] for place in places]))
        for index in sorted(common)
    }


def gap_between(one: Rounds, other: Rounds, alpha: float) -> Gap | None:
    """Seconds of one over those of the other, over the rounds that both have.

    Args:
        one: rounds of a candidate.
        other: rounds of another at the same length.
        alpha: chance that the interval misses the ratio.

    Returns:
        None where they have no round in common.
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


def field_of(places: Mapping[str, Rounds], alpha: float) -> Field:
    """Who may be the fastest of some candidates at one place.

    Args:
        places: rounds by candidate; at least one.
        alpha: of each comparison. Times the number of a candidate's competitors it is the chance
            that the fastest one is not among `perhaps_best`.
    """
    gaps: dict[tuple[str, str], Gap] = {}
    for one, other in combinations(places, 2):
        gap = gap_between(places[one], places[other], alpha)
        if gap is not None:
            gaps[one, other], gaps[other, one] = gap, gap.turned()
    slower = {name for (name, _), gap in gaps.items() if gap.slower}
    perhaps = [place for place in places if place not in slower] or list(places)
    over_others = {name: _over_others(name, gaps) for name in perhaps}
    perhaps.sort(key=lambda name: over_others[name])
    return Field(perhaps[0], tuple(perhaps), gaps)


def _over_others(name: str, gaps: Mapping[tuple[str, str], Gap]) -> float:
    """Mean logarithm of the seconds of one over those of each other.

    Of paired ratios, so that candidates are put in the order that the ratios have.
    """
    ratios = [math.log(gap.ratio) for (first, _), gap in gaps.items() if first == name]
    return mean(ratios) if ratios else 0.0
