# SPDX-License-Identifier: Apache-2.0
"""A quantity against message length, both axes logarithmic, intervals always drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.report.controls import evidence_title, selection
from joulemark.report.rows import Quantity, Row, rows
from joulemark.report.style import Style, styles
from joulemark.report.workload import default_algorithm

__all__ = ["length_curve"]

HEIGHT = 400
_LENGTH_LABEL = (
    "datum.value % 1048576 === 0 ? datum.value / 1048576 + ' MiB'"
    " : datum.value % 1024 === 0 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)
_SHOWN = alt.value(1.0)
_FADED = alt.value(0.12)
_SOLID, _DASHED = [1, 0], [6, 4]
_TICKS = alt.MarkConfig(size=13)
"""Ends of an interval, wider than the points: where it is thin, one sees that it is thin."""
_DECADES_WITH_STEPS = 3.0
"""Up to this many powers of ten, 2 and 5 between them get a grid line."""


def length_curve(results: ResultSet, quantity: Quantity, value_label: str) -> alt.LayerChart | None:
    """One line per implementation of the selected algorithm; None without a single figure.

    `value_label` is the Vega expression for the labels of the vertical axis.
    """
    data = rows(results, quantity, logarithmic=True)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection(data, algorithm)
    focus = alt.selection_point(name="focus", fields=["variant"], bind="legend")
    looks = {name: look for name, look in styles(results.results).items() if _has(data, name)}
    legend = alt.Legend(
        title="Implementation",
        values=alt.ExprRef("legend_of[algorithm]"),
        symbolLimit=0,
        symbolStrokeWidth=0,  # the dashes of the lines would gnaw at the symbols
    )
    lengths = sorted({row["bytes"] for row in data})
    x = alt.X(
        "bytes:Q",
        title="message length",
        scale=alt.Scale(type="log", base=2, nice=False, padding=10),
        axis=alt.Axis(
            values=lengths, labelExpr=_LENGTH_LABEL, labelOverlap="greedy", labelSeparation=8
        ),
    )
    y_scale = alt.Scale(type="log", nice=False, padding=14)
    y_axis = alt.Axis(values=_grid(data), labelExpr=value_label, labelOverlap="greedy")
    title = evidence_title(quantity.title, data)
    colour = alt.Color("variant:N", legend=legend, scale=_colours(looks))
    base = alt.Chart().encode(
        x=x, color=colour, opacity=alt.condition(focus, _SHOWN, _FADED, empty=True)
    )
    y = alt.Y("value:Q", title=title, scale=y_scale, axis=y_axis)
    lines = base.mark_line(strokeWidth=1.8).encode(
        y=y,
        strokeDash=alt.StrokeDash("variant:N", legend=legend, scale=_dashes(looks)),
    )
    low = alt.Y("low:Q", title=title, scale=y_scale, axis=y_axis)
    intervals = base.mark_errorbar(ticks=_TICKS, thickness=1.5).encode(y=low, y2="high:Q")
    points = base.mark_point(filled=True, size=46, strokeWidth=1).encode(
        y=y,
        shape=alt.Shape("variant:N", legend=legend, scale=_shapes(looks)),
        tooltip=[
            alt.Tooltip("name:N", title="implementation"),
            alt.Tooltip("provider:N"),
            alt.Tooltip("length:N", title="message"),
            alt.Tooltip("text:N", title=quantity.title),
            alt.Tooltip("evidence:N"),
            alt.Tooltip("samples:Q"),
        ],
    )
    chart = alt.LayerChart(layer=[lines, intervals, points], data=alt.InlineData(values=data))
    legends = alt.param(name="legend_of", value=_legend_order(data))
    return (
        chosen.filtered(chart)
        .add_params(*chosen.parameters, legends, focus)
        .properties(title=chosen.title, width="container", height=HEIGHT)
    )


def _has(data: Sequence[Row], variant: str) -> bool:
    return any(row["variant"] == variant for row in data)


def _colours(looks: dict[str, Style]) -> alt.Scale:
    return alt.Scale(
        domain=list(looks),
        range=[alt.ExprRef(f"palette[{look.colour}]") for look in looks.values()],
    )


def _shapes(looks: dict[str, Style]) -> alt.Scale:
    return alt.Scale(domain=list(looks), range=[look.shape for look in looks.values()])


def _dashes(looks: dict[str, Style]) -> alt.Scale:
    return alt.Scale(
        domain=list(looks),
        range=[_DASHED if look.dashed else _SOLID for look in looks.values()],
    )


def _legend_order(data: Sequence[Row]) -> dict[str, list[str]]:
    """Variants of each algorithm from the highest line to the lowest, as the eye meets them."""
    order: dict[str, dict[str, tuple[int, float]]] = {}
    for row in data:
        last = order.setdefault(row["algorithm"], {})
        place = (row["bytes"], row["value"])
        last[row["variant"]] = max(place, last.get(row["variant"], place))
    return {
        algorithm: sorted(last, key=lambda name: (-last[name][0], -last[name][1], name))
        for algorithm, last in order.items()
    }


def _grid(data: Sequence[Row]) -> list[float]:
    """Round values over the whole range of the data: powers of ten, or 1-2-5 where few."""
    low = math.log10(min(row["low"] for row in data))
    high = math.log10(max(row["high"] for row in data))
    steps = (1, 2, 5) if high - low <= _DECADES_WITH_STEPS else (1,)
    decades = range(math.floor(low), math.ceil(high) + 1)
    return [float(f"{step}e{power}") for power in decades for step in steps]
