# SPDX-License-Identifier: Apache-2.0
"""Time per message over that of the fastest outside library, against message length."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence, AbsenceKind
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import Row, Spec
from joulemark.report.drawing.curve import LENGTH, curve, label_ends
from joulemark.report.drawing.rows import (
    ChartQuantity,
    best_at_one_length,
    mark_picked,
    pictures,
    rows,
    selection,
)
from joulemark.report.style import OWN_PROVIDER
from joulemark.report.words import default_algorithm, seconds_text

PLACE = 0
TITLE = "Time against the fastest outside library measured"
CAPTION = (
    "Lower is better. At each length every time is divided by that of the outside library that was "
    "the fastest of those measured there: at 1 both take the same time, at 0.5 half of the "
    "library's. Intervals are "
    "those of the times, divided by the library's median, whose own uncertainty is not added."
)

_TIME = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_RATIO = ChartQuantity(_TIME.field, "time / fastest outside library's", 1.0, seconds_text)
_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 50, 100]
"""Ratios with labels: most lie near 1."""
_LABEL = "format(datum.value, '.3~r') + '\N{MULTIPLICATION SIGN}'"


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where no algorithm was timed in a library and beside it."""
    of_lengths = pictures(rows(results, _TIME, logarithmic=True), "bytes").values()
    data = [row for pictured in of_lengths for row in _ratios(pictured)]
    drawn = {row["algorithm"] for row in data}
    algorithm = default_algorithm(
        [result for result in results.results if result.algorithm in drawn]
    )
    if not data or algorithm is None:
        return None
    for pictured in pictures(data).values():
        mark_picked(pictured, best_at_one_length)
        label_ends(pictured, LENGTH.field)
    return curve(results, data, selection(data, algorithm), _RATIO, _LABEL, LENGTH, _STEPS)


def missing(results: ResultSet) -> Absence:
    """Why the chart of ratios cannot be drawn."""
    if any(result.provider != OWN_PROVIDER for result in results.results):
        return missing_reason(results, _TIME.field)
    return Absence("no outside library was timed", AbsenceKind.NOT_ASKED)


def _ratios(pictured: Sequence[Row]) -> list[Row]:
    """The rows of one length, divided by the fastest library; none without a library or rival."""
    libraries = [row for row in pictured if row["provider"] != OWN_PROVIDER]
    if not libraries or len(pictured) == 1:
        return []
    best = min(libraries, key=lambda row: row["value"])
    return [
        row
        | {key: row[key] / best["value"] for key in ("value", "low", "high")}
        | {
            "text": f"{row['value'] / best['value']:.2f}\N{MULTIPLICATION SIGN} "
            f"of {best['name']}'s {best['text']}"
        }
        for row in pictured
    ]
