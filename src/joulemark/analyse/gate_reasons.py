# SPDX-License-Identifier: Apache-2.0
"""The sentences of a gate's outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_outcome import AT_THRESHOLD, Vanished, allowed_words, lost_sentence
from joulemark.analyse.verdict import Comparison
from joulemark.records.build_names import plain_name
from joulemark.records.trial import Workload
from joulemark.units import format_percent

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


def slower_sentences(regressions: Sequence[Comparison], threshold: float) -> list[str]:
    """The slower trials, the worst first."""
    return [
        f"{_name(comparison)} is {format_percent(comparison.ratio - 1)} slower (at least "
        f"{format_percent(comparison.low - 1)}; the threshold is {format_percent(threshold)})."
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
    unclear: Sequence[Comparison], at_threshold: Sequence[Comparison], threshold: float
) -> list[str]:
    """The trials that could hide a regression."""
    limit = format_percent(threshold)
    return [
        f"{_name(comparison)} is {_span(comparison.low, comparison.high)}, which is {AT_THRESHOLD} "
        f"of {limit}."
        if comparison in at_threshold
        else f"{_name(comparison)} is {_span(comparison.low, comparison.high)} "
        f"({comparison.verdict}); a slow-down of more than {limit} cannot be excluded."
        for comparison in unclear
    ]


def allowed_sentences(allowed: Sequence[Comparison], threshold: float) -> list[str]:
    """The trials that are slower, and may be, the worst first."""
    return [
        f"{_name(comparison)} is {allowed_words(comparison)} "
        f"({_span(comparison.low, comparison.high)}; the threshold is {format_percent(threshold)})."
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
    """Implementation and size."""
    return f"{plain_name(comparison.contender)} at {comparison.workload.text}"
