# SPDX-License-Identifier: Apache-2.0
"""A quantity against message length, both axes logarithmic, with its intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.explorer.estimates.lines import LineQuantity
from joulemark.report.drawing.specs import (
    BYTES_LABEL,
    LOG,
    Looks,
    Spec,
    evidence_words,
    frame,
    tooltips,
    value_axis,
    value_channel,
)

CAPTION = (
    "Lower is better. Both axes are logarithmic. Points are medians; the bars are the 95 % "
    "intervals, often thinner than the point. Lines of outside libraries are dashed. Messages of "
    "0 bytes, and figures whose interval touches zero, have no place on a logarithmic axis and are "
    "only in the table."
)
_TOOLTIP = {
    "implementation": "implementation",
    "where": "machine or target",
    "run": "run",
    "length": "message",
    "workload": "workload",
    "text": "figure",
    "evidence": "evidence",
    "samples": "samples",
}


def curve(
    quantity: LineQuantity, rows: Sequence[Mapping[str, Any]], looks: Looks, description: str
) -> Spec | None:
    """The chart; None if no row can be drawn.

    Args:
        quantity: the quantity of the vertical axis.
        rows: `series`, `size_bytes`, `value`, `low`, `high`, `evidence`, and the words of the
            tooltip.
        looks: of the series.
        description: for screen readers.
    """
    drawn = [row for row in rows if row["size_bytes"] > 0 and row["low"] > 0]
    if not drawn:
        return None
    x = {
        "field": "size_bytes",
        "type": "quantitative",
        "title": "message length",
        "scale": {**LOG, "base": 2},
        "axis": {
            "values": sorted({row["size_bytes"] for row in drawn}),
            "labelExpr": BYTES_LABEL,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
        },
    }
    title = f"{quantity.title} ({evidence_words(drawn)})"
    y = value_channel(title, scale=LOG, axis=value_axis(quantity.unit, drawn))
    colour = looks.colour()
    return frame(
        description,
        drawn,
        [
            {
                "mark": {"type": "line", "strokeWidth": 1.8, "aria": False},
                "encoding": {
                    "x": x,
                    "y": y("value"),
                    "color": colour,
                    "strokeDash": looks.dashes(),
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
                "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 46, "strokeWidth": 1},
                "encoding": {
                    "x": x,
                    "y": y("value"),
                    "color": colour,
                    "shape": looks.shape(),
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
    )
