# SPDX-License-Identifier: Apache-2.0
"""Time per message against message length."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import NANOSECONDS_LABEL, Spec
from joulemark.report.drawing.curve import length_curve
from joulemark.report.drawing.rows import ChartQuantity
from joulemark.report.words import seconds_text

PLACE = 1
TITLE = "Time per message"
CAPTION = (
    "Lower is better. Both axes are logarithmic. Points are medians; the bars with ends are the "
    "95 % intervals, often thinner than the point. The flat part on the left is the fixed cost of"
    " a message, the slope on the right the cost of its bytes. Each variant has strokes of its "
    "own, which are short for outside libraries. Zero-byte messages, and figures whose interval "
    "touches zero, have no place on a logarithmic axis and are only in the tables."
)

_QUANTITY = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where nothing was timed."""
    return length_curve(results, _QUANTITY, NANOSECONDS_LABEL)


def missing(results: ResultSet) -> Absence:
    """Why there are no times."""
    return missing_reason(results, _QUANTITY.field)
