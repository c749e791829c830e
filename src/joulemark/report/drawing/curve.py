# SPDX-License-Identifier: Apache-2.0
"""A quantity against message length or batch, both axes logarithmic, with names at the lines' ends.

Intervals are always drawn. Names are moved apart so that none covers another. Vega-Lite knows no
such layout. It can be computed here, since the height of a chart is fixed and its vertical axis is
logarithmic from the least to the greatest value of the picture.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scipy.optimize import isotonic_regression

from joulemark.analyse import ResultSet
from joulemark.report.drawing import BYTES_LABEL, Looks, Row, Spec, channel, interval, mark, ticks
from joulemark.report.drawing.rows import (
    BEST_ONLY,
    LEGEND,
    LEGEND_OPACITY,
    PICKED_ONLY,
    ChartQuantity,
    Selection,
    best_at_one_length,
    evidence_title,
    mark_picked,
    pick_parameters,
    pictures,
    rows,
    selection,
)
from joulemark.report.style import OWN_PROVIDER, styles
from joulemark.report.words import default_algorithm

HEIGHT: Final = 400
"""Height of a chart with labels, in pixels."""
AXIS_PADDING: Final = 14
"""Pixels above the greatest and below the least value."""
GAP: Final = 16
"""Pixels from label to label."""
NARROW_PAGE: Final = "containerSize()[0] < 520"
"""Vega expression: there is room for short words alone. A picture has no container and is wide."""
INTERVAL_ENDS: Final = {"size": 13}
"""Ends of an interval, wider than the points, so that a thin interval can be seen."""
FADING: Final = {"condition": {"param": "focus", "value": 1.0, "empty": True}, "value": 0.12}
"""The channel of opacity: variants beside those that are clicked in the legend fade."""
FOCUS: Final = {
    "name": "focus",
    "select": {"type": "point", "fields": ["variant"], "on": "click"},
    "bind": "legend",
    "views": ["lines"],
}
"""The click on the legend, which the layer called `lines` carries."""
_OWN_TITLE: Final = "Joulemark"


@dataclass(frozen=True, slots=True)
class Across:
    """The horizontal axis."""

    field: Literal["bytes", "batch"]
    """Name of the horizontal value in a row."""
    title: str
    label: str
    """Vega expression for the labels."""


LENGTH: Final = Across("bytes", "message length", BYTES_LABEL)


def length_curve(results: ResultSet, quantity: ChartQuantity, value_label: str) -> Spec | None:
    """The best lines of the selected algorithm, or all; None without a single figure.

    `value_label` is the Vega expression for the labels of the vertical axis.
    """
    data = rows(results, quantity, logarithmic=True)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    for pictured in pictures(data).values():
        mark_picked(pictured, best_at_one_length)
        label_ends(pictured, LENGTH.field)
    return curve(results, data, selection(data, algorithm), quantity, value_label, LENGTH)


def curve(
    results: ResultSet,
    data: Sequence[Row],
    chosen: Selection,
    quantity: ChartQuantity,
    value_label: str,
    across: Across,
    steps: Sequence[float] | None = None,
) -> Spec:
    """Lines with points, intervals and names at their ends.

    Args:
        results: with every variant, from which the look of each follows.
        data: at least one row; marked by `mark_picked` and labelled.
        chosen: the dropdowns; a predicate is added to it.
        quantity: the quantity that is drawn.
        value_label: the Vega expression for the labels of the vertical axis.
        across: the horizontal axis.
        steps: values with labels on the vertical axis; None: round ones.
    """
    chosen.predicates.append(PICKED_ONLY)
    legend = {
        "title": None,
        "values": {"expr": LEGEND},
        "symbolLimit": 0,
        "symbolOpacity": {"expr": LEGEND_OPACITY},
        "symbolStrokeWidth": 0,  # the dashes of the lines would gnaw at the symbols
    }
    looks = variant_looks(results, data, legend)
    vertical = {
        "title": evidence_title(quantity.title, data),
        "scale": {"type": "log", "nice": False, "padding": AXIS_PADDING},
        "axis": {
            "values": steps or ticks(data),
            "labelExpr": value_label,
            "labelOverlap": "greedy",
        },
    }
    plain = {"x": _horizontal(data, across), "opacity": FADING}
    base, y = {**plain, "color": looks.colour()}, channel("value:Q", **vertical)
    layers = [
        mark(
            "line",
            {**base, "y": y, "strokeDash": looks.dashes()},
            above={"name": "lines"},
            strokeWidth=1.8,
        ),
        mark(
            "errorbar",
            {**base, **interval("y", "low:Q", "high:Q", vertical)},
            ticks=INTERVAL_ENDS,
            thickness=1.5,
        ),
        mark(
            "point",
            {**base, "y": y, "shape": looks.shape(), "tooltip": _tooltip(data, quantity)},
            filled=True,
            size=46,
            strokeWidth=1,
        ),
        *_label_layers(plain, looks.colour(), y),
    ]
    parameters = [*pick_parameters(data, across.field), FOCUS]
    return chosen.chart(data, layers, parameters, height=HEIGHT)


def variant_looks(results: ResultSet, data: Sequence[Row], legend: Spec | None) -> Looks:
    """The look of each variant that is drawn, in the order of the legend."""
    drawn = {row["variant"] for row in data}
    looks = {name: look for name, look in styles(results.results).items() if name in drawn}
    return Looks(looks, channel("variant:N", legend=legend))


def _tooltip(data: Sequence[Row], quantity: ChartQuantity) -> list[Spec]:
    return [
        channel("name:N", title="implementation"),
        channel("provider:N"),
        channel("length:N", title="message"),
        channel("batch:Q", title="messages at a time"),
        channel("text:N", title=quantity.title),
        *([channel("source:N", title="domain")] if any(row["source"] for row in data) else []),
        channel("evidence:N"),
        channel("samples:Q"),
    ]


def _horizontal(data: Sequence[Row], across: Across) -> Spec:
    return channel(
        f"{across.field}:Q",
        title=across.title,
        scale={"type": "log", "base": 2, "nice": False, "padding": 10},
        axis={
            "values": sorted({row[across.field] for row in data}),
            "labelExpr": across.label,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
        },
    )


# Names at the ends of the lines.


def label_ends(pictured: Sequence[Row], across: Literal["bytes", "batch"]) -> None:
    """Gives the last row of each picked variant its `label`, a `short` one, and its height.

    Args:
        pictured: rows of one picture, changed in place; marked by `mark_picked`, and values and
            lows are above 0.
        across: name of the value along the horizontal axis.
    """
    shown = [row for row in pictured if row["picked"]]
    ends: dict[str, Row] = {}
    for row in sorted(shown, key=lambda row: row[across]):
        ends[row["variant"]] = row
    providers = Counter(row["provider"] for row in ends.values())
    low = math.log(min(row["low"] for row in shown))
    high = math.log(max(row["high"] for row in shown))
    per_pixel = (high - low) / (HEIGHT - 2 * AXIS_PADDING)
    rows = sorted(ends.values(), key=lambda row: row["value"])
    heights = [(math.log(row["value"]) - low) / per_pixel if per_pixel > 0 else 0.0 for row in rows]
    for row, height in zip(rows, spread(heights, HEIGHT - 2 * AXIS_PADDING), strict=True):
        own, several = row["provider"] == OWN_PROVIDER, len(providers) > 1
        provider = _OWN_TITLE if own else row["provider"]
        row["label"] = f"{_OWN_TITLE} {row['name']}" if own and several else row["name"]
        row["short"] = provider if several and providers[row["provider"]] == 1 else row["variant"]
        row["own"] = own
        row["label_at"] = math.exp(min(low + height * per_pixel, high))


def spread(wanted: Sequence[float], room: float) -> list[float]:
    """The nearest places to those wanted that are `GAP` apart, from 0 to `room`.

    Args:
        wanted: ascending; there must be room for all.
        room: the highest place.
    """
    free = [height - place * GAP for place, height in enumerate(wanted)]
    highest = room - (len(wanted) - 1) * GAP
    fitted = isotonic_regression(free).x
    return [min(max(float(x), 0.0), highest) + place * GAP for place, x in enumerate(fitted)]


def _label_layers(base: Spec, colour: Spec, y: Spec) -> list[Spec]:
    """The names to the right of the lines, each with a line from its end.

    Names have the colour of text, since not every colour of a line is readable.
    """
    labelled = {"filter": "isValid(datum.label_at)"}  # never none: Vega would complain
    named = f"!({BEST_ONLY}) ? '' : {NARROW_PAGE} ? datum.short : datum.label"
    leaders = {**base, "color": colour, "x2": _at_expression("width + 8"), "y": y}
    names = {
        **base,
        "x": _at_expression("width"),
        "y": {**y, "field": "label_at"},
        "text": channel("named:N"),
        "tooltip": channel("name:N", title="implementation"),
    }
    return [
        mark(
            "rule",
            {**leaders, "y2": {"field": "label_at"}},
            above={"transform": [labelled]},
            strokeWidth=1,
            strokeOpacity={"expr": f"{BEST_ONLY} ? 0.7 : 0"},
            tooltip=None,
            aria=False,
        ),
        mark(
            "text",
            names,
            above={"transform": [labelled, {"calculate": named, "as": "named"}]},
            align="left",
            baseline="middle",
            dx=11,
            fontSize=12,
            fontWeight={"expr": "datum.own ? 600 : 400"},
            aria=False,  # a reader of the screen would take the label's place for a time
            limit={"expr": f"{NARROW_PAGE} ? 92 : 230"},
        ),
    ]


def _at_expression(expression: str) -> Spec:
    return {"value": {"expr": expression}}
