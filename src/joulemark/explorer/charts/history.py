# SPDX-License-Identifier: Apache-2.0
"""A quantity over the runs of a machine, with the changes that the gate flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.explorer.estimates.lines import LineQuantity
from joulemark.report.drawing.specs import (
    Looks,
    Spec,
    evidence_words,
    frame,
    tooltips,
    value_axis,
    value_channel,
)

CAPTION = (
    "Lower is better. The vertical axis is logarithmic, and the bars are the 95 % intervals of one "
    "run, which do not hold what a machine does between runs. A rule marks a run in which the gate "
    "(joulemark check, threshold 5 %, the newest earlier run on the same machine as baseline) "
    "finds this implementation slower."
)
_TOOLTIP = {
    "run": "run",
    "when": "started",
    "where": "machine",
    "length": "message",
    "text": "figure",
    "evidence": "evidence",
    "flag": "gate",
}


def history(
    quantity: LineQuantity, rows: Sequence[Mapping[str, Any]], looks: Looks, description: str
) -> Spec | None:
    """The chart; None if no row can be drawn.

    Args:
        quantity: the quantity of the vertical axis.
        rows: `series`, `time` (ISO 8601), `value`, `low`, `high`, `evidence`, `flagged`, and the
            words of the tooltip.
        looks: of the series.
        description: for screen readers.
    """
    drawn = [row for row in rows if row["low"] > 0]
    if not drawn:
        return None
    x = {
        "field": "time",
        "type": "temporal",
        "title": "start of the run (UTC)",
        "scale": {"type": "utc", "padding": 10},
        "axis": {"labelOverlap": "greedy"},
    }
    y = value_channel(
        f"{quantity.title} ({evidence_words(drawn)})",
        scale={"type": "log", "nice": False, "padding": 16},
        axis=value_axis(quantity.unit, drawn),
    )
    colour = looks.colour()
    flags = {
        "transform": [{"filter": "datum.flagged"}],
        "mark": {"type": "rule", "strokeDash": [3, 4], "strokeWidth": 1.4, "aria": False},
        "encoding": {"x": x},
    }
    return frame(
        description,
        drawn,
        [
            # Vega warns of a layer without rows.
            *([flags] if any(row["flagged"] for row in drawn) else []),
            {
                "mark": {"type": "line", "strokeWidth": 1.2, "opacity": 0.7, "aria": False},
                "encoding": {"x": x, "y": y("value"), "color": colour},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 1.3, "aria": False},
                "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "strokeWidth": 1},
                "encoding": {
                    "x": x,
                    "y": y("value"),
                    "color": colour,
                    "shape": looks.shape(),
                    "size": {"condition": {"test": "datum.flagged", "value": 140}, "value": 34},
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
    )
