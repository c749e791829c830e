# SPDX-License-Identifier: Apache-2.0
"""Energy for authentication over payload: a staircase for each MAC, with its bounds as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.records.figures import FigureUnit
from joulemark.report.drawing.specs import (
    Looks,
    Spec,
    frame,
    tooltips,
    unit_label,
    value_channel,
)

CAPTION: Final = (
    "Lower is better. Each step is a payload that takes a block, or a group of symbols, more. "
    "Energies are modelled: currents of data sheets by core cycles and time on the air; a band "
    "has the uncertainty of the values alone (95 %). The dashed line stands at the payload of the "
    "question. The table has every MAC at that payload, the data have every payload."
)
_TOOLTIP: Final = {
    "series": "implementation",
    "length": "payload",
    "text": "for authentication",
    "evidence": "evidence",
}


def stairs(
    rows: Sequence[Mapping[str, Any]], payload_bytes: int, looks: Looks, description: str
) -> Spec | None:
    """The chart; None without a row.

    Args:
        rows: `series`, `payload_bytes`, `joules`, `low`, `high`, and the words of the tooltip.
        payload_bytes: payload of the packet that the page is about.
        looks: of the series.
        description: for screen readers.
    """
    if not rows:
        return None
    x = {
        "field": "payload_bytes",
        "type": "quantitative",
        "title": "payload of a packet (B)",
        "scale": {"nice": False},
        "axis": {"tickMinStep": 1},
    }
    y = value_channel(
        "for authentication of a packet (modelled)",
        axis={"labelExpr": unit_label(FigureUnit.JOULES), "labelOverlap": "greedy"},
    )
    colour = looks.colour()
    return frame(
        description,
        rows,
        [
            {
                "mark": {
                    "type": "area",
                    "opacity": 0.15,
                    "interpolate": "step-after",
                    "aria": False,
                },
                "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {
                    "type": "line",
                    "interpolate": "step-after",
                    "strokeWidth": 1.8,
                    "aria": False,
                },
                "encoding": {"x": x, "y": y("joules"), "color": colour},
            },
            {
                "data": {"values": [{"payload_bytes": payload_bytes}]},
                "mark": {"type": "rule", "strokeDash": [4, 4], "aria": False},
                "encoding": {"x": x},
            },
            {
                "transform": [{"filter": f"datum.payload_bytes == {int(payload_bytes)}"}],
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {
                    "x": x,
                    "y": y("joules"),
                    "color": colour,
                    "shape": looks.shape(),
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
    )
