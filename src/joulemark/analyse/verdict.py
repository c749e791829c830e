# SPDX-License-Identifier: Apache-2.0
"""The verdict of a comparison: the rule for ratios with an interval, and counts of firmware."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, Workload
from joulemark.stats import holm
from joulemark.stats.shift import ShiftEstimate

NOISE_LIMIT: Final = 0.05
"""Half-width of the interval above which "no difference shown" would be an empty statement, where
no threshold says what matters: implementations of one primitive often differ by 5 %."""
FEWEST_ROUNDS: Final = 5
"""Two rounds can agree by chance to any number of digits, and rank sums against a long run, or t
over two generations, would believe them."""
FEWEST_GENERATIONS: Final = 4
"""With fewer process generations Student's factor is 4.3 at three and 12.7 at two, before any
correction for several comparisons; then more generations help and more rounds do not."""


class Verdict(StrEnum):
    """The answer for a contender: about its time, or its energy, per message."""

    FASTER = "faster"
    SLOWER = "slower"
    LESS = "less energy"
    MORE = "more energy"
    PERHAPS_FASTER = "faster, perhaps within the threshold"
    """A difference is proven, and the interval holds the threshold: it may or may not count."""
    PERHAPS_SLOWER = "slower, perhaps within the threshold"
    PERHAPS_LESS = "less energy, perhaps within the threshold"
    PERHAPS_MORE = "more energy, perhaps within the threshold"
    EQUAL = "equal within the threshold"
    """The whole interval lies within the threshold (D. J. Schuirmann, J. Pharmacokinet. Biopharm.
    15 (1987) 657: two one-sided tests); never said without a threshold."""
    NO_DIFFERENCE = "no difference shown"
    TOO_NOISY = "too noisy"
    TOO_FEW = "too few"


_PERHAPS: Final = {
    Verdict.FASTER: Verdict.PERHAPS_FASTER,
    Verdict.SLOWER: Verdict.PERHAPS_SLOWER,
    Verdict.LESS: Verdict.PERHAPS_LESS,
    Verdict.MORE: Verdict.PERHAPS_MORE,
}
"""Verdict of a proven difference -> the verdict if its interval does not clear the threshold."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One contender against one baseline, at one workload."""

    baseline: str
    contender: str
    workload: Workload
    target: str
    ratio: float
    """Seconds, or joules, per message of the contender over those of the baseline; above 1 is
    slower, or more."""
    low: float
    """Lower end of the interval for the ratio. The intervals of all comparisons hold together."""
    high: float
    level: float
    """Confidence of this interval alone."""
    p_value: float
    p_adjusted: float
    """The p-value adjusted by Holm's method, over all comparisons made together."""
    pairs: int
    generations: int
    """Independent groups of processes behind the ratio; one group cannot tell layout from code."""
    verdict: Verdict
    threshold: float = 0.0
    """Smallest relative difference that counts."""
    notes: tuple[str, ...] = ()
    """Sentences on what limits this comparison and what would lift it."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A comparison before it is judged together with the others."""

    baseline: str
    contender: str
    workload: Workload
    target: str
    shift: ShiftEstimate
    """Of the logarithm of seconds or joules per message, contender minus baseline."""
    generations: int
    threshold: float
    """Smallest relative difference that counts, at least 0."""
    notes: tuple[str, ...] = ()


def judge(
    contests: Sequence[Contest],
    *,
    alpha: float,
    words: tuple[Verdict, Verdict] = (Verdict.FASTER, Verdict.SLOWER),
) -> list[Comparison]:
    """Adjusts the p-values over all contests and gives each its verdict.

    Args:
        contests: everything compared together; shifts at the level 1 - alpha / len(contests).
        alpha: chance of even one false "faster" or "slower" among them.
        words: the verdicts for a smaller and for a larger value of the quantity.
    """
    adjusted = holm([contest.shift.p_value for contest in contests])
    return [
        Comparison(
            baseline=contest.baseline,
            contender=contest.contender,
            workload=contest.workload,
            target=contest.target,
            ratio=math.exp(contest.shift.estimate),
            low=math.exp(contest.shift.low),
            high=math.exp(contest.shift.high),
            level=contest.shift.level,
            p_value=contest.shift.p_value,
            p_adjusted=p_adjusted,
            pairs=contest.shift.pairs,
            generations=contest.generations,
            verdict=_verdict(contest, p_adjusted, alpha, words),
            threshold=contest.threshold,
            notes=(*contest.notes, *_notes(contest, alpha, len(contests))),
        )
        for contest, p_adjusted in zip(contests, adjusted, strict=True)
    ]


def _verdict(
    contest: Contest, p_adjusted: float, alpha: float, words: tuple[Verdict, Verdict]
) -> Verdict:
    """Different only if the adjusted p is below alpha and the interval clears the threshold.

    Where p is below alpha and the interval neither clears the threshold nor lies within it, the
    direction is proven and the size is not, and the verdict says both. The threshold t is
    ln(1 + t) either way, so that exchanging baseline and contender exchanges "faster" and
    "slower". Half the interval is held against the threshold, or `NOISE_LIMIT` without one, to
    tell "too noisy" from "no difference shown".
    """
    shift, margin = contest.shift, math.log1p(contest.threshold)
    if _too_few(contest):
        return Verdict.TOO_FEW
    within = -margin < shift.low and shift.high < margin
    if p_adjusted < alpha and not within:
        word = words[1] if shift.estimate > 0 else words[0]
        beyond = shift.low > margin or shift.high < -margin
        return word if beyond else _PERHAPS[word]
    if within:
        return Verdict.EQUAL
    if (shift.high - shift.low) / 2 <= math.log1p(contest.threshold or NOISE_LIMIT):
        return Verdict.NO_DIFFERENCE
    return Verdict.TOO_FEW if 1 < contest.generations < FEWEST_GENERATIONS else Verdict.TOO_NOISY


def _too_few(contest: Contest) -> bool:
    """Whether the contest has so few rounds that no verdict could follow even if all agreed."""
    return not contest.shift.attained or contest.shift.pairs < FEWEST_ROUNDS


def _notes(contest: Contest, alpha: float, comparisons: int) -> list[str]:
    """Sentences on what limits this contest and what would lift it."""
    notes = []
    if contest.generations == 1:
        notes.append(
            "All rounds come from one start of each process, so an offset from its memory layout, "
            "often some tenths of a percent, is part of this ratio."
        )
    elif contest.generations < FEWEST_GENERATIONS:
        notes.append(
            f"Only {contest.generations} process generations, so the interval is wide; "
            f"{FEWEST_GENERATIONS} or more would narrow it."
        )
    if _too_few(contest):
        needed = math.ceil(math.log2(2 * comparisons / alpha))
        notes.append(
            f"{contest.shift.pairs} rounds cannot carry {comparisons} "
            f"{'comparison' if comparisons == 1 else 'comparisons'} at "
            f"alpha {alpha:g}; repeat with --rounds {needed} or more."
        )
    return notes


# Two runs of firmware compared: counts are exact, so every difference counts, without interval.


@dataclass(frozen=True, slots=True)
class CountComparison:
    """One trial on a firmware target in two runs."""

    trial: Trial
    before: FirmwareCount
    after: FirmwareCount

    @property
    def ratio(self) -> float:
        """Core cycles of the second run over those of the first."""
        return self.after.core_cycles / self.before.core_cycles

    @property
    def words(self) -> str:
        """The change of the core cycles, in words."""
        if self.after.core_cycles == self.before.core_cycles:
            return "equal"
        more = self.after.core_cycles > self.before.core_cycles
        return "more core cycles" if more else "fewer core cycles"

    def verdict(self, threshold: float) -> Verdict:
        """The verdict for `--fail-if`: a core that takes more core cycles is slower at any clock.

        Args:
            threshold: smallest relative difference that counts, as in 0.02 for 2 %.
        """
        if self.ratio > 1 + threshold:
            return Verdict.SLOWER
        # The same bound on the other side of 1, as logarithms have it.
        return Verdict.FASTER if self.ratio < 1 / (1 + threshold) else Verdict.EQUAL


def compare_counts(
    before: Mapping[Trial, FirmwareCount], after: Mapping[Trial, FirmwareCount]
) -> tuple[CountComparison, ...]:
    """Compares every trial that both runs counted, in the order of the first run."""
    return tuple(
        CountComparison(trial, count, after[trial])
        for trial, count in before.items()
        if trial in after
    )
