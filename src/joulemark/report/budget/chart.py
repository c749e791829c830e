# SPDX-License-Identifier: Apache-2.0
"""The chart of a budget: energy for authentication over payload, a staircase for each MAC."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import vl_convert

from joulemark.budget import interval as bounds_of
from joulemark.budget.changes import Staircase
from joulemark.budget.plan import Budget
from joulemark.records.figures import Evidence, FigureUnit
from joulemark.report import ReportError, write_atomically
from joulemark.report.budget import joules_of, question_text
from joulemark.report.drawing import (
    Looks,
    Spec,
    channel,
    filtered,
    frame,
    interval,
    looks_of,
    mark,
    tooltips,
    unit_label,
)
from joulemark.report.style import LIGHT, vega_config

CHART_ENDINGS: Final = (".svg", ".png", ".html", ".json")
_WIDTH, _HEIGHT = 760, 360
_MOST = len(LIGHT.palette)
_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
CAPTION: Final = (
    "Lower is better. Each step is a payload that takes a block, or a group of symbols, more. "
    "Energies are modelled: currents from data sheets, times core cycles and time on the air; a "
    "band covers the uncertainty of these values (95 %). The dashed line marks the payload of the "
    "question. The table has every MAC at that payload, the data have every payload."
)
_TOOLTIP: Final = {
    "series": "implementation",
    "length": "payload",
    "text": "for authentication",
    "evidence": "evidence",
}


def stairs(
    rows: Sequence[Mapping[str, Any]], payload_bytes: int, looks: Looks, description: str
) -> Spec | None:
    """The chart; None without a row.

    Args:
        rows: `series`, `payload_bytes`, `joules`, `low`, `high`, and the words of the tooltip.
        payload_bytes: payload of the packet that the page is about.
        looks: of the series.
        description: for screen readers.
    """
    if not rows:
        return None
    x = channel(
        "payload_bytes:Q",
        title="payload of a packet (B)",
        scale={"nice": False},
        axis={"tickMinStep": 1},
    )
    upwards = {
        "title": "for authentication of a packet (modelled)",
        "axis": {"labelExpr": unit_label(FigureUnit.JOULES), "labelOverlap": "greedy"},
    }
    base, y = {"x": x, "color": looks.colour()}, channel("joules:Q", **upwards)
    band = {**base, **interval("y", "low:Q", "high:Q", upwards)}
    asked = {"data": {"values": [{"payload_bytes": payload_bytes}]}}
    at_asked = {"transform": filtered([f"datum.payload_bytes == {int(payload_bytes)}"])}
    point = {**base, "y": y, "shape": looks.shape(), "tooltip": tooltips(_TOOLTIP)}
    step: Spec = {"interpolate": "step-after", "aria": False}
    return frame(
        description,
        rows,
        [
            mark("area", band, opacity=0.15, **step),
            mark("line", {**base, "y": y}, strokeWidth=1.8, **step),
            mark("rule", {"x": x}, above=asked, strokeDash=[4, 4], aria=False),
            mark("point", point, above=at_asked, filled=True, size=60),
        ],
    )


def staircase_chart(budget: Budget, staircases: Sequence[Staircase]) -> Spec:
    """The Vega-Lite specification of the cheapest implementations, with the bounds of each."""
    wanted = [candidate.implementation for candidate in budget.ranking][:_MOST]
    shown = [stair for name in wanted for stair in staircases if stair.implementation == name]
    if not shown:
        raise ReportError(
            "The chart cannot be drawn: no core cycles of a MAC are known on "
            f"{budget.parts.microcontroller.core}."
        )
    rows = [
        {
            "series": staircase.implementation,
            "payload_bytes": stair.payload_bytes,
            "joules": bounds.value,
            "low": bounds.low,
            "high": bounds.high,
            "length": f"{stair.payload_bytes} B",
            "text": joules_of(bounds),
            "evidence": Evidence.MODELLED.value,
        }
        for staircase in shown
        for stair in staircase.stairs
        for bounds in [bounds_of(stair.packet_j)]
    ]
    title = "Energy for authentication over payload"
    payload_bytes = budget.question.packet_payload_bytes
    spec = stairs(rows, payload_bytes, looks_of(dict.fromkeys(wanted)), title)
    return picture_of(spec or {}, title, [question_text(budget)])


def picture_of(spec: Spec, title: str, subtitle: Sequence[str]) -> Spec:
    """Adds to a chart all that a file needs to show it without a page: title, size, colours."""
    return {
        **spec,
        "title": {"text": title, "subtitle": list(subtitle)},
        "width": _WIDTH,
        "height": _HEIGHT,
        "autosize": "pad",
        "padding": 16,
        "config": vega_config(LIGHT),
    }


def write_chart(path: Path, spec: Spec) -> None:
    """Writes the chart in the format that the ending of the name says."""
    ending = path.suffix.lower()
    if ending == ".svg":
        data = vl_convert.vegalite_to_svg(spec).encode()
    elif ending == ".png":
        data = vl_convert.vegalite_to_png(spec, scale=2)
    elif ending == ".html":
        data = vl_convert.vegalite_to_html(spec, bundle=True).encode()
    elif ending == ".json":
        text = json.dumps({"$schema": _SCHEMA, **spec}, indent=2, sort_keys=True)
        data = text.encode()
    else:
        raise ReportError(
            f"the ending of {path} names no format; take one of {', '.join(CHART_ENDINGS)}"
        )
    write_atomically(path, data)
