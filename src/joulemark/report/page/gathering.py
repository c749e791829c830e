# SPDX-License-Identifier: Apache-2.0
"""Gathering: which waiting pays, in words and tables, and the page with curves and figures.

The page opens without a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from joulemark.analyse.gathering import Curve, GatherWay, WhatPays
from joulemark.report import NONE, Cell, Chart, Heading, Table, text_table, write_atomically
from joulemark.report.drawing import channel, chart_part, interval, mark, palette_colour
from joulemark.report.page import render_template
from joulemark.units import format_seconds, format_si

HEADINGS: Final = ("wait", "a message", "±", "for a core", "busy", "batch", "p50", "p99", "p99.9")


def rate_text(rate_per_s: float | None) -> str:
    """As in "100 k/s"."""
    return "saturated" if rate_per_s is None else format_si(rate_per_s, "/s")


def curve_title(curve: Curve) -> str:
    """Implementation, length and rate."""
    return f"{curve.implementation}, {curve.lengths}, {rate_text(curve.rate_per_s)}"


def wait_text(way: GatherWay) -> str:
    """As in "20 µs"; "alone" where nothing is gathered."""
    return "alone" if way.alone else format_seconds(way.wait_s) if way.wait_s else "0"


def row(way: GatherWay) -> tuple[str, ...]:
    """Cells under `HEADINGS`; latencies only where the gatherers kept up.

    A way whose windows do not count has no figures.
    """
    if not way.counts:
        return (wait_text(way), *[NONE] * (len(HEADINGS) - 1))
    figures = way.figures
    cost, rate = figures.core_seconds_per_message, figures.messages_per_core_second
    return (
        wait_text(way),
        NONE if cost is None else format_seconds(cost.median),
        f"{100 * cost.half_width:.2g}%" if cost and cost.windows > 1 else NONE,
        NONE if rate is None else format_si(rate.median, "/s"),
        NONE if figures.busy_share is None else f"{figures.busy_share.median:.1%}",
        NONE if figures.batch is None else f"{figures.batch.median:.1f}",
        *(
            NONE if value is None or not figures.kept_up else format_seconds(value.median)
            for value in figures.latency_s.values()
        ),
    )


def curve_table(curve: Curve) -> Table:
    """The figures of every way of a curve."""
    caption = (
        "Time of a core for a message, messages for a second of a core, share of the time that is "
        "spent on batches, messages of a batch, and latency from arrival to tag (measured)."
    )
    rows = [row(way) for way in curve.ways]
    return text_table(curve_title(curve), HEADINGS, rows, caption=caption)


def verdict_sentence(curve: Curve) -> str:
    """Which wait pays, or that none does, with the figures that say so."""
    pays = curve.pays
    if not curve.counts:
        return "no answer: for some waits no window counts"
    if pays is None:
        return "nothing was tagged"
    now = pays.now.figures.core_seconds_per_message
    assert now is not None, "a curve is judged by the figure without waiting"
    usual = format_seconds(now.median)
    if curve.rate_per_s is None:
        gain = (
            "" if pays.gathering is None else f" ({pays.gathering:.2f} times as many as one by one)"
        )
        return f"do not wait: batches are full at once, and a message takes {usual}{gain}"
    if pays.best is None:
        return _no_wait_pays(curve, usual, kept_up=pays.now.figures.kept_up)
    best = pays.best.figures.core_seconds_per_message
    assert best is not None, "a wait that pays has a figure"
    return (
        f"wait {wait_text(pays.best)}: a message then takes {format_seconds(best.median)} of a "
        f"core instead of {usual} ({pays.times_as_many:.2f} times as many messages){_busy(pays)}; "
        f"{_added(pays)}"
    )


def _no_wait_pays(curve: Curve, usual: str, *, kept_up: bool) -> str:
    """What a curve says on which no wait saves core time; cores may keep up with a wait alone."""
    if kept_up:
        return f"do not wait: no wait saves core time (a message takes {usual} without one)"
    keeping_up = [way for way in curve.ways if not way.alone and way.figures.kept_up]
    if not keeping_up:
        return "the cores do not keep up with this rate, whatever the wait"
    return (
        f"without a wait the cores do not keep up with this rate; with {wait_text(keeping_up[0])} "
        "they do. No wait is shown to save core time"
    )


def _busy(pays: WhatPays) -> str:
    """The saving of all the cores' time, which is little at a low rate; empty where unknown."""
    now = pays.now.figures.busy_share
    then = pays.best.figures.busy_share if pays.best else None
    if now is None or then is None:
        return ""
    return f", the cores busy {then.median:.1%} instead of {now.median:.1%}"


def _added(pays: WhatPays) -> str:
    added = ", ".join(
        f"{'+' if value >= 0 else '-'}{format_seconds(abs(value))} at {name}"
        for name, value in pays.added_s.items()
        if value is not None
    )
    return f"latency {added}"


# Messages for the time of a core against the latency of a message, a point for each wait.

_HEIGHT: Final = 320
_CAPTION: Final = (
    "A point for each wait, medians of the rounds; the vertical line is the 95\N{NO-BREAK SPACE}% "
    "interval. Ways in which the cores did not keep up with the messages are left out."
)


def gathering_chart(curves: Sequence[Curve], percentile: str) -> Chart:
    """The chart; there is nothing to draw if the gatherers kept up with no rate."""
    data = _points(curves, percentile)
    title = f"Throughput of a core over the {percentile} latency of a message"
    if not data:
        absent = "The cores kept up with no rate, so latencies have no end."
        return Chart(title, _CAPTION, None, absent, percentile)
    names = list(dict.fromkeys(str(row["curve"]) for row in data))
    legend = {"orient": "bottom", "columns": 1, "labelLimit": 0}
    base = {
        "x": channel(
            "latency:Q",
            title=f"{percentile} latency of a message in \N{MICRO SIGN}s (measured)",
            scale={"type": "log"},
        ),
        "color": palette_colour("curve:N", names, legend=legend),
    }
    axis = {
        "title": "messages for a second of a core (measured)",
        "scale": {"type": "log"},
        "axis": {"format": "~s"},
    }
    rate = {**base, "y": channel("rate:Q", **axis)}
    tooltip = [
        channel("curve:N", title="messages"),
        channel("wait:N"),
        channel("rate:Q", title="for a second of a core", format=".4~s"),
        channel("latency:Q", title="latency in \N{MICRO SIGN}s", format=".4~g"),
    ]
    points = {**rate, "shape": channel("kind:N", title=None), "tooltip": tooltip}
    layers = [
        mark("line", {**rate, "order": channel("order:Q")}, strokeWidth=1.5),
        mark("rule", {**base, **interval("y", "low:Q", "high:Q", axis)}),
        mark("point", points, filled=True, size=50),
        mark("text", {**rate, "text": channel("wait:N")}, dy=-9, fontSize=10),
    ]
    return chart_part(percentile, title, _CAPTION, data, layers, _HEIGHT)


def _points(curves: Sequence[Curve], percentile: str) -> list[dict[str, str | float]]:
    data: list[dict[str, str | float]] = []
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
        page=page,
        charts=charts,
        answers=answers,
        tables=[curve_table(curve) for curve in page.curves],
    )
    write_atomically(path, text.encode())
