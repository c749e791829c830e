# SPDX-License-Identifier: Apache-2.0
"""Core cycles per byte against message length."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import Spec
from joulemark.report.drawing.curve import length_curve
from joulemark.report.drawing.rows import ChartQuantity
from joulemark.report.words import number_text

PLACE = 5
TITLE = "Core cycles per byte"
CAPTION = (
    "Lower is better. Both axes are logarithmic. Points are medians; the bars with ends are the "
    "95 % intervals, often thinner than the point. Short messages pay for padding, finalisation "
    "and the call; the right end shows the cost of the compression function alone. Each variant "
    "has strokes of its own, which are short for outside libraries. Zero-byte messages, and "
    "figures whose interval touches zero, have no place on a logarithmic axis and are only in the"
    " tables."
)

_QUANTITY = ChartQuantity("core_cycles_per_byte", "core cycles per byte", 1.0, number_text)


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where this run has no core cycles; evidence stands in the axis title."""
    return length_curve(results, _QUANTITY, "format(datum.value, '.3~r')")


def missing(results: ResultSet) -> Absence:
    """Why the chart of core cycles cannot be drawn."""
    return missing_reason(results, _QUANTITY.field)
