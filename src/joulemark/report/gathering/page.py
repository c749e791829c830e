# SPDX-License-Identifier: Apache-2.0
"""The page of gathering: which waiting pays, the curves, the figures; opens without a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import altair as alt

from joulemark.analyse.gathering import Curve
from joulemark.report.drawing.scales import chart_part, fitted, palette_scale
from joulemark.report.files import write_atomically
from joulemark.report.gathering.words import (
    curve_table,
    curve_title,
    verdict_sentence,
    wait_text,
)
from joulemark.report.page.html import render_template
from joulemark.report.sheet import Cell, Chart, Heading, Table

# Messages for the time of a core against the latency of a message, a point for each wait.

_HEIGHT: Final = 320
_CAPTION: Final = (
    "A point for each wait, medians of the rounds; the vertical line is the 95\N{NO-BREAK SPACE}% "
    "interval. Ways in which the cores did not keep up with the messages are left out."
)


def gathering_chart(curves: Sequence[Curve], percentile: str) -> Chart:
    """The chart; there is nothing to draw if the gatherers kept up with no rate.

    Args:
        curves: every curve.
        percentile: of the latency, as `latency_s` names it.
    """
    data = _points(curves, percentile)
    title = f"Throughput of a core over the {percentile} latency of a message"
    if not data:
        absent = "The cores kept up with no rate, so latencies have no end."
        return Chart(title, _CAPTION, None, absent, percentile)
    names = list(dict.fromkeys(row["curve"] for row in data))
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X(
            "latency:Q",
            title=f"{percentile} latency of a message in \N{MICRO SIGN}s (measured)",
            scale=alt.Scale(type="log"),
        ),
        color=alt.Color(
            "curve:N",
            title=None,
            scale=palette_scale(names),
            legend=alt.Legend(orient="bottom", columns=1, labelLimit=0),
        ),
    )
    axis: dict[str, Any] = {
        "title": "messages for a second of a core (measured)",
        "scale": alt.Scale(type="log"),
        "axis": alt.Axis(format="~s"),
    }
    rate = alt.Y("rate:Q", **axis)
    tooltip = [
        alt.Tooltip("curve:N", title="messages"),
        alt.Tooltip("wait:N"),
        alt.Tooltip("rate:Q", format=".4~s", title="for a second of a core"),
        alt.Tooltip("latency:Q", format=".4~g", title="latency in \N{MICRO SIGN}s"),
    ]
    lines = base.mark_line(strokeWidth=1.5).encode(y=rate, order="order:Q")
    ranges = base.mark_rule().encode(y=alt.Y("low:Q", **axis), y2="high:Q")
    points = base.mark_point(filled=True, size=50).encode(
        y=rate, shape=alt.Shape("kind:N", title=None), tooltip=tooltip
    )
    names_of_waits = base.mark_text(dy=-9, fontSize=10).encode(y=rate, text="wait:N")
    chart = lines + ranges + points + names_of_waits
    return chart_part(percentile, title, _CAPTION, fitted(chart, _HEIGHT))


def _points(curves: Sequence[Curve], percentile: str) -> list[dict[str, Any]]:
    data = []
    for curve in curves:
        for order, way in enumerate(curve.ways):
            rate, latency = way.figures.messages_per_core_second, way.figures.latency_s[percentile]
            if rate is None or latency is None or not latency.median or not way.figures.kept_up:
                continue
            if not way.counts:
                continue
            data.append(
                {
                    "curve": curve_title(curve),
                    "wait": wait_text(way),
                    "order": order,
                    "kind": "one by one" if way.alone else "gathered",
                    "rate": rate.median,
                    "low": rate.low,
                    "high": rate.high,
                    "latency": latency.median * 1e6,
                }
            )
    return data


_TEMPLATES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class GatheringPage:
    """The contents of the page."""

    curves: Sequence[Curve]
    scenario: str
    """Sessions and cores, in words."""
    machine: str
    verdict: str
    """Whether the windows count."""
    notes: Sequence[str]
    """Caveats that a reader must know before the figures."""
    version: str
    data: Any
    """The JSON that the page offers."""


def write_gathering_page(page: GatheringPage, path: Path) -> None:
    """Writes the page."""
    charts = [gathering_chart(page.curves, percentile) for percentile in ("p50", "p99")]
    answers = Table(
        "Which waiting pays",
        [Heading("Messages"), Heading("Answer", prose=True)],
        [[Cell(curve_title(curve)), Cell(verdict_sentence(curve))] for curve in page.curves],
    )
    text = render_template(
        "gathering.html.j2",
        charts,
        page.data,
        _TEMPLATES,
        page=page,
        charts=charts,
        answers=answers,
        tables=[curve_table(curve) for curve in page.curves],
    )
    write_atomically(path, text.encode())
