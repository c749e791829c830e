# SPDX-License-Identifier: Apache-2.0
"""The chart of a budget: energy for authentication over payload, a staircase for each MAC."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

from joulemark.budget.changes import Staircase
from joulemark.budget.inputs import interval
from joulemark.budget.plan import Budget
from joulemark.records.figures import Evidence
from joulemark.report.budget.view import joules_of, question_text
from joulemark.report.drawing.specs import looks_of
from joulemark.report.drawing.stairs import stairs
from joulemark.report.files import ReportError, write_atomically
from joulemark.report.style import LIGHT, vega_config

CHART_ENDINGS: Final = (".svg", ".png", ".html", ".json")
_WIDTH, _HEIGHT = 760, 360
_MOST = len(LIGHT.palette)


def staircase_chart(budget: Budget, staircases: Sequence[Staircase]) -> dict[str, Any]:
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
        for bounds in [interval(stair.packet_j)]
    ]
    title = "Energy for authentication over payload"
    payload_bytes = budget.question.packet_payload_bytes
    spec = stairs(rows, payload_bytes, looks_of(dict.fromkeys(wanted)), title)
    return {
        **(spec or {}),
        "title": {"text": title, "subtitle": question_text(budget)},
        "width": _WIDTH,
        "height": _HEIGHT,
        "autosize": "pad",
        "padding": 16,
        "config": vega_config(LIGHT),
    }


def write_chart(path: Path, spec: dict[str, Any]) -> None:
    """Writes the chart in the format that the ending of the name says."""
    ending = path.suffix.lower()
    if ending == ".svg":
        data = vl_convert.vegalite_to_svg(spec).encode()
    elif ending == ".png":
        data = vl_convert.vegalite_to_png(spec, scale=2)
    elif ending == ".html":
        data = vl_convert.vegalite_to_html(spec, bundle=True).encode()
    elif ending == ".json":
        data = alt.Chart.from_dict(spec).to_json().encode()
    else:
        raise ReportError(
            f"the ending of {path} names no format; take one of {', '.join(CHART_ENDINGS)}"
        )
    write_atomically(path, data)
