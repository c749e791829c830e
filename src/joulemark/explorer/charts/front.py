# SPDX-License-Identifier: Apache-2.0
"""Two figures of hardware cores against each other, with the Pareto front of each setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.records.core_figures import CoreFigure
from joulemark.report.drawing.specs import LOG, Looks, Spec, frame, tooltips, value_axis

CAPTION = (
    "Lower left is better. A line joins the points that no other point of the same device or "
    "library, clock and voltage beats in both figures. Both axes are logarithmic. Nothing here was "
    "measured on silicon: the word beside each figure says how it was obtained."
)
_TOOLTIP = {
    "core": "core",
    "parameters": "parameters",
    "series": "target",
    "x_text": "across",
    "y_text": "upwards",
    "evidence": "evidence",
}


def pareto(points: Sequence[tuple[float, float]]) -> list[bool]:
    """For each point: whether no other is at most as large in both values and smaller in one."""
    least = float("inf")
    best: set[tuple[float, float]] = set()
    for point in sorted(set(points)):
        if point[1] < least:
            least = point[1]
            best.add(point)
    return [point in best for point in points]


def front(
    across: CoreFigure,
    upwards: CoreFigure,
    rows: Sequence[Mapping[str, Any]],
    looks: Looks,
    description: str,
) -> Spec | None:
    """The chart; None if no row can be drawn.

    Args:
        across: the figure of the horizontal axis.
        upwards: the figure of the vertical axis.
        rows: `series`, `x`, `y`, `best`, and the words of the tooltip.
        looks: of the series.
        description: for screen readers.
    """
    drawn = [row for row in rows if row["x"] > 0 and row["y"] > 0]
    if not drawn:
        return None

    def axis_of(kind: CoreFigure, field: str) -> Spec:
        unit = f" ({kind.unit.value})" if kind.unit.value else ""
        return {
            "field": field,
            "type": "quantitative",
            "title": f"{kind.heading}{unit}",
            "scale": LOG,
            "axis": value_axis(kind.unit, drawn, field, field),
        }

    x, y, colour = axis_of(across, "x"), axis_of(upwards, "y"), looks.colour()
    return frame(
        description,
        drawn,
        [
            {
                "transform": [{"filter": "datum.best"}],
                "mark": {
                    "type": "line",
                    "interpolate": "step-after",
                    "strokeWidth": 1.5,
                    "aria": False,
                },
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "strokeWidth": 1},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": colour,
                    "shape": looks.shape(),
                    "size": {"condition": {"test": "datum.best", "value": 90}, "value": 40},
                    "opacity": {"condition": {"test": "datum.best", "value": 1}, "value": 0.6},
                    "tooltip": tooltips(_TOOLTIP),
                },
            },
        ],
    )
