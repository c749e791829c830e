# SPDX-License-Identifier: Apache-2.0
"""What charts share: ticks, labels, axes, looks, tooltips, the frame of a specification.

Specifications are plain values, so that a server draws without Altair, whose import takes a second.
Values are in SI base units; the labels of the axes get prefixes. No name from results becomes part
of a Vega expression: names are data alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from joulemark.records.figures import FigureUnit
from joulemark.report.style import LIGHT, SHAPES, Styled, styles
from joulemark.report.workload import variant_of

Spec = dict[str, Any]
MOST_LABELS: Final = 60
"""Most lines of a picture that has one line for each label; the table has all of them."""
LOG: Final = {"type": "log", "nice": False, "padding": 10}
BYTES_LABEL: Final = (
    "datum.value % 1048576 === 0 ? datum.value / 1048576 + ' MiB'"
    " : datum.value % 1024 === 0 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)
"""Labels of an axis of message lengths, as a Vega expression."""
_PREFIXED: Final = (
    FigureUnit.SECONDS,
    FigureUnit.JOULES,
    FigureUnit.WATTS,
    FigureUnit.HERTZ,
    FigureUnit.JOULE_SECONDS,
    FigureUnit.BITS_PER_SECOND,
)
SOLID, DASHED = [1, 0], [6, 4]
_MOST_DECADES: Final = 3.0
"""Widest range with labels in steps of 1-2-5; a wider one has powers of ten alone."""
_NARROW: Final = 0.8
"""Decades below which 1-2-5 would leave two labels or fewer."""
_ROW: Final = 22
"""Height of one line, in pixels."""


def unit_label(unit: FigureUnit) -> str:
    """Labels of an axis of this unit, as a Vega expression."""
    if unit in _PREFIXED:
        # SI Brochure, 9th ed., 5.4.3: a space stands between number and unit, prefix included.
        pattern = "/([a-zA-Z\N{MICRO SIGN}]?)$/"
        return f"replace(format(datum.value, '.3~s'), {pattern}, ' $1') + '{unit.value}'"
    return "datum.value < 1e4 ? format(datum.value, '.3~r') : format(datum.value, ',')"


def ticks(
    rows: Sequence[Mapping[str, Any]],
    low: str = "low",
    high: str = "high",
    *,
    always_steps: bool = False,
) -> list[float]:
    """Round values over the whole range of the rows: powers of ten, or 1-2-5 where few.

    Args:
        rows: at least one row; both values above 0.
        low: name of the lower end of the intervals.
        high: name of their upper end.
        always_steps: 1-2-5 whatever the range, for charts that can show a part of it.
    """
    least = math.log10(min(row[low] for row in rows))
    most = math.log10(max(row[high] for row in rows))
    steps = (1, 2, 5) if always_steps or most - least <= _MOST_DECADES else (1,)
    decades = range(math.floor(least), math.ceil(most) + 1)
    return [float(f"{step}e{power}") for power in decades for step in steps]


def value_axis(
    unit: FigureUnit, rows: Sequence[Mapping[str, Any]], low: str = "low", high: str = "high"
) -> Spec:
    """An axis of values of this unit on a logarithmic scale.

    Its labels stand at powers of ten, or in steps of 1-2-5 if there would be few of these.

    Args:
        unit: of the values.
        rows: at least one row; both values above 0.
        low: name of the lower end.
        high: name of the upper end.
    """
    least, most = min(row[low] for row in rows), max(row[high] for row in rows)
    narrow = most < least * 10**_NARROW
    return {
        "labelExpr": unit_label(unit),
        "labelOverlap": "greedy",
        **({"tickCount": 6} if narrow else {"values": ticks(rows, low, high)}),
    }


def value_channel(title: str, **looks: Any) -> Callable[[str], Spec]:
    """The channel of a field of values on the axis of that title, as a function of the field.

    Args:
        title: of the axis.
        looks: other properties, such as `axis` and `scale`.
    """
    return lambda field: {"field": field, "type": "quantitative", "title": title, **looks}


def evidence_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """The evidence of all rows, as in "measured and modelled"."""
    return " and ".join(sorted({row["evidence"] for row in rows}))


@dataclass(frozen=True, slots=True)
class Looks:
    """Colour, shape and dashes of each series."""

    names: Sequence[str]
    """Names of the series, in the order of the legend."""
    colours: Sequence[int]
    """Index of each series in the palette of the theme."""
    shapes: Sequence[str]
    dashed: Sequence[bool]

    def colour(self) -> Spec:
        """The channel of colour, with the legend."""
        return self._channel([{"expr": f"palette[{index}]"} for index in self.colours])

    def shape(self) -> Spec:
        """The channel of shape, in the same legend."""
        return self._channel(list(self.shapes))

    def dashes(self) -> Spec:
        """The channel of dashes, in the same legend."""
        return self._channel([DASHED if dashed else SOLID for dashed in self.dashed])

    def _channel(self, looks: Sequence[Any]) -> Spec:
        return {
            "field": "series",
            "type": "nominal",
            "title": None,
            "legend": {"symbolLimit": 0, "symbolStrokeWidth": 0, "labelLimit": 320},
            "scale": {"domain": list(self.names), "range": looks},
        }


def looks_of(series: Mapping[str, Styled | None]) -> Looks:
    """The looks of series: those of the report, or else the next of the palette and the shapes.

    Args:
        series: name -> the implementation that it shows; None: it shows several.
    """
    known = styles(styled for styled in series.values() if styled is not None)
    colours, shapes, dashed = [], [], []
    for index, styled in enumerate(series.values()):
        if styled is None:
            colours.append(index % len(LIGHT.palette))
            shapes.append(SHAPES[index % len(SHAPES)])
            dashed.append(False)
        else:
            look = known[variant_of(styled.implementation)]
            colours.append(look.colour)
            shapes.append(look.shape)
            dashed.append(look.dashed)
    return Looks(list(series), colours, shapes, dashed)


def tooltips(titles: Mapping[str, str]) -> list[Spec]:
    """The channel of the tooltip: field of a row, which is text -> title in the tooltip."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


def frame(
    description: str, rows: Sequence[Mapping[str, Any]], layers: Sequence[Spec], **more: Any
) -> Spec:
    """The whole specification; the parameter `palette` has the colours of the theme.

    Args:
        description: text for screen readers.
        rows: the data.
        layers: marks with their encodings.
        more: other top-level properties.
    """
    return {
        "description": description,
        "params": [{"name": "palette", "value": list(LIGHT.palette)}],
        "data": {"values": list(rows)},
        "width": "container",
        "height": 380,
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": list(layers),
        **more,
    }


def height_by_labels(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Properties of a picture that has one line for each `label` of the rows."""
    return {
        "height": _ROW * len({row["label"] for row in rows}),
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
