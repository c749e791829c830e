# SPDX-License-Identifier: Apache-2.0
"""Ratios of a comparison with their intervals, one below the other; 1 is no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.report.drawing.specs import (
    LOG,
    MOST_LABELS,
    Spec,
    frame,
    height_by_labels,
    tooltips,
    value_channel,
)

CAPTION = (
    "Left of 1 is faster than before, right of it slower. The bars are intervals that hold "
    "together for all lines of the table; those that cross 1 show no difference."
)
_TOOLTIP = {"label": "trial", "text": "ratio", "verdict": "verdict", "evidence": "evidence"}


def ratios(rows: Sequence[Mapping[str, Any]], description: str) -> Spec | None:
    """The chart; None without a row.

    Args:
        rows: `label`, `ratio`, `low`, `high`, `colour` (index in the palette), `text`, `verdict`.
        description: for screen readers.
    """
    drawn = rows[:MOST_LABELS]
    if not drawn:
        return None
    y = {
        "field": "label",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelLimit": 260, "ticks": False},
    }
    x = value_channel(
        "time after over before (measured)",
        axis={
            "labelExpr": "format(datum.value, '.3~r') + '\N{MULTIPLICATION SIGN}'",
            "labelOverlap": "greedy",
            "tickCount": 6,
        },
        scale=LOG,
    )
    colours = {str(row["verdict"]): int(row["colour"]) for row in drawn}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "title": "verdict",
        "legend": {"symbolLimit": 0, "labelLimit": 320},
        "scale": {
            "domain": list(colours),
            "range": [{"expr": f"palette[{index}]"} for index in colours.values()],
        },
    }
    return frame(
        description,
        drawn,
        [
            {
                "data": {"values": [{"one": 1}]},
                "mark": {"type": "rule", "strokeDash": [3, 4], "aria": False},
                "encoding": {"x": x("one")},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
                "encoding": {"y": y, "x": x("low"), "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {
                    "y": y,
                    "x": x("ratio"),
                    "color": colour,
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
        **height_by_labels(drawn),
    )
