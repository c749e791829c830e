# SPDX-License-Identifier: Apache-2.0
"""The choice of a search: the best candidate at each length, and one candidate for all lengths.

The usual flags are given up only for a candidate that is told to be faster over all lengths by more
than what matters: its whole interval lies beyond 1 %. If no candidates are told apart, two searches
in a row then choose the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from joulemark.analyse.compare import Samples, by_round, points_of
from joulemark.analyse.verdict import FEWEST_GENERATIONS, FEWEST_ROUNDS
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.stats import mean, simultaneous_level
from joulemark.stats.clustered import clustered_shift

# Which candidates may be the fastest: those that no other candidate is told to be faster than.
#
# At a length the set of these candidates holds the fastest one with a stated chance. The fastest
# one drops out only if another one seems faster by chance. Each comparison has alpha divided by the
# number of the others, so that this happens with a chance of at most alpha, however many pairs
# there are (S. S. Gupta, Technometrics 7 (1965) 225: a subset that holds the best; J. C. Hsu,
# Multiple Comparisons, 1996, chapter 4: comparisons with the best). A correction for all pairs
# would need many more rounds.
#
# Two candidates are compared as `joulemark.analyse.compare` compares implementations: by
# differences of logarithms of seconds in the same round, which process generations put into
# clusters.

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

    The trials differ only in implementation and size.
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
    """Seconds of `one` over those of `other` in the rounds that both have; None without any.

    The interval misses the ratio with the chance `alpha`.
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
    """The field of at least one candidate at a length, or over all lengths.

    Times the number of a candidate's competitors, `alpha` is the chance that the fastest candidate
    is not among `perhaps_best`.
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


# The race of candidates: after stated numbers of rounds, those slower at every length leave.
#
# A candidate leaves if at every length another one is told to be faster. The usual one stays to the
# end, for gains are told against it. Each look and each length has a share of alpha: over the whole
# search, the chance that the fastest candidate at some length leaves, or is not named as perhaps
# the fastest, is at most alpha.

ALPHA: Final = 0.05
BLOCKS_AT_LOOKS: Final = (1, 2, 4, 8)
"""Blocks of rounds after which the samples are looked at; each look but the first has as many new
blocks as there were before it. The budget may end the search sooner, with a look."""
LOOKS: Final = len(BLOCKS_AT_LOOKS)
MATTERS: Final = 0.01
"""Smallest gain for which a user would change flags, as the threshold of `joulemark compare`."""


def share_of_alpha(fields: int, competitors: int) -> float:
    """The share of alpha of one comparison of two candidates, in one field, at one look.

    All lengths together are one more field; candidates that left are competitors too.
    """
    of_a_field = ALPHA / LOOKS / max(fields, 1)
    return 1 - simultaneous_level(of_a_field, max(competitors - 1, 1))


def fields_of(timings: Timings, names: Collection[str], competitors: int) -> dict[int, Field]:
    """The field of each length, and of all lengths together if there are several.

    So many candidates began as there are competitors.
    """
    lengths = sorted({length for timing in timings.values() for length in timing} - {OVERALL})
    if len(lengths) > 1:
        lengths.append(OVERALL)
    each = share_of_alpha(len(lengths), competitors)
    fields: dict[int, Field] = {}
    for length in lengths:
        there = {name: timings[name][length] for name in names if length in timings.get(name, {})}
        if there:
            fields[length] = field_of(there, each)
    return fields


@dataclass
class Race:
    """Tells the runner after each block of rounds which trials get another one (a `GoingOn`)."""

    names: Sequence[str]
    """Implementations that begin."""
    usual: str
    """The implementation that stays to the end."""
    trials: Sequence[Trial]
    rounds: int
    """Rounds of each block."""
    budget_s: float
    """Wall time of the race; no block begins that would end later, by the time of the last one."""
    clock: Callable[[], float] = time.monotonic
    fallen: dict[str, int] = field(default_factory=dict)
    """Candidate -> rounds after which it left."""
    rounds_taken: int = 0

    def __post_init__(self) -> None:
        self._block_begun_s = self.clock()
        self._end_s = self._block_begun_s + self.budget_s
        self._running = len(self.names)

    @property
    def left(self) -> list[str]:
        """Candidates that have not left."""
        return [name for name in self.names if name not in self.fallen]

    def __call__(
        self, blocks: int, samples: Mapping[Trial, Sequence[RawSample]]
    ) -> Collection[Trial]:
        """The trials that get another block; if there is none, the search ends."""
        self.rounds_taken = blocks * self.rounds
        now_s = self.clock()
        each_s = (now_s - self._block_begun_s) / self._running
        if blocks in BLOCKS_AT_LOOKS or self._is_spent(now_s, each_s):
            left = self.left
            timings = timings_of(
                {trial: taken for trial, taken in samples.items() if trial.implementation in left}
            )
            fields = fields_of(timings, left, len(self.names))
            self._drop_slower(fields)
            if (
                blocks not in BLOCKS_AT_LOOKS[:-1]
                or self._is_spent(now_s, each_s)
                or _settled(fields, self.left)
            ):
                return ()
        left = self.left
        self._block_begun_s, self._running = now_s, len(left)
        return [trial for trial in self.trials if trial.implementation in left]

    def _is_spent(self, now_s: float, each_s: float) -> bool:
        """Whether another block of all that are left would end after the budget."""
        return now_s + each_s * len(self.left) > self._end_s

    def _drop_slower(self, fields: Mapping[int, Field]) -> None:
        """Lets the candidates leave that are told to be slower at every length."""
        may_win = {
            name
            for length, field in fields.items()
            if length != OVERALL
            for name in field.perhaps_best
        }
        for name in self.left:
            if name not in may_win and name != self.usual:
                self.fallen[name] = self.rounds_taken


def _settled(fields: Mapping[int, Field], left: Collection[str]) -> bool:
    """Whether more rounds can change nothing that matters.

    This is so if each candidate is told to be slower than the best one, or is within 1 % of it.
    """
    gaps = [
        field.gap(name, field.best)
        for field in fields.values()
        for name in left
        if name != field.best
    ]
    return all(gap is not None and (gap.slower or gap.high < 1 + MATTERS) for gap in gaps)


@dataclass(frozen=True, slots=True)
class FlagChoice:
    """The candidate to use, and how sure the choice is."""

    chosen: str
    usual: str
    over_usual: Gap | None
    """Seconds of the usual candidate over those of the chosen one; None if the usual one was
    chosen, or has no figure."""
    perhaps_as_good: tuple[str, ...]
    """Other candidates that may be the fastest over all lengths."""
    may_gain: float
    """Largest gain over the chosen candidate that is not excluded: 0.03 for 3 %; infinite if there
    are too few rounds to exclude any."""
    fields: Mapping[int, Field]
    """Length in bytes, and `OVERALL` if there are several lengths -> its field."""
    to_best: Mapping[str, Mapping[int, Gap]]
    """Candidate -> length or `OVERALL` -> its seconds over those of the best candidate there."""

    @property
    def is_usual(self) -> bool:
        """Whether the usual flags were chosen."""
        return self.chosen == self.usual

    @property
    def overall(self) -> Field:
        """The field in which the choice is made."""
        return _overall_of(self.fields)

    def factors(self, length: int) -> dict[str, float]:
        """Candidate -> its seconds over those of the best one, at a length or `OVERALL`."""
        return {name: gaps[length].ratio for name, gaps in self.to_best.items() if length in gaps}


def _overall_of(fields: Mapping[int, Field]) -> Field:
    """The field of all lengths together, or of the only length."""
    return fields.get(OVERALL) or next(iter(fields.values()))


def choose(
    timings: Timings, left: Collection[str], usual: str, competitors: int
) -> FlagChoice | None:
    """Chooses among the candidates that have not left and did not fail.

    The usual one is kept unless another is told to be faster. None if no candidate has a figure at
    every length.
    """
    fields = fields_of(timings, left, competitors)
    lengths = {length for timing in timings.values() for length in timing} - {OVERALL}
    whole = [name for name in left if lengths and lengths <= timings.get(name, {}).keys()]
    if not whole:
        return None
    field = _overall_of(fields)
    chosen, gain = _choose_in(field, usual, whole)
    each = share_of_alpha(len(fields), competitors)
    others = tuple(name for name in field.perhaps_best if name != chosen)
    return FlagChoice(
        chosen,
        usual,
        gain,
        others,
        _may_gain(field, chosen),
        fields,
        {name: _to_best(timings[name], timings, fields, each) for name in timings},
    )


def _choose_in(field: Field, usual: str, whole: Collection[str]) -> tuple[str, Gap | None]:
    """The fastest candidate that is told to be faster by what matters, or else the usual one."""
    if usual not in whole:
        return next(name for name in field.perhaps_best if name in whole), None
    for name in field.perhaps_best:
        gap = field.gap(usual, name)
        if name != usual and gap is not None and gap.told and gap.low > 1 + MATTERS:
            return name, gap
    return usual, None


def _may_gain(field: Field, chosen: str) -> float:
    """The largest gain over the chosen one that the intervals of the others leave open."""
    gaps = (field.gap(chosen, name) for name in field.perhaps_best if name != chosen)
    return max([0.0, *(float("inf") if gap is None else gap.high - 1 for gap in gaps)])


def _to_best(
    mine: Mapping[int, Rounds], timings: Timings, fields: Mapping[int, Field], alpha: float
) -> dict[int, Gap]:
    """Seconds of a candidate over those of the best one at each length and over all."""
    gaps = {
        length: gap_between(mine[length], timings[field.best][length], alpha)
        for length, field in fields.items()
        if length in mine
    }
    return {length: gap for length, gap in gaps.items() if gap is not None}
