# SPDX-License-Identifier: Apache-2.0
"""Parts that charts share: the look of each variant, grid lines, labels of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from joulemark.analyse.results import ResultSet
from joulemark.report.rows import Row
from joulemark.report.style import Style, styles

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
_SOLID, _DASHED = [1, 0], [6, 4]
_DECADES_WITH_STEPS = 3.0
"""Range in powers of ten up to which 2 and 5 between them have grid lines as well."""


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
        range=[_DASHED if look.dashed else _SOLID for look in looks.values()],
    )


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


def grid(
    data: Sequence[Row], low: str = "low", high: str = "high", *, always_steps: bool = False
) -> list[float]:
    """Round values over the whole range of the data: powers of ten, or 1-2-5 where few.

    Args:
        data: at least one row; both values above 0.
        low: name of the lower end of the intervals in `data`.
        high: name of their upper end.
        always_steps: 1-2-5 whatever the range, for charts that can show a part of it.
    """
    least = math.log10(min(row[low] for row in data))
    most = math.log10(max(row[high] for row in data))
    few = most - least <= _DECADES_WITH_STEPS
    steps = (1, 2, 5) if few or always_steps else (1,)
    decades = range(math.floor(least), math.ceil(most) + 1)
    return [float(f"{step}e{power}") for power in decades for step in steps]
