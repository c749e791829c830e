# SPDX-License-Identifier: Apache-2.0
"""Charts of the gain of each idea of michail2005; the paper has tables only."""

from __future__ import annotations

from typing import Final

import altair as alt

from joulemark.studies.drawing import colours, draw, not_drawn
from joulemark.studies.michail2005.findings import DESIGNS, Findings, ratio
from joulemark.studies.outcome import Chart

__all__ = ["charts"]

_RATIOS: Final = (("throughput_bit_per_s", "throughput"), ("area_ge", "area"))


def charts(findings: Findings) -> list[Chart]:
    """Returns every chart, or the reason why it cannot be drawn."""
    return [_worth(findings), _energy(findings)]


def _bars(
    findings: Findings, name: str, title: str, caption: str, unit: str, kinds: list[str],
    data: list[dict[str, str | float]],
) -> Chart:  # fmt: skip
    if not data:
        reason = "; ".join(findings.missing) or "no cell library was given (--liberty FILE)"
        return not_drawn(name, title, reason, caption)
    bars = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            x=alt.X("design:N", title=None, sort=list(DESIGNS), axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("kind:N", sort=kinds),
            y=alt.Y("value:Q", title=unit),
            color=alt.Color("kind:N", title=None, scale=colours(kinds)),
        )
    )
    return draw(name, title, caption, bars)


def _worth(findings: Findings) -> Chart:
    title = "Throughput and area by those of the conventional core"
    data: list[dict[str, str | float]] = [
        {"design": design, "kind": kind, "value": value}
        for design in DESIGNS
        for figure, kind in _RATIOS
        if (value := ratio(findings.sha256, figure, design)) is not None
    ]
    caption = (
        "SHA-256 in cells, four stages, speed mapping, 5 fF of wire for each input (modelled)."
    )
    unit, kinds = "times the conventional core", [kind for _, kind in _RATIOS]
    return _bars(findings, "worth_of_each_idea", title, caption, unit, kinds, data)


def _energy(findings: Findings) -> Chart:
    title = "Dynamic energy of a block, with and without glitches"
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
    unit = "nJ per block (modelled)"
    return _bars(findings, "energy_of_a_block", title, caption, unit, kinds, data)
