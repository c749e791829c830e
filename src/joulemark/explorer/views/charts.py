# SPDX-License-Identifier: Apache-2.0
"""The charts of views: functions from rows to a Vega-Lite specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joulemark.explorer.estimates import LineQuantity
from joulemark.records.core_figures import CoreFigure
from joulemark.report.drawing import (
    BYTES_LABEL,
    LOG,
    MOST_LABELS,
    Looks,
    Spec,
    channel,
    either,
    evidence_words,
    filtered,
    frame,
    height_by_labels,
    interval,
    mark,
    tooltips,
    value_axis,
)

# A quantity against message length, both axes logarithmic, with its intervals.

CURVE_CAPTION = (
    "Lower is better. Both axes are logarithmic. Points are medians; the bars are the 95 % "
    "intervals, often thinner than the point. Each variant has strokes of its own, which are "
    "short for outside libraries. Messages of 0 bytes, and figures whose interval touches zero, "
    "have no place on a logarithmic axis and are only in the table."
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
    x = channel(
        "size_bytes:Q",
        title="message length",
        scale={**LOG, "base": 2},
        axis={
            "values": sorted({row["size_bytes"] for row in drawn}),
            "labelExpr": BYTES_LABEL,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
        },
    )
    upwards = {
        "title": f"{quantity.title} ({evidence_words(drawn)})",
        "scale": LOG,
        "axis": value_axis(quantity.unit, drawn),
    }
    base, y = {"x": x, "color": looks.colour()}, channel("value:Q", **upwards)
    line = {**base, "y": y, "strokeDash": looks.dashes()}
    ends = {**base, **interval("y", "low:Q", "high:Q", upwards)}
    point = {**base, "y": y, "shape": looks.shape(), "tooltip": tooltips(_CURVE_TOOLTIP)}
    return frame(
        description,
        drawn,
        [
            mark("line", line, strokeWidth=1.8, aria=False),
            mark("rule", ends, strokeWidth=1.5, aria=False),
            mark("point", point, filled=True, size=46, strokeWidth=1),
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
    across = {
        "title": quantity.title,
        "axis": value_axis(quantity.unit, drawn),
        "scale": {"type": "log", "nice": False, "padding": 14},
    }
    base = {"y": _labels(grid=True), "color": looks.colour()}
    ends = {**base, **interval("x", "low:Q", "high:Q", across)}
    x, tooltip = channel("value:Q", **across), tooltips(_DOTS_TOOLTIP)
    point = {**base, "x": x, "shape": looks.shape(), "tooltip": tooltip}
    return frame(
        description,
        drawn,
        [mark("rule", ends, strokeWidth=2, aria=False), mark("point", point, filled=True, size=70)],
        **height_by_labels(drawn),
    )


def _labels(**axis: bool) -> Spec:
    """The vertical axis of a chart that has one line for each `label` of the rows."""
    looks = {"labelLimit": 260, "ticks": False, **axis}
    return channel("label:N", title=None, sort=None, axis=looks)


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
        return channel(
            f"{field}:Q",
            title=f"{kind.heading}{unit}",
            scale=LOG,
            axis=value_axis(kind.unit, drawn, field, field),
        )

    base = {"x": axis_of(across, "x"), "y": axis_of(upwards, "y"), "color": looks.colour()}
    point = {
        **base,
        "shape": looks.shape(),
        "size": either("datum.best", 90, 40),
        "opacity": either("datum.best", 1, 0.6),
        "tooltip": tooltips(_FRONT_TOOLTIP),
    }
    best = {"transform": filtered(["datum.best"])}
    return frame(
        description,
        drawn,
        [
            mark("line", base, above=best, interpolate="step-after", strokeWidth=1.5, aria=False),
            mark("point", point, filled=True, strokeWidth=1),
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
    upwards = {
        "title": f"{quantity.title} ({evidence_words(drawn)})",
        "scale": {"type": "log", "nice": False, "padding": 16},
        "axis": value_axis(quantity.unit, drawn),
    }
    base, y = {"x": x, "color": looks.colour()}, channel("value:Q", **upwards)
    ends = {**base, **interval("y", "low:Q", "high:Q", upwards)}
    point = {
        **base,
        "y": y,
        "shape": looks.shape(),
        "size": either("datum.flagged", 140, 34),
        "tooltip": tooltips(_HISTORY_TOOLTIP),
    }
    flagged = {"transform": filtered(["datum.flagged"])}
    flags = mark("rule", {"x": x}, above=flagged, strokeDash=[3, 4], strokeWidth=1.4, aria=False)
    return frame(
        description,
        drawn,
        [
            # Vega warns of a layer without rows.
            *([flags] if any(row["flagged"] for row in drawn) else []),
            mark("line", {**base, "y": y}, strokeWidth=1.2, opacity=0.7, aria=False),
            mark("rule", ends, strokeWidth=1.3, aria=False),
            mark("point", point, filled=True, strokeWidth=1),
        ],
    )


# Ratios of a comparison with their intervals, one below the other; 1 is no difference.

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
    across = {
        "title": "time after over before (measured)",
        "axis": {
            "labelExpr": "format(datum.value, '.3~r') + '\N{MULTIPLICATION SIGN}'",
            "labelOverlap": "greedy",
            "tickCount": 6,
        },
        "scale": LOG,
    }
    colours = {str(row["verdict"]): int(row["colour"]) for row in drawn}
    colour = channel(
        "verdict:N",
        title="verdict",
        legend={"symbolLimit": 0, "labelLimit": 320},
        scale={
            "domain": list(colours),
            "range": [{"expr": f"palette[{index}]"} for index in colours.values()],
        },
    )
    base, level = {"y": _labels(), "color": colour}, {"data": {"values": [{"one": 1}]}}
    ends = {**base, **interval("x", "low:Q", "high:Q", across)}
    point = {**base, "x": channel("ratio:Q", **across), "tooltip": tooltips(_RATIOS_TOOLTIP)}
    rule = {"x": channel("one:Q", **across)}
    return frame(
        description,
        drawn,
        [
            mark("rule", rule, above=level, strokeDash=[3, 4], aria=False),
            mark("rule", ends, strokeWidth=2, aria=False),
            mark("point", point, filled=True, size=60),
        ],
        **height_by_labels(drawn),
    )
