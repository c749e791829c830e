# SPDX-License-Identifier: Apache-2.0
"""Implementations of one algorithm at one length, the user's own code first, then the fastest."""

from __future__ import annotations

from joulemark.analyse import ResultSet
from joulemark.records.figures import Absence
from joulemark.report.columns import missing_reason
from joulemark.report.drawing import FIT_WIDTH, Looks, Row, Spec, channel, interval, mark
from joulemark.report.drawing.curve import NARROW_PAGE
from joulemark.report.drawing.rows import (
    ORDERED,
    YOURS_THEN_FASTEST,
    ChartQuantity,
    constant,
    evidence_title,
    rows,
    selection_at_length,
)
from joulemark.report.style import styles
from joulemark.report.words import default_algorithm, seconds_text

PLACE = 2
TITLE = "Ranking at one length"
CAPTION = (
    "Shorter is better. Bars end at the median; the thin line across the end is the 95 % "
    "interval. Two whose intervals overlap are not shown to differ. Relative to the fastest "
    "divides every figure by the fastest median, whose own uncertainty is not added."
)

_QUANTITY = ChartQuantity("seconds_per_message", "time per message", 1e9, seconds_text)
_AXIS = {"labelLimit": 200, "ticks": False}
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
_CALCULATED = {
    "shown": "relative ? datum.value / datum.fastest : datum.value",
    "shown_low": "relative ? datum.low / datum.fastest : datum.low",
    "shown_high": "relative ? datum.high / datum.fastest : datum.high",
    "ratio": "format(datum.value / datum.fastest, '.2f') + '\N{MULTIPLICATION SIGN}'",
    "room": _ROOM,
    "label": _LABEL,
}
"""Field -> Vega expression, of each selected row."""


def build(results: ResultSet) -> Spec | None:
    """The chart, or None where nothing was timed."""
    data = rows(results, _QUANTITY, logarithmic=False)
    algorithm = default_algorithm(results.results)
    if not data or algorithm is None:
        return None
    chosen = selection_at_length(results.results, data, algorithm)
    relative = {"input": "checkbox", "name": "Relative to the fastest "}
    parameters = [{**constant("relative", value=False), "bind": relative}]
    spec = chosen.chart(
        data, _layers(results, data), parameters, height={"step": _ROW_HEIGHT}, autosize=FIT_WIDTH
    )
    fastest = {"joinaggregate": [{"op": "min", "field": "value", "as": "fastest"}]}
    spec["transform"] += [
        ORDERED,
        fastest,
        *({"calculate": expression, "as": name} for name, expression in _CALCULATED.items()),
    ]
    return spec


def missing(results: ResultSet) -> Absence:
    """Why there are no times."""
    return missing_reason(results, _QUANTITY.field)


def _layers(results: ResultSet, data: list[Row]) -> list[Spec]:
    """Bars from zero, the interval over each, and the figure in words behind it."""
    colour = Looks(styles(results.results), channel("variant:N", legend=None)).colour()
    y = channel("name:N", title=None, sort=YOURS_THEN_FASTEST, axis=_AXIS)
    across = {
        "title": evidence_title(_QUANTITY.title, data),
        "axis": {"labelExpr": _AXIS_LABEL, "labelOverlap": "greedy", "tickCount": 6},
        "scale": {"zero": True, "nice": False},
    }
    tooltip = [
        channel("name:N", title="implementation"),
        channel("provider:N"),
        channel("length:N", title="message"),
        channel("text:N", title=_QUANTITY.title),
        channel("ratio:N", title="relative to the fastest"),
        channel("evidence:N"),
        channel("samples:Q"),
    ]
    end = channel("shown_high:Q", **across)
    return [
        mark(
            "bar",
            {"y": y, "x": channel("shown:Q", **across), "color": colour, "tooltip": tooltip},
            height={"band": 0.62},
            cornerRadiusEnd=2,
        ),
        mark(
            "rule", {"y": y, **interval("x", "shown_low:Q", "shown_high:Q", across)}, strokeWidth=2
        ),
        mark(
            "text", {"y": y, "x": end, "text": channel("label:N")}, align="left", dx=6, fontSize=12
        ),
        mark("point", {"y": y, "x": channel("room:Q", **across)}, opacity=0, tooltip=None),
    ]
