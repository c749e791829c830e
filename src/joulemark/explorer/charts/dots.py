# SPDX-License-Identifier: Apache-2.0
"""Figures of different targets on one axis, one line for each, sorted by the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.explorer.estimates.lines import LineQuantity
from joulemark.report.drawing.specs import (
    MOST_LABELS,
    Looks,
    Spec,
    frame,
    height_by_labels,
    tooltips,
    value_axis,
    value_channel,
)

CAPTION = (
    "Left is better. Each line is one implementation on one target, and its colour says how the "
    "figure was obtained. The axis is logarithmic: these targets differ by orders of magnitude."
)
_TOOLTIP = {
    "implementation": "implementation",
    "target": "target",
    "where": "machine or device",
    "text": "figure",
    "evidence": "evidence",
    "basis": "obtained from",
}


def dots(
    quantity: LineQuantity, rows: Sequence[Mapping[str, Any]], looks: Looks, description: str
) -> Spec | None:
    """The chart; None if no row can be drawn.

    Args:
        quantity: the quantity of the horizontal axis.
        rows: `label`, `series` (the evidence word), `value`, `low`, `high`, and the words of the
            tooltip.
        looks: of the series.
        description: for screen readers.
    """
    drawn = [row for row in rows if row["low"] > 0][:MOST_LABELS]
    if not drawn:
        return None
    y = {
        "field": "label",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelLimit": 260, "ticks": False, "grid": True},
    }
    x = value_channel(
        quantity.title,
        axis=value_axis(quantity.unit, drawn),
        scale={"type": "log", "nice": False, "padding": 14},
    )
    colour = looks.colour()
    return frame(
        description,
        drawn,
        [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
                "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {
                    "y": y,
                    "x": x("value"),
                    "color": colour,
                    "shape": looks.shape(),
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
        **height_by_labels(drawn),
    )
