# SPDX-License-Identifier: Apache-2.0
"""A quantity against message length, both axes logarithmic, intervals always drawn."""

from __future__ import annotations

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.report.controls import evidence_title, selection
from joulemark.report.picks import LEGEND, PICKED_ONLY, pick, pick_parameters
from joulemark.report.rows import Quantity, rows
from joulemark.report.scales import (
    INTERVAL_ENDS,
    colours,
    dashes,
    grid,
    has_variant,
    shapes,
)
from joulemark.report.style import styles
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


def length_curve(results: ResultSet, quantity: Quantity, value_label: str) -> alt.LayerChart | None:
    """The best lines of the selected algorithm, or all; None without a single figure.

    `value_label` is the Vega expression for the labels of the vertical axis.
    """
    data = rows(results, quantity, logarithmic=True)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    pick(data)
    chosen = selection(data, algorithm)
    chosen.predicates.append(PICKED_ONLY)
    focus = alt.selection_point(name="focus", fields=["variant"], bind="legend")
    looks = {
        name: look for name, look in styles(results.results).items() if has_variant(data, name)
    }
    legend = alt.Legend(
        title="Implementation",
        values=alt.ExprRef(LEGEND),
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
    y_axis = alt.Axis(values=grid(data), labelExpr=value_label, labelOverlap="greedy")
    title = evidence_title(quantity.title, data)
    colour = alt.Color("variant:N", legend=legend, scale=colours(looks))
    base = alt.Chart().encode(
        x=x, color=colour, opacity=alt.condition(focus, _SHOWN, _FADED, empty=True)
    )
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
        tooltip=[
            alt.Tooltip("name:N", title="implementation"),
            alt.Tooltip("provider:N"),
            alt.Tooltip("length:N", title="message"),
            alt.Tooltip("text:N", title=quantity.title),
            *([alt.Tooltip("source:N", title="domain")] if any(r["source"] for r in data) else []),
            alt.Tooltip("evidence:N"),
            alt.Tooltip("samples:Q"),
        ],
    )
    chart = alt.LayerChart(layer=[lines, intervals, points], data=alt.InlineData(values=data))
    return (
        chosen.filtered(chart)
        .add_params(*chosen.parameters, *pick_parameters(data), focus)
        .properties(title=chosen.title, width="container", height=HEIGHT)
    )
