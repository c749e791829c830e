# SPDX-License-Identifier: Apache-2.0
"""Parts that charts share: curves, their names, scales, and the lines that are shown at first.

Here is what every chart is made of: channels, marks, axes, looks, and the frame of a specification.

Specifications in Vega-Lite are plain values. A tool that builds and checks them, such as Altair,
takes a second to load and half of the time of a report; the tests check every chart with it.
Values are in SI base units; the labels of the axes get prefixes. No name from results becomes part
of a Vega expression: names are data alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from joulemark.records.figures import FigureUnit
from joulemark.report import Chart
from joulemark.report.style import LIGHT, OWN_DASHES, SHAPES, Style, Styled, styles
from joulemark.report.words import variant_of

Spec = dict[str, Any]
"""JSON of Vega-Lite: a whole chart, a layer, or a part of one."""
Row = dict[str, Any]
"""A row of data: what channels, filters and tooltips name, as numbers, texts and truth values."""
_KINDS: Final = {"N": "nominal", "Q": "quantitative"}
MOST_LABELS: Final = 60
"""Most lines of a picture that has one line for each label; the table has all of them."""
LOG: Final = {"type": "log", "nice": False, "padding": 10}
BYTES_LABEL: Final = (
    "datum.value % 1048576 === 0 ? datum.value / 1048576 + ' MiB'"
    " : datum.value % 1024 === 0 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)
"""Labels of an axis of message lengths, as a Vega expression."""
NANOSECONDS_LABEL: Final = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '.3~r') + ' s'"
    " : datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' ms'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '.3~r') + ' \N{MICRO SIGN}s'"
    " : format(datum.value, '.3~r') + ' ns'"
)
"""Labels of an axis in nanoseconds, as a Vega expression."""
NANOJOULES_LABEL: Final = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, '.3~r') + ' J'"
    " : datum.value >= 1e6 ? format(datum.value / 1e6, '.3~r') + ' mJ'"
    " : datum.value >= 1e3 ? format(datum.value / 1e3, '.3~r') + ' \N{MICRO SIGN}J'"
    " : datum.value >= 1 ? format(datum.value, '.3~r') + ' nJ'"
    " : format(datum.value * 1e3, '.3~r') + ' pJ'"
)
"""Labels of an axis in nanojoules, as a Vega expression."""
_PREFIXED: Final = (
    FigureUnit.SECONDS,
    FigureUnit.JOULES,
    FigureUnit.WATTS,
    FigureUnit.HERTZ,
    FigureUnit.JOULE_SECONDS,
    FigureUnit.BITS_PER_SECOND,
)
SOLID, DASHED = [1, 0], [6, 4]
FIT_WIDTH: Final = {"type": "fit-x", "contains": "padding"}
_MOST_DECADES: Final = 3.0
"""Widest range with labels in steps of 1-2-5; a wider one has powers of ten alone."""
_NARROW: Final = 0.8
"""Decades below which 1-2-5 would leave two labels or fewer."""
_ROW: Final = 22
"""Height of one line, in pixels."""


def channel(field: str, **looks: Any) -> Spec:
    """The channel of a field of the rows.

    Args:
        field: its name with `:Q` for numbers or `:N` for names.
        looks: further properties, such as `title`, `scale` and `axis`.
    """
    name, _, kind = field.partition(":")
    return {"field": name, "type": _KINDS[kind], **looks}


def mark(kind: str, channels: Spec, *, above: Spec | None = None, **looks: Any) -> Spec:
    """A layer of a chart."""
    return {**(above or {}), "mark": {"type": kind, **looks}, "encoding": channels}


def filtered(predicates: Iterable[str]) -> list[Spec]:
    """Transforms that keep the rows for which Vega expressions over `datum` are true."""
    return [{"filter": predicate} for predicate in predicates]


def either(test: str, then: Any, other: Any) -> Spec:
    """A channel of two values: the first where a Vega expression over `datum` is true."""
    return {"condition": {"test": test, "value": then}, "value": other}


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
    """
    least, most = min(row[low] for row in rows), max(row[high] for row in rows)
    narrow = most < least * 10**_NARROW
    return {
        "labelExpr": unit_label(unit),
        "labelOverlap": "greedy",
        **({"tickCount": 6} if narrow else {"values": ticks(rows, low, high)}),
    }


def interval(axis: str, low: str, high: str, looks: Spec) -> Spec:
    """The channels of an interval along an axis, `x` or `y`."""
    return {axis: channel(low, **looks), f"{axis}2": {"field": high.partition(":")[0]}}


def evidence_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """The evidence of all rows, as in "measured and modelled"."""
    return " and ".join(sorted({row["evidence"] for row in rows}))


_SERIES: Final = channel(
    "series:N", title=None, legend={"symbolLimit": 0, "symbolStrokeWidth": 0, "labelLimit": 320}
)


@dataclass(frozen=True, slots=True)
class Looks:
    """Colour, shape and dashes of each series."""

    styles: Mapping[str, Style]
    """Series -> its look, in the order of the legend."""
    series: Spec = field(default_factory=lambda: _SERIES)
    """The channel of the series, with the legend."""

    def colour(self) -> Spec:
        """The channel of colour: places in the palette of the theme, which a page may change."""
        return self._channel([_palette(look.colour) for look in self.styles.values()])

    def shape(self) -> Spec:
        """The channel of shape, in the same legend."""
        return self._channel([look.shape for look in self.styles.values()])

    def dashes(self) -> Spec:
        """The channel of strokes and gaps, in the same legend."""
        return self._channel([list(look.dashes) for look in self.styles.values()])

    def _channel(self, looks: Sequence[Any]) -> Spec:
        return {**self.series, "scale": {"domain": list(self.styles), "range": looks}}


def looks_of(series: Mapping[str, Styled | None]) -> Looks:
    """The looks of series: those of the report, or else the next of the palette and the shapes.

    Args:
        series: name -> the implementation that it shows; None: it shows several.
    """
    known = styles(styled for styled in series.values() if styled is not None)
    looks = {}
    for index, (name, styled) in enumerate(series.items()):
        if styled is None:
            colour, shape = index % len(LIGHT.palette), SHAPES[index % len(SHAPES)]
            looks[name] = Style(colour, shape, OWN_DASHES[0])
        else:
            looks[name] = known[variant_of(styled.implementation)]
    return Looks(looks)


def palette_colour(field: str, names: Sequence[str], **looks: Any) -> Spec:
    """The channel of colour of these names: the theme's palette in their order."""
    used = [_palette(place % len(LIGHT.palette)) for place in range(len(names))]
    return channel(field, title=None, scale={"domain": list(names), "range": used}, **looks)


def _palette(place: int) -> Spec:
    return {"expr": f"palette[{place}]"}


def tooltips(titles: Mapping[str, str]) -> list[Spec]:
    """The channel of the tooltip: field of a row, which is text -> title in the tooltip."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


def frame(
    description: str, rows: Sequence[Mapping[str, Any]], layers: Sequence[Spec], **more: Any
) -> Spec:
    """The whole specification; the parameter `palette` has the colours of the theme."""
    layers = list(layers)
    return {
        "description": description,
        "params": [{"name": "palette", "value": list(LIGHT.palette)}],
        "data": {"values": list(rows)},
        "width": "container",
        "height": 380,
        "autosize": {"type": "fit", "contains": "padding"},
        **({"layer": layers} if len(layers) > 1 else layers[0]),
        **more,
    }


def chart_part(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[Mapping[str, Any]],
    layers: Sequence[Spec],
    height: int = 300,
) -> Chart:
    """A chart as a part of a page on which there are several, as wide as the page."""
    spec = frame(title, rows, layers, height=height, autosize=FIT_WIDTH)
    return Chart(title, caption, spec, name=name)


def height_by_labels(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """Properties of a picture that has one line for each `label` of the rows."""
    return {"height": _ROW * len({row["label"] for row in rows}), "autosize": FIT_WIDTH}
