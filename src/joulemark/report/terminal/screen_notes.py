# SPDX-License-Identifier: Apache-2.0
"""Doubts about a whole run, and implementations without a figure, each in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from joulemark.analyse.results import ResultSet
from joulemark.analyse.warnings import SO_IN
from joulemark.records.doubt import Doubt, DoubtKind
from joulemark.records.failure import FailureKind
from joulemark.report.absent import few
from joulemark.report.notes import cause_of
from joulemark.units import format_bytes

__all__ = ["run_doubts", "slow_medians", "without_figure"]

_ENDS = (": ", "; ", ". ", " (")
"""Signs that end the first clause of a sentence."""
_ABSENT = {FailureKind.UNAVAILABLE, FailureKind.REFUSED}
"""Failures that are only counted: nothing is wrong with the implementation."""


def run_doubts(results: ResultSet) -> Iterator[str]:
    """One line for each cause of doubt about the whole run: the first clause of its sentence.

    The whole sentence, with what to do, stands below the long table and on the page.
    """
    lines: dict[DoubtKind | Doubt, str] = {}
    for sentence in results.warnings:
        text, shared, trials = sentence.partition(SO_IN)
        doubt = Doubt.from_sentence(text)
        which = f"Doubt in {trials.rstrip('.')}" if shared else "Doubt"
        lines.setdefault(cause_of(doubt), f"{which}: {_first_clause(doubt.text)}")
    yield from lines.values()


def slow_medians(results: ResultSet) -> Iterator[str]:
    """One line on how far medians lie above the fastest sample, if some trials have that doubt.

    If so many have it that it is a doubt about the run, `run_doubts` says it instead.
    """
    ratios = [
        figure.median / figure.minimum
        for result in results.results
        if any(doubt.kind is DoubtKind.SLOW_MEDIAN for doubt in result.warnings)
        and (figure := result.seconds_per_message)
        and figure.minimum > 0
    ]
    if ratios:
        yield (
            f"Median up to {max(ratios):.1f} times the fastest sample, in {len(ratios)} of "
            f"{len(results.results)} trials: a quiet machine gives lower times"
        )


def _first_clause(sentence: str) -> str:
    ends = [place for mark in _ENDS if (place := sentence.find(mark)) > 0]
    return sentence[: min(ends, default=len(sentence))].rstrip(".")


def without_figure(results: ResultSet) -> Iterator[str]:
    """Names the implementations that failed, and counts the absent ones."""
    failed = [
        f"{failure.implementation}{_at(failure.size_bytes)} ({failure.kind.value})"
        for failure in results.failures
        if failure.kind not in _ABSENT
    ]
    if failed:
        yield f"Without a figure: {few(failed)}"
    counted = Counter(failure.kind.value for failure in results.failures if failure.kind in _ABSENT)
    if counted:
        text = ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))
        yield f"Not measured: {text}"


def _at(size_bytes: int | None) -> str:
    return "" if size_bytes is None else f" at {format_bytes(size_bytes)}"
