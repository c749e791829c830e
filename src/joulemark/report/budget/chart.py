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
from joulemark.report.budget.view import question_text
from joulemark.report.files import ReportError, write_atomically
from joulemark.report.theme import LIGHT, vega_config

CHART_ENDINGS: Final = (".svg", ".png", ".html", ".json")
_WIDTH, _HEIGHT = 760, 360
_MOST = len(LIGHT.palette)


def staircase_chart(budget: Budget, stairs: Sequence[Staircase]) -> dict[str, Any]:
    """The Vega-Lite specification of the cheapest implementations, with the bounds of each."""
    wanted = [candidate.implementation for candidate in budget.ranking][:_MOST]
    shown = [stair for name in wanted for stair in stairs if stair.implementation == name]
    if not shown:
        raise ReportError(
            "The chart cannot be drawn: no core cycles of a MAC are known on "
            f"{budget.parts.microcontroller.core}."
        )
    values = []
    for staircase in shown:
        for stair in staircase.stairs:
            bounds = interval(stair.packet_j)
            values.append(
                {
                    "payload": stair.payload_bytes,
                    "name": staircase.implementation,
                    "energy": bounds.value * 1e6,
                    "low": bounds.low * 1e6,
                    "high": bounds.high * 1e6,
                }
            )
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("payload:Q", title="payload of a packet (bytes)"),
        color=alt.Color(
            "name:N",
            title=None,
            scale=alt.Scale(domain=wanted, range=list(LIGHT.palette[: len(wanted)])),
        ),
    )
    band = base.mark_area(opacity=0.15, interpolate="step-after").encode(
        y=alt.Y("low:Q", title="µJ for authentication of a packet (modelled)"), y2="high:Q"
    )
    line = base.mark_line(interpolate="step-after").encode(y="energy:Q")
    rule = (
        alt.Chart(alt.InlineData(values=[{"payload": budget.question.packet_payload_bytes}]))
        .mark_rule(strokeDash=[4, 4], color=LIGHT.muted)
        .encode(x="payload:Q")
    )
    title = alt.TitleParams(
        "Energy for authentication over payload", subtitle=question_text(budget)
    )
    spec: dict[str, Any] = (
        alt.layer(band, line, rule).properties(width=_WIDTH, height=_HEIGHT, title=title).to_dict()
    )
    spec["config"] = vega_config(LIGHT)
    spec["padding"] = 16
    return spec


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
