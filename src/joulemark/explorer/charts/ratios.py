# SPDX-License-Identifier: Apache-2.0
"""Ratios of a comparison with their intervals, one below the other; 1 is no difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.explorer.charts.base import Spec, frame, tooltips

__all__ = ["CAPTION", "MOST", "ratios"]

MOST: Final = 60
"""Lines of one picture; the table has all of them."""
CAPTION = (
    "Left of 1 is faster than before, right of it slower. The bars are intervals that hold "
    "together for all lines of the table; those that cross 1 show no difference."
)
_TOOLTIP = {"label": "trial", "text": "ratio", "verdict": "verdict", "evidence": "evidence"}
_ROW = 22


def ratios(rows: Sequence[Mapping[str, Any]], description: str) -> Spec | None:
    """The chart; None without a row.

    Args:
        rows: `label`, `ratio`, `low`, `high`, `colour` (place in the palette), `text`, `verdict`.
        description: for screen readers.
    """
    drawn = rows[:MOST]
    if not drawn:
        return None
    y = {
        "field": "label", "type": "nominal", "title": None, "sort": None,
        "axis": {"labelLimit": 260, "ticks": False},
    }  # fmt: skip
    title = "time after over before (measured)"
    axis = {"labelExpr": "format(datum.value, '.3~r') + '\N{MULTIPLICATION SIGN}'",
            "labelOverlap": "greedy", "tickCount": 6}  # fmt: skip
    scale = {"type": "log", "nice": False, "padding": 10}

    def x(field: str) -> Spec:
        return {
            "field": field, "type": "quantitative", "title": title, "axis": axis, "scale": scale
        }  # fmt: skip

    places = {str(row["verdict"]): int(row["colour"]) for row in drawn}
    colour = {
        "field": "verdict", "type": "nominal", "title": "verdict",
        "legend": {"symbolLimit": 0, "labelLimit": 320},
        "scale": {
            "domain": list(places),
            "range": [{"expr": f"palette[{place}]"} for place in places.values()],
        },
    }  # fmt: skip
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
                "encoding": {"y": y, "x": x("ratio"), "color": colour,
                             "tooltip": tooltips(_TOOLTIP)},
            },
        ],
        height=_ROW * len({row["label"] for row in drawn}),
        autosize={"type": "fit-x", "contains": "padding"},
    )  # fmt: skip
