# SPDX-License-Identifier: Apache-2.0
"""The outcome of a gate: its code, and the trials that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_limits import AT_LIMIT, TimeLimit
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.records.trial import Workload, plain_name
from joulemark.units import format_percent

AT_THRESHOLD: Final = "at the threshold"
LACKING: Final = "is not in the new build"


class GateCode(IntEnum):
    """Exit codes of `joulemark check`."""

    OK = 0
    REGRESSED = 1
    NOT_ANSWERED = 2
    """The question makes no sense, or code could not be built. No outcome of a check has it."""
    NOTHING_MEASURED = 3
    ENVIRONMENT_DIFFERS = 4
    TOO_NOISY = 5
    SAME_FILE = 6
    """Old and new are byte for byte one file, which answers no question. No outcome has it."""

    @property
    def words(self) -> str:
        """The code in words."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Vanished:
    """A figure that the old code has and the new code does not have."""

    implementation: str
    """Without the name of a build."""
    workload: Workload | None
    """None: the new code has the implementation at no workload."""
    reason: str = LACKING
    """Half a sentence that follows the implementation, as in "cannot run here: it needs avx2"."""

    @property
    def sentence(self) -> str:
        """The loss as people read it."""
        return lost_sentence(self.implementation, self.reason, [self.workload])


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The answer of a gate, and everything it rests on."""

    code: GateCode
    reasons: tuple[str, ...]
    """Sentences for the user, the decisive one first."""
    regressions: tuple[Comparison, ...]
    unclear: tuple[Comparison, ...]
    """Trials that could hide a regression: their interval reaches beyond the threshold, or they
    have too few rounds."""
    at_threshold: tuple[Comparison, ...]
    """Those of `unclear` whose interval is narrow, lies above 1 and holds the threshold."""
    allowed: tuple[Comparison, ...]
    """Trials that are slower beyond doubt, by less than the threshold."""
    times: tuple[TimeLimit, ...]
    """Trials of the new code that may take no longer than a stated time."""
    broken: tuple[str, ...]
    """Implementations that failed in the new code alone."""
    vanished: tuple[Vanished, ...]
    """Figures that only the old code has."""
    environment_differences: Mapping[str, tuple[Any, Any]]
    """Key -> its values in the baseline and in the new run."""
    runs: RunComparison
    """Every comparison, also where the environment differs, and the common shift."""

    @property
    def answer(self) -> str:
        """The answer in words."""
        if self.code is not GateCode.TOO_NOISY or len(self.at_threshold) < len(self.unclear):
            return self.code.words
        at_limit = [limit for limit in self.times if limit.unclear]
        if not all(limit.narrow for limit in at_limit):
            return self.code.words
        return AT_THRESHOLD if self.unclear else AT_LIMIT

    def time_of(self, comparison: Comparison) -> TimeLimit | None:
        """The longest time that was set for the contender of a comparison."""
        wanted = plain_name(comparison.contender), comparison.workload
        return next(
            (limit for limit in self.times if (limit.implementation, limit.workload) == wanted),
            None,
        )

    def words_of(self, comparison: Comparison) -> str:
        """The verdict for one trial in the words of the gate."""
        limit = self.time_of(comparison)
        verdict = self._words_of_difference(comparison)
        return verdict if limit is None else f"{verdict}; {limit.words}"

    def _words_of_difference(self, comparison: Comparison) -> str:
        if comparison in self.at_threshold:
            return AT_THRESHOLD
        if comparison in self.allowed:
            return allowed_words(comparison)
        return str(comparison.verdict)


def lost_sentence(implementation: str, reason: str, workloads: Iterable[Workload | None]) -> str:
    """What an implementation lost, at the workloads for which the reason is the same."""
    if reason == LACKING:
        return f"The new build lacks {implementation}."
    places = ", ".join(workload.in_sentence for workload in workloads if workload is not None)
    return f"{implementation}{' at ' if places else ''}{places} {reason}."


def allowed_words(comparison: Comparison) -> str:
    """A slow-down that is proven and below the threshold."""
    return f"{format_percent(comparison.ratio - 1)} slower, allowed"


def unclear_of(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """The trials that could hide a slow-down beyond the threshold."""
    return tuple(
        comparison
        for comparison in comparisons
        if comparison.verdict is Verdict.TOO_FEW
        or (comparison.verdict is not Verdict.SLOWER and comparison.high > 1 + comparison.threshold)
    )


def is_at_threshold(comparison: Comparison) -> bool:
    """Whether an unclear trial is slower beyond doubt, by the threshold as far as can be told.

    Its interval holds the threshold and is not wider than the threshold: [1.6 %, 2.1 %] at 2 %.
    """
    return (
        comparison.verdict is Verdict.PERHAPS_SLOWER
        and comparison.low > 1
        and comparison.high - comparison.low <= comparison.threshold
    )


# The sentences of a gate's outcome.

_MOST_VANISHED: Final = 20
"""Most implementations without a figure that sentences name; lists of the report name all."""


def nothing_sentence(runs: RunComparison) -> str:
    """Why two stored runs have no comparison."""
    if not runs.missing and not runs.added:
        return "Neither run has a sample; see their lists of failures."
    if not runs.added:
        return "The new run has no sample of any trial in the baseline; see its failures."
    if not runs.missing:
        return "The baseline has no sample; measure and store a new one."
    return "The two runs share no trial; give both the same implementations and sizes."


def environment_sentences(differences: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """The sentence that lists each difference."""

    def text(value: Any) -> str:
        return "unknown" if value is None else str(value)

    listed = "; ".join(
        f"{key} was {text(old)}, is {text(new)}" for key, (old, new) in differences.items()
    )
    sentence = f"The environments differ ({listed}), so times cannot be compared; "
    return [sentence + "measure a new baseline here."]


def none_slower_sentence(comparisons: Sequence[Comparison]) -> str:
    """That no trial is slower by more than its threshold."""
    thresholds = {comparison.threshold for comparison in comparisons}
    if len(thresholds) != 1:
        return "No trial is slower by more than its threshold."
    return f"No trial is more than {format_percent(max(thresholds))} slower."


def slower_sentences(regressions: Sequence[Comparison]) -> list[str]:
    """The slower trials, the worst first."""
    return [
        f"{_name(comparison)} is {format_percent(comparison.ratio - 1)} slower (at least "
        f"{format_percent(comparison.low - 1)}; the threshold is "
        f"{format_percent(comparison.threshold)})."
        for comparison in _worst_first(regressions)
    ]


def vanished_sentences(vanished: Sequence[Vanished]) -> list[str]:
    """The figures that only the old code has: a sentence for each implementation and reason."""
    groups: dict[tuple[str, str], list[Workload | None]] = {}
    for lost in vanished:
        groups.setdefault((lost.implementation, lost.reason), []).append(lost.workload)
    sentences = [lost_sentence(*group, workloads) for group, workloads in groups.items()]
    more = len(sentences) - _MOST_VANISHED
    if more > 0:
        sentences[_MOST_VANISHED:] = [f"{more} more implementations have no figure any more."]
    return sentences


def unclear_sentences(
    unclear: Sequence[Comparison], at_threshold: Sequence[Comparison]
) -> list[str]:
    """The trials that could hide a regression."""
    sentences = []
    for comparison in unclear:
        limit = format_percent(comparison.threshold)
        slower = f"{_name(comparison)} is {_span(comparison.low, comparison.high)}"
        sentences.append(
            f"{slower}, which is {AT_THRESHOLD} of {limit}."
            if comparison in at_threshold
            else f"{slower} ({comparison.verdict}); a slow-down of more than {limit} cannot be "
            "excluded."
        )
    return sentences


def allowed_sentences(allowed: Sequence[Comparison]) -> list[str]:
    """The trials that are slower, and may be, the worst first."""
    return [
        f"{_name(comparison)} is {allowed_words(comparison)} "
        f"({_span(comparison.low, comparison.high)}; the threshold is "
        f"{format_percent(comparison.threshold)})."
        for comparison in _worst_first(allowed)
    ]


def common_sentences(runs: RunComparison, threshold: float) -> list[str]:
    """The slow-down that all trials share, which the machine may have caused."""
    shift = runs.common_shift
    if not (shift and shift.trials > 1 and shift.low > 1 and shift.ratio - 1 > threshold / 2):
        return []
    change = f"All trials together became {format_percent(shift.ratio - 1)} slower"
    return [f"{change}: the machine, or something that all of them share, changed."]


def _worst_first(comparisons: Sequence[Comparison]) -> list[Comparison]:
    return sorted(comparisons, key=lambda comparison: comparison.ratio, reverse=True)


def _span(low: float, high: float) -> str:
    """An interval of ratios of times in words: from 48 % faster to 22 % slower."""
    first, last = (format_percent(abs(ratio - 1)) for ratio in (low, high))
    if low >= 1:
        return f"from {first} to {last} slower"
    if high <= 1:
        return f"from {first} to {last} faster"
    return f"from {first} faster to {last} slower"


def _name(comparison: Comparison) -> str:
    return f"{plain_name(comparison.contender)} at {comparison.workload.in_sentence}"
