# SPDX-License-Identifier: Apache-2.0
"""Implementations of one algorithm at one message length, fastest first."""

from __future__ import annotations

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.records.figures import Absence
from joulemark.report.drawing.controls import choice, evidence_title, selection
from joulemark.report.drawing.labels import NARROW_PAGE
from joulemark.report.drawing.scales import colours
from joulemark.report.figures import seconds_text
from joulemark.report.rows import ChartQuantity, Row, missing_reason, rows
from joulemark.report.style import styles
from joulemark.report.workload import default_algorithm, default_size
from joulemark.units import format_bytes

PLACE = 2
TITLE = "Ranking at one length"
CAPTION = (
    "Shorter is better. Bars end at the median; the thin line across the end is the 95 % "
    "interval. Two whose intervals overlap are not shown to differ. Relative to the fastest "
    "divides every figure by the fastest median, whose own uncertainty is not added."
)

_QUANTITY = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_ROW_HEIGHT = 28
_AXIS_LABEL = (
    "relative ? datum.label + '\N{MULTIPLICATION SIGN}'"
    " : datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' ms'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '.3~r') + ' \N{MICRO SIGN}s'"
    " : format(datum.value, '.3~r') + ' ns'"
)
_WORDS_WIDTH = f"({NARROW_PAGE} ? 66 : 165)"
"""Width of the words behind a bar, about, in pixels; on a narrow page they are the median alone."""
_ROOM = (
    "datum.high / (relative ? datum.fastest : 1)"
    f" * (1 + {_WORDS_WIDTH} / max(width - {_WORDS_WIDTH}, 90))"
)
"""Right end of the words behind a bar on the scale of the bars."""
_LABEL = f"relative ? datum.ratio : {NARROW_PAGE} ? split(datum.text, ' [')[0] : datum.text"
_RATIO = "format(datum.value / datum.fastest, '.2f') + '\N{MULTIPLICATION SIGN}'"


def build(results: ResultSet) -> alt.LayerChart | None:
    """The chart, or None where nothing was timed."""
    data = rows(results, _QUANTITY, logarithmic=False)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection(data, algorithm)
    lengths = {str(row["bytes"]): row["length"] for row in data}
    parameters = [
        *chosen.parameters,
        _length_choice(results, data),
        alt.param(name="length_of", value=lengths),
        alt.param(
            name="relative", value=False, bind=alt.binding_checkbox(name="Relative to the fastest ")
        ),
    ]
    chosen.predicates.append("datum.bytes === size")
    chosen.words.append("length_of[size]")
    return (
        chosen.filtered(_bars(results, data))
        .transform_joinaggregate(fastest="min(value)")
        .transform_calculate(
            shown="relative ? datum.value / datum.fastest : datum.value",
            shown_low="relative ? datum.low / datum.fastest : datum.low",
            shown_high="relative ? datum.high / datum.fastest : datum.high",
            ratio=_RATIO,
            room=_ROOM,
            label=_LABEL,
        )
        .add_params(*parameters)
        .properties(
            title=chosen.title,
            width="container",
            height=alt.Step(_ROW_HEIGHT),
            autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        )
    )


def missing(results: ResultSet) -> Absence:
    """Why there are no times."""
    return missing_reason(results, _QUANTITY.field)


def _length_choice(results: ResultSet, data: list[Row]) -> alt.Parameter:
    """Dropdown of lengths; it starts at a length of the algorithm that is shown first."""
    algorithm = default_algorithm(results.results)
    lengths = sorted({row["bytes"] for row in data})
    start = default_size(result for result in results.results if result.algorithm == algorithm)
    return choice(
        "size",
        "Message length ",
        lengths,
        start if start in lengths else lengths[0],
        [format_bytes(length) for length in lengths],
    )


def _bars(results: ResultSet, data: list[Row]) -> alt.LayerChart:
    """Bars from zero, the interval over each, and the figure in words behind it."""
    looks = styles(results.results)
    fastest_first = alt.EncodingSortField(field="value", op="min", order="ascending")
    base = alt.Chart().encode(
        y=alt.Y(
            "name:N", title=None, sort=fastest_first, axis=alt.Axis(labelLimit=200, ticks=False)
        )
    )
    axis = alt.Axis(labelExpr=_AXIS_LABEL, labelOverlap="greedy", tickCount=6)
    title = evidence_title(_QUANTITY.title, data)
    scale = alt.Scale(zero=True, nice=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=title, axis=axis, scale=scale)

    bars = base.mark_bar(height={"band": 0.62}, cornerRadiusEnd=2).encode(
        x=x("shown"),
        color=alt.Color("variant:N", legend=None, scale=colours(looks)),
        tooltip=[
            alt.Tooltip("name:N", title="implementation"),
            alt.Tooltip("provider:N"),
            alt.Tooltip("length:N", title="message"),
            alt.Tooltip("text:N", title=_QUANTITY.title),
            alt.Tooltip("ratio:N", title="relative to the fastest"),
            alt.Tooltip("evidence:N"),
            alt.Tooltip("samples:Q"),
        ],
    )
    intervals = base.mark_rule(strokeWidth=2).encode(x=x("shown_low"), x2="shown_high:Q")
    words = base.mark_text(align="left", dx=6, fontSize=12).encode(
        x=x("shown_high"), text="label:N"
    )
    room = base.mark_point(opacity=0, tooltip=None).encode(x=x("room"))
    return alt.LayerChart(layer=[bars, intervals, words, room], data=alt.InlineData(values=data))
