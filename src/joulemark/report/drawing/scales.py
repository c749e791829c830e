# SPDX-License-Identifier: Apache-2.0
"""Parts that charts made with Altair share: the look of each variant, labels, the finished part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.report.drawing.specs import DASHED, SOLID
from joulemark.report.rows import Row
from joulemark.report.sheet import Chart
from joulemark.report.style import LIGHT, Style, styles

INTERVAL_ENDS = alt.MarkConfig(size=13)
"""Ends of an interval, wider than the points, so that a thin interval can be seen."""
NANOSECONDS_LABEL = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '.3~r') + ' s'"
    " : datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' ms'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '.3~r') + ' \N{MICRO SIGN}s'"
    " : format(datum.value, '.3~r') + ' ns'"
)
"""Labels of an axis in nanoseconds, as a Vega expression."""
NANOJOULES_LABEL = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '.3~r') + ' J'"
    " : datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' mJ'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '.3~r') + ' \N{MICRO SIGN}J'"
    " : datum.value >= 1 ? format(datum.value, '.3~r') + ' nJ'"
    " : format(datum.value * 1e3, '.3~r') + ' pJ'"
)
"""Labels of an axis in nanojoules, as a Vega expression."""


def looks_of(results: ResultSet, data: Sequence[Row]) -> dict[str, Style]:
    """The look of each variant that is drawn, in the order of the legend."""
    drawn = {row["variant"] for row in data}
    return {name: look for name, look in styles(results.results).items() if name in drawn}


def colours(looks: dict[str, Style]) -> alt.Scale:
    """Colours of variants: places in the theme's palette, which the page may change."""
    return alt.Scale(
        domain=list(looks),
        range=[alt.ExprRef(f"palette[{look.colour}]") for look in looks.values()],
    )


def shapes(looks: dict[str, Style]) -> alt.Scale:
    """Shapes of the points of variants."""
    return alt.Scale(domain=list(looks), range=[look.shape for look in looks.values()])


def dashes(looks: dict[str, Style]) -> alt.Scale:
    """Dashes of the lines of variants: outside libraries are dashed."""
    return alt.Scale(
        domain=list(looks),
        range=[DASHED if look.dashed else SOLID for look in looks.values()],
    )


def palette_scale(names: Sequence[str]) -> alt.Scale:
    """The colours of the theme's palette for these names, in their order."""
    used = [alt.ExprRef(f"palette[{place % len(LIGHT.palette)}]") for place in range(len(names))]
    return alt.Scale(domain=list(names), range=used)


def fitted(chart: alt.LayerChart | alt.Chart, height: int = 300) -> alt.LayerChart | alt.Chart:
    """The chart as wide as its page, with the palette as a parameter that the page sets."""
    return chart.add_params(alt.param(name="palette", value=list(LIGHT.palette))).properties(
        width="container",
        height=height,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )


def chart_part(
    name: str,
    title: str,
    caption: str,
    chart: alt.LayerChart | alt.Chart,
    *,
    validate: bool = True,
) -> Chart:
    """The chart as a part of a sheet, without what its page adds.

    The page tells vega-embed the dialect, so that no address is in its file, and has the
    configuration of its theme, over which one of the chart would win.
    """
    spec: dict[str, Any] = chart.to_dict(validate=validate)
    del spec["$schema"]
    spec.pop("config", None)
    spec["description"] = title
    return Chart(title, caption, spec, name=name)


def legend_order(data: Sequence[Row], across: str = "bytes") -> dict[str, list[str]]:
    """Variants of each algorithm from the highest line to the lowest, as the eye meets them.

    Args:
        data: rows.
        across: name of the value along the horizontal axis.
    """
    order: dict[str, dict[str, tuple[int, float]]] = {}
    for row in data:
        last = order.setdefault(row["algorithm"], {})
        place = (row[across], row["value"])
        last[row["variant"]] = max(place, last.get(row["variant"], place))
    return {
        algorithm: sorted(last, key=lambda name: (-last[name][0], -last[name][1], name))
        for algorithm, last in order.items()
    }
