# SPDX-License-Identifier: Apache-2.0
"""Comparisons as a table, for `compare` and `check`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import typer

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.gate_report import special_words
from joulemark.analyse.verdict import Comparison
from joulemark.cli.shared.terminal import columns
from joulemark.records.build_names import plain_name
from joulemark.units import format_percent

__all__ = ["print_common", "print_comparisons"]

_SMALLEST_P: Final = 0.0001
_HEADINGS: Final = ("contender", "message", "ratio", "interval", "adjusted p", "verdict")


def print_comparisons(comparisons: Sequence[Comparison]) -> None:
    """The table, and each note once."""
    columns(_rows(comparisons), right=(1, 2, 3, 4))
    for note in dict.fromkeys(note for one in comparisons for note in one.notes):
        typer.echo(f"  {note}")


def print_common(found: RunComparison) -> None:
    """What all trials of two runs share, and the trials that only one of them has."""
    shift = found.common_shift
    if shift is not None and shift.trials > 1:
        typer.echo(
            f"  All {shift.trials} trials together: ratio {shift.ratio:.4f} "
            f"[{shift.low:.4f} to {shift.high:.4f}]; single trials move by "
            f"{format_percent(shift.spread)} about it."
        )
    for trials, where in ((found.missing, "old"), (found.added, "new")):
        if trials:
            named = ", ".join(sorted({trial.implementation for trial in trials}))
            typer.echo(f"  Only in the {where} run: {len(trials)} trials ({named}).")


def _rows(comparisons: Sequence[Comparison]) -> list[tuple[str, ...]]:
    """Heading and one row per comparison."""
    special = {one.workload: special_words(one.workload) for one in comparisons}
    rows: list[tuple[str, ...]] = [_HEADINGS]
    for one in comparisons:
        words = special[one.workload]
        rows.append(
            (
                plain_name(one.contender) + (f" ({words})" if words else ""),
                one.workload.length_text,
                f"{one.ratio:.4f}",
                f"[{one.low:.4f}, {one.high:.4f}]",
                f"{one.p_adjusted:.4f}" if one.p_adjusted >= _SMALLEST_P else f"< {_SMALLEST_P}",
                str(one.verdict),
            )
        )
    return rows
