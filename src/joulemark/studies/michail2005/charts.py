# SPDX-License-Identifier: Apache-2.0
"""What each idea of michail2005 is worth: the paper prints tables only, these are ours."""

from __future__ import annotations

from typing import Final

import altair as alt

from joulemark.studies.drawing import colours, drawn
from joulemark.studies.michail2005.findings import DESIGNS, Findings, ratio
from joulemark.studies.outcome import Chart

__all__ = ["charts"]

_RATIOS: Final = (("throughput_bit_per_s", "throughput"), ("area_ge", "area"))


def charts(findings: Findings) -> list[Chart]:
    """Every chart, or the reason why it cannot be drawn."""
    return [_worth(findings), _energy(findings)]


def _bars(data: list[dict[str, str | float]], title: str, kinds: list[str]) -> alt.Chart:
    bars: alt.Chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            x=alt.X("design:N", title=None, sort=list(DESIGNS), axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("kind:N", sort=kinds),
            y=alt.Y("value:Q", title=title),
            color=alt.Color("kind:N", title=None, scale=colours(kinds)),
        )
    )
    return bars


def _worth(findings: Findings) -> Chart:
    name, title = "worth_of_each_idea", "Throughput and area by those of the conventional core"
    data: list[dict[str, str | float]] = [
        {"design": design, "kind": kind, "value": value}
        for design in DESIGNS
        for figure, kind in _RATIOS
        if (value := ratio(findings.sha256, figure, design)) is not None
    ]
    caption = (
        "SHA-256 in cells, four stages, speed mapping, 5 fF of wire for each input (modelled)."
    )
    if not data:
        return Chart(name=name, title=title, caption=caption, spec=None, reason=_reason(findings))
    kinds = [kind for _, kind in _RATIOS]
    return drawn(name, title, caption, _bars(data, "times the conventional core", kinds))


def _energy(findings: Findings) -> Chart:
    name, title = "energy_of_a_block", "Dynamic energy of a block, with and without glitches"
    caption = (
        "SHA-256 in cells at each design's full clock, all stages busy, random messages (modelled "
        "from simulated toggles)."
    )
    kinds = ["with glitches", "without glitches"]
    data: list[dict[str, str | float]] = [
        {"design": design, "kind": kind, "value": value * 1e9}
        for design, figures in findings.full_clock.items()
        for kind in kinds
        if (value := figures.dynamic_j(glitches=kind == kinds[0])) is not None
    ]
    if not data:
        return Chart(name=name, title=title, caption=caption, spec=None, reason=_reason(findings))
    return drawn(name, title, caption, _bars(data, "nJ per block (modelled)", kinds))


def _reason(findings: Findings) -> str:
    return "; ".join(findings.missing) or "no cell library was given (--liberty FILE)"
