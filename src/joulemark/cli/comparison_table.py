# SPDX-License-Identifier: Apache-2.0
"""Comparisons as a table, for `compare` and `check`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.verdict import Comparison, CountComparison, Verdict
from joulemark.cli.shared.terminal import columns, print_text, terminal_width
from joulemark.records.trial import plain_name
from joulemark.units import format_percent

_SMALLEST_P: Final = 0.0001
_HEADINGS: Final = ("implementation", "message", "verdict", "ratio", "interval", "adjusted p")
_COUNT_HEADINGS: Final = (
    "implementation",
    "target",
    "message",
    "verdict",
    "core cycles",
    "ratio",
    "instructions",
    "code bytes",
)
_IN_WORDS: Final = {
    Verdict.PERHAPS_FASTER: "faster, maybe by too little to count",
    Verdict.PERHAPS_SLOWER: "slower, maybe by too little to count",
    Verdict.PERHAPS_LESS: "less energy, maybe by too little to count",
    Verdict.PERHAPS_MORE: "more energy, maybe by too little to count",
}
"""Verdicts in words for a reader who gave no threshold."""
_WIDTH_WITH_P: Final = 100
_FEWEST_DECIMALS, _MOST_DECIMALS = 2, 6


def print_comparisons(
    comparisons: Sequence[Comparison], verdicts: Sequence[str] | None = None
) -> None:
    """Prints the table, and each note once. A narrow terminal has no room for the p-values.

    `verdicts` are those of the rows, where the command has other words for them.
    """
    own = [_IN_WORDS.get(each.verdict, str(each.verdict)) for each in comparisons]
    rows = _rows(comparisons, verdicts or own)
    room = terminal_width()
    if room is not None and room < _WIDTH_WITH_P:
        rows = [row[:-1] for row in rows]
    columns(rows, right=(1, 3, 4, 5), prose=(2, 0))
    for note in dict.fromkeys(note for comparison in comparisons for note in comparison.notes):
        print_text(f"  {note}")


def print_common(found: RunComparison) -> None:
    """Prints what all trials of two runs share, and the trials that only one run has."""
    shift = found.common_shift
    if shift is not None and shift.trials > 1:
        ratio, low, high = _ratio(shift.ratio, shift.low, shift.high)
        print_text(
            f"  All {shift.trials} trials together: ratio {ratio} [{low} to {high}]; "
            f"half of them lie within {format_percent(shift.spread)} of it."
        )
    for trials, where in ((found.missing, "old"), (found.added, "new")):
        if trials:
            named = ", ".join(sorted({trial.implementation for trial in trials}))
            many = "1 trial" if len(trials) == 1 else f"{len(trials)} trials"
            print_text(f"  Only in the {where} run: {many} ({named}).")


def print_counts(counted: Sequence[CountComparison]) -> None:
    """Prints the counts of firmware of two runs side by side."""
    rows: list[tuple[str, ...]] = [_COUNT_HEADINGS]
    for comparison in counted:
        trial, before, after = comparison.trial, comparison.before, comparison.after
        rows.append(
            (
                trial.implementation,
                trial.target,
                trial.workload.text,
                comparison.words,
                _change(before.core_cycles, after.core_cycles),
                f"{comparison.ratio:.4f}",
                _change(before.instructions, after.instructions),
                _change(before.code_bytes, after.code_bytes),
            )
        )
    columns(rows, right=(2, 4, 5, 6, 7), prose=(0,))
    counts = [count for pair in counted for count in (pair.before, pair.after)]
    words = sorted({count.evidence for count in counts})
    tools = {(count.compiler, count.simulator) for count in counts}
    print_text(f"  Core cycles are {' and '.join(words)}, exact, and have no interval.")
    if len(tools) > 1:
        named = "; ".join(sorted(f"{compiler}, {simulator}" for compiler, simulator in tools))
        print_text(f"  The runs differ in compiler or simulator: {named}.")


def _change(before: int, after: int) -> str:
    """A count of both runs, or both counts where they differ."""
    return str(before) if before == after else f"{before} -> {after}"


def _rows(comparisons: Sequence[Comparison], verdicts: Sequence[str]) -> list[tuple[str, ...]]:
    """Heading and one row per comparison."""
    special = {comparison.workload: comparison.workload.special for comparison in comparisons}
    rows: list[tuple[str, ...]] = [_HEADINGS]
    for comparison, verdict in zip(comparisons, verdicts, strict=True):
        words = special[comparison.workload]
        ratio, low, high = _ratio(comparison.ratio, comparison.low, comparison.high)
        rows.append(
            (
                plain_name(comparison.contender) + (f" ({words})" if words else ""),
                comparison.workload.length_text,
                verdict,
                ratio,
                f"[{low}, {high}]",
                f"{comparison.p_adjusted:.2g}"
                if comparison.p_adjusted >= _SMALLEST_P
                else f"< {_SMALLEST_P}",
            )
        )
    return rows


def _ratio(*values: float) -> list[str]:
    """A ratio and the two ends of its interval, with the digits that its width leaves true."""
    low, high = values[-2:]
    width = high - low
    decimals = -math.floor(math.log10(width)) if 0 < width < math.inf else _MOST_DECIMALS
    decimals = min(max(decimals, _FEWEST_DECIMALS), _MOST_DECIMALS)
    return [f"{value:.{decimals}f}" for value in values]
