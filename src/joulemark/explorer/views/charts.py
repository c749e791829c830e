# SPDX-License-Identifier: Apache-2.0
"""The charts of views: functions from rows to a Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.explorer.estimates.lines import LineQuantity
from joulemark.records.core_figures import CoreFigure
from joulemark.report.drawing.specs import (
    BYTES_LABEL,
    LOG,
    MOST_LABELS,
    Looks,
    Spec,
    evidence_words,
    frame,
    height_by_labels,
    tooltips,
    value_axis,
    value_channel,
)

# A quantity against message length, both axes logarithmic, with its intervals.

CURVE_CAPTION = (
    "Lower is better. Both axes are logarithmic. Points are medians; the bars are the 95 % "
    "intervals, often thinner than the point. Lines of outside libraries are dashed. Messages of "
    "0 bytes, and figures whose interval touches zero, have no place on a logarithmic axis and are "
    "only in the table."
)
_CURVE_TOOLTIP = {
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
                    "tooltip": tooltips(_CURVE_TOOLTIP),
                },
            },
        ],
    )


# Figures of different targets on one axis, one line for each, sorted by the figure.

DOTS_CAPTION = (
    "Left is better. Each line is one implementation on one target, and its colour says how the "
    "figure was obtained. The axis is logarithmic: these targets differ by orders of magnitude."
)
_DOTS_TOOLTIP = {
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
                    "tooltip": tooltips(_DOTS_TOOLTIP),
                },
            },
        ],
        **height_by_labels(drawn),
    )


# Two figures of hardware cores against each other, with the Pareto front of each setting.

FRONT_CAPTION = (
    "Lower left is better. A line joins the points that no other point of the same device or "
    "library, clock and voltage beats in both figures. Both axes are logarithmic. Nothing here was "
    "measured on silicon: the word beside each figure says how it was obtained."
)
_FRONT_TOOLTIP = {
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
                    "tooltip": tooltips(_FRONT_TOOLTIP),
                },
            },
        ],
    )


# A quantity over the runs of a machine, with the changes that the gate flags.

HISTORY_CAPTION = (
    "Lower is better. The vertical axis is logarithmic, and the bars are the 95 % intervals of one "
    "run, which do not hold what a machine does between runs. A rule marks a run in which the gate "
    "(joulemark check, threshold 5 %, the newest earlier run on the same machine as baseline) "
    "finds this implementation slower."
)
_HISTORY_TOOLTIP = {
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
                    "tooltip": tooltips(_HISTORY_TOOLTIP),
                },
            },
        ],
    )


RATIOS_CAPTION = (
    "Left of 1 is faster than before, right of it slower. The bars are intervals that hold "
    "together for all lines of the table; those that cross 1 show no difference."
)
_RATIOS_TOOLTIP = {"label": "trial", "text": "ratio", "verdict": "verdict", "evidence": "evidence"}


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
                    "tooltip": tooltips(_RATIOS_TOOLTIP),
                },
            },
        ],
        **height_by_labels(drawn),
    )
