# SPDX-License-Identifier: Apache-2.0
"""A quantity against message length or batch, both axes logarithmic, intervals always drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.report.drawing.controls import Selection, evidence_title, selection
from joulemark.report.drawing.labels import AXIS_PADDING, HEIGHT, label_ends, label_layers
from joulemark.report.drawing.picks import (
    BEST_ONLY,
    LEGEND,
    LEGEND_OPACITY,
    PICKED_ONLY,
    best_at_one_length,
    mark_picked,
    pick_parameters,
    pictures,
)
from joulemark.report.drawing.scales import INTERVAL_ENDS, colours, dashes, looks_of, shapes
from joulemark.report.drawing.specs import BYTES_LABEL, ticks
from joulemark.report.rows import ChartQuantity, Row, rows
from joulemark.report.workload import default_algorithm


@dataclass(frozen=True, slots=True)
class Across:
    """The horizontal axis."""

    field: str
    """Name of the horizontal value in a row."""
    title: str
    label: str
    """Vega expression for the labels."""


LENGTH: Final = Across(
    "bytes",
    "message length",
    BYTES_LABEL,
)
_SHOWN = alt.value(1.0)
_FADED = alt.value(0.12)


def length_curve(
    results: ResultSet, quantity: ChartQuantity, value_label: str
) -> alt.LayerChart | None:
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
) -> alt.LayerChart:
    """Lines with points, intervals and names at their ends.

    Args:
        results: with every variant, from which the look of each follows.
        data: at least one row; marked by `picks` and labelled.
        chosen: the dropdowns; a predicate is added to it.
        quantity: the quantity that is drawn.
        value_label: the Vega expression for the labels of the vertical axis.
        across: the horizontal axis.
    """
    chosen.predicates.append(PICKED_ONLY)
    focus = alt.selection_point(name="focus", fields=["variant"], bind="legend", on="click")
    looks = looks_of(results, data)
    legend = alt.Legend(
        title=None,
        values=alt.ExprRef(LEGEND),
        symbolLimit=0,
        symbolOpacity=alt.ExprRef(LEGEND_OPACITY),
        symbolStrokeWidth=0,  # the dashes of the lines would gnaw at the symbols
    )
    y_scale = alt.Scale(type="log", nice=False, padding=AXIS_PADDING)
    y_axis = alt.Axis(values=ticks(data), labelExpr=value_label, labelOverlap="greedy")
    title = evidence_title(quantity.title, data)
    colour = alt.Color("variant:N", legend=legend, scale=colours(looks))
    plain = alt.Chart().encode(
        x=_horizontal(data, across), opacity=alt.condition(focus, _SHOWN, _FADED, empty=True)
    )
    base = plain.encode(color=colour)
    y = alt.Y("value:Q", title=title, scale=y_scale, axis=y_axis)
    lines = base.mark_line(strokeWidth=1.8).encode(
        y=y,
        strokeDash=alt.StrokeDash("variant:N", legend=legend, scale=dashes(looks)),
    )
    low = alt.Y("low:Q", title=title, scale=y_scale, axis=y_axis)
    intervals = base.mark_errorbar(ticks=INTERVAL_ENDS, thickness=1.5).encode(y=low, y2="high:Q")
    points = base.mark_point(filled=True, size=46, strokeWidth=1).encode(
        y=y,
        shape=alt.Shape("variant:N", legend=legend, scale=shapes(looks)),
        tooltip=_tooltip(data, quantity),
    )
    names = label_layers(plain, colour, y, BEST_ONLY)
    chart = alt.LayerChart(
        layer=[lines, intervals, points, *names], data=alt.InlineData(values=list(data))
    )
    return (
        chosen.filtered(chart)
        .add_params(*chosen.parameters, *pick_parameters(data, across.field), focus)
        .properties(title=chosen.title, width="container", height=HEIGHT)
    )


def _tooltip(data: Sequence[Row], quantity: ChartQuantity) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("name:N", title="implementation"),
        alt.Tooltip("provider:N"),
        alt.Tooltip("length:N", title="message"),
        alt.Tooltip("batch:Q", title="messages at a time"),
        alt.Tooltip("text:N", title=quantity.title),
        *([alt.Tooltip("source:N", title="domain")] if any(row["source"] for row in data) else []),
        alt.Tooltip("evidence:N"),
        alt.Tooltip("samples:Q"),
    ]


def _horizontal(data: Sequence[Row], across: Across) -> alt.X:
    return alt.X(
        f"{across.field}:Q",
        title=across.title,
        scale=alt.Scale(type="log", base=2, nice=False, padding=10),
        axis=alt.Axis(
            values=sorted({row[across.field] for row in data}),
            labelExpr=across.label,
            labelOverlap="greedy",
            labelSeparation=8,
        ),
    )
