# SPDX-License-Identifier: Apache-2.0
"""Energy per byte against message length."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence
from joulemark.report.circumstances import headline_name, missing_energy
from joulemark.report.drawing import NANOJOULES_LABEL, Spec
from joulemark.report.drawing.curve import length_curve
from joulemark.report.drawing.rows import ChartQuantity
from joulemark.report.words import joules_text

PLACE = 3
TITLE = "Energy per byte"
CAPTION = (
    "Lower is better. Both axes are logarithmic. The energy is net of deep idle and that of one "
    "domain, named above the chart. Points are medians; the bars with ends are the 95 % "
    "intervals. Each variant has strokes of its own, which are short for outside libraries. Zero-"
    "byte messages, and figures whose interval touches zero, have no place on a logarithmic axis "
    "and are only in the tables."
)

_QUANTITY = ChartQuantity(
    "joules_per_byte", "energy per byte, net of deep idle", 1e9, joules_text, headline_name
)


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where no meter gave a figure; evidence stands in the axis title."""
    return length_curve(results, _QUANTITY, NANOJOULES_LABEL)


def missing(results: ResultSet) -> Absence:
    """Why there is no energy per byte."""
    return missing_energy(results, _QUANTITY.field)
