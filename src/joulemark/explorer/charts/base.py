# SPDX-License-Identifier: Apache-2.0
"""What all charts of the explorer share: axes, looks, tooltips, the frame of a specification.

Values are in SI base units; the labels of the axes get prefixes. Nothing from results becomes part
of an expression: names are data alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from joulemark.records.figures import FigureUnit
from joulemark.report.style import SHAPES, Styled, styles
from joulemark.report.theme import LIGHT
from joulemark.report.workload import variant_of

__all__ = [
    "BYTES_LABEL",
    "HEIGHT",
    "LOG",
    "Looks",
    "Spec",
    "evidence_words",
    "frame",
    "looks_of",
    "tooltips",
    "unit_label",
    "value_axis",
]

Spec = dict[str, Any]
HEIGHT: Final = 380
LOG: Final = {"type": "log", "nice": False, "padding": 10}
BYTES_LABEL: Final = (
    "datum.value % 1048576 === 0 ? datum.value / 1048576 + ' MiB'"
    " : datum.value % 1024 === 0 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)
"""Labels of an axis of message lengths, as a Vega expression."""
_PREFIXED: Final = (
    FigureUnit.SECONDS, FigureUnit.JOULES, FigureUnit.WATTS, FigureUnit.HERTZ,
    FigureUnit.JOULE_SECONDS, FigureUnit.BITS_PER_SECOND,
)  # fmt: skip
_SOLID, _DASHED = [1, 0], [6, 4]
_MOST_DECADES: Final = 3.0
_NARROW: Final = 0.8
"""Decades below which 1-2-5 would leave two labels or fewer."""


def unit_label(unit: FigureUnit) -> str:
    """Labels of an axis of this unit, as a Vega expression."""
    if unit in _PREFIXED:
        # SI Brochure, 9th ed., 5.4.3: a space stands between number and unit, prefix included.
        pattern = "/([a-zA-Z\N{MICRO SIGN}]?)$/"
        return f"replace(format(datum.value, '.3~s'), {pattern}, ' $1') + '{unit.value}'"
    return "datum.value < 1e4 ? format(datum.value, '.3~r') : format(datum.value, ',')"


def log_ticks(
    rows: Sequence[Mapping[str, Any]], low: str = "low", high: str = "high"
) -> list[float]:
    """Round values over the range of the data: powers of ten, or 1-2-5 where few.

    Args:
        rows: at least one; both values above 0.
        low: name of the lower end.
        high: name of the upper end.
    """
    least = math.log10(min(row[low] for row in rows))
    most = math.log10(max(row[high] for row in rows))
    if most - least < _NARROW:
        return []
    steps = (1, 2, 5) if most - least <= _MOST_DECADES else (1,)
    decades = range(math.floor(least), math.ceil(most) + 1)
    return [float(f"{step}e{power}") for power in decades for step in steps]


def value_axis(
    unit: FigureUnit, rows: Sequence[Mapping[str, Any]], low: str = "low", high: str = "high"
) -> Spec:
    """An axis of values of this unit on a logarithmic scale; arguments as `log_ticks`."""
    ticks = log_ticks(rows, low, high)
    return {
        "labelExpr": unit_label(unit), "labelOverlap": "greedy",
        **({"values": ticks} if ticks else {"tickCount": 6}),
    }  # fmt: skip


def evidence_words(words: Sequence[str]) -> str:
    """The evidence of an axis, as in "measured and modelled"."""
    return " and ".join(sorted(set(words)))


class Looks:
    """Colour, shape and dashes of each series.

    Args:
        names: of the series, in the order of the legend.
        colours: place in the theme's palette, for each.
        shapes: for each.
        dashed: for each.
    """

    def __init__(
        self,
        names: Sequence[str],
        colours: Sequence[int],
        shapes: Sequence[str],
        dashed: Sequence[bool],
    ) -> None:
        self.names = list(names)
        self._colours = colours
        self._shapes = shapes
        self._dashed = dashed

    def colour(self) -> Spec:
        """The channel of colour, with the legend."""
        return {
            "field": "series",
            "type": "nominal",
            "title": None,
            "legend": {"symbolLimit": 0, "symbolStrokeWidth": 0, "labelLimit": 320},
            "scale": {
                "domain": self.names,
                "range": [{"expr": f"palette[{place}]"} for place in self._colours],
            },
        }

    def shape(self) -> Spec:
        """The channel of shape, in the same legend."""
        return {
            "field": "series",
            "type": "nominal",
            "title": None,
            "legend": {"symbolLimit": 0, "symbolStrokeWidth": 0, "labelLimit": 320},
            "scale": {"domain": self.names, "range": list(self._shapes)},
        }

    def dashes(self) -> Spec:
        """The channel of dashes, in the same legend."""
        return {
            "field": "series",
            "type": "nominal",
            "title": None,
            "legend": {"symbolLimit": 0, "symbolStrokeWidth": 0, "labelLimit": 320},
            "scale": {
                "domain": self.names,
                "range": [_DASHED if dashed else _SOLID for dashed in self._dashed],
            },
        }


def looks_of(series: Mapping[str, Styled | None]) -> Looks:
    """Looks as the report has them; series that stand for no single implementation take turns.

    Args:
        series: name -> what it shows; None: as said.
    """
    known = styles(styled for styled in series.values() if styled is not None)
    colours, shapes, dashed = [], [], []
    for place, styled in enumerate(series.values()):
        if styled is None:
            colours.append(place % len(LIGHT.palette))
            shapes.append(SHAPES[place % len(SHAPES)])
            dashed.append(False)
        else:
            look = known[variant_of(styled.implementation)]
            colours.append(look.colour)
            shapes.append(look.shape)
            dashed.append(look.dashed)
    return Looks(list(series), colours, shapes, dashed)


def tooltips(titles: Mapping[str, str]) -> list[Spec]:
    """Fields of a row and what the tooltip calls them; all are text."""
    return [{"field": name, "type": "nominal", "title": title} for name, title in titles.items()]


def frame(
    description: str, rows: Sequence[Mapping[str, Any]], layers: Sequence[Spec], **more: Any
) -> Spec:
    """The whole specification; colours of the theme come by the parameter `palette`.

    Args:
        description: what a screen reader says of the picture.
        rows: data.
        layers: marks with their encodings.
        more: other top-level properties.
    """
    return {
        "description": description,
        "params": [{"name": "palette", "value": list(LIGHT.palette)}],
        "data": {"values": list(rows)},
        "width": "container",
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "layer": list(layers),
        **more,
    }
