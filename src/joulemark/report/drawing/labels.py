# SPDX-License-Identifier: Apache-2.0
"""Names at the ends of a chart's lines, moved apart so that none covers another.

Vega-Lite knows no such layout. It can be computed here, since the height of a chart is fixed and
its vertical axis is logarithmic from the least to the greatest value of the picture.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import altair as alt
from scipy.optimize import isotonic_regression

from joulemark.report.rows import Row
from joulemark.report.style import OWN_PROVIDER

HEIGHT: Final = 400
"""Height of a chart with labels, in pixels."""
AXIS_PADDING: Final = 14
"""Pixels above the greatest and below the least value."""
GAP: Final = 16
"""Pixels from label to label."""
NARROW_PAGE: Final = "containerSize()[0] < 520"
"""Vega expression: there is room for short words alone. A picture has no container and is wide."""
_OWN_TITLE: Final = "Joulemark"


def label_ends(pictured: Sequence[Row], across: str) -> None:
    """Gives the last row of each picked variant its `label`, a `short` one, and its height.

    Args:
        pictured: rows of one picture, marked by `picks`, values and lows above 0; changed in place.
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


def label_layers(base: alt.Chart, colour: alt.Color, y: alt.Y, shown: str) -> list[alt.Chart]:
    """The names to the right of the lines, each with a line from its end.

    Args:
        base: has the horizontal axis and the fading of the lines.
        colour: of the lines. Names have the colour of text, since not every colour is readable.
        y: the vertical axis of their values.
        shown: Vega predicate; if it is false there are no labels.
    """
    here = base.transform_filter("isValid(datum.label_at)")  # never none: Vega would complain
    leaders = here.mark_rule(
        strokeWidth=1, strokeOpacity=alt.ExprRef(f"{shown} ? 0.7 : 0"), tooltip=None, aria=False
    ).encode(color=colour, x2=alt.value(alt.ExprRef("width + 8")), y=y, y2="label_at:Q")
    names = (
        here.mark_text(
            align="left",
            baseline="middle",
            dx=11,
            fontSize=12,
            fontWeight=alt.ExprRef("datum.own ? 600 : 400"),
            aria=False,  # a reader of the screen would take the label's place for a time
            limit=alt.ExprRef(f"{NARROW_PAGE} ? 92 : 230"),
        )
        .transform_calculate(named=f"!({shown}) ? '' : {NARROW_PAGE} ? datum.short : datum.label")
        .encode(
            x=alt.value(alt.ExprRef("width")),
            y=alt.Y("label_at:Q", title=y["title"], scale=y["scale"], axis=y["axis"]),
            text="named:N",
            tooltip=alt.Tooltip("name:N", title="implementation"),
        )
    )
    return [leaders, names]
