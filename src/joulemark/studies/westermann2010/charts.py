# SPDX-License-Identifier: Apache-2.0
"""Fig. 2, 3 and 4 of westermann2010: time, power and energy of every function, both lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt

from joulemark.studies.drawing import colours, draw
from joulemark.studies.outcome import Chart
from joulemark.studies.westermann2010.findings import Findings, Function
from joulemark.studies.westermann2010.paper import BITS, PublishedFunction, Westermann2010

__all__ = ["charts"]


@dataclass(frozen=True, slots=True)
class _Quantity:
    """The quantity of one of the three parts of each figure."""

    part: str
    title: str
    unit: str
    here: str
    """Field of `Function`."""
    published: str
    """Field of `PublishedFunction`."""
    scale: float = 1.0
    """Factor from the field's unit to that of the figure."""

    @property
    def metered(self) -> bool:
        """Whether a meter gives the quantity."""
        return self.part != "time"


_QUANTITIES: Final = (
    _Quantity("time", "Time of 16 GiB", "s", "seconds", "seconds"),
    _Quantity("power", "Power", "W, net of the idle machine", "net_watts", "watts"),
    _Quantity(
        "energy", "Energy per byte", "nJ per byte, net of the idle machine", "joules_per_byte",
        "joules_per_byte", 1e9,
    ),
)  # fmt: skip
_PUBLISHED: Final = "published"
_HERE: Final = "here"
_REFERENCE: Final = {256: "sha256", 512: "sha512"}


def charts(paper: Westermann2010, findings: Findings) -> list[Chart]:
    """Returns three charts of each length, and three that compare the lengths."""
    drawings = []
    for bits, figure in zip(BITS, ("fig2", "fig3"), strict=True):
        for quantity in _QUANTITIES:
            title = f"Fig. {figure[3:]}: {quantity.title}, {bits} bits"
            rows = [
                row
                for function in paper.table(bits)
                for row in _rows(function, findings.of(function.name, bits), quantity)
            ]
            drawings.append(
                _chart(f"{figure}_{quantity.part}", title, quantity, rows, _REFERENCE[bits])
            )
    drawings += [_versions(paper, findings, quantity) for quantity in _QUANTITIES]
    return drawings


def _rows(
    published: PublishedFunction, ours: Function | None, quantity: _Quantity
) -> list[dict[str, Any]]:
    values = {
        _PUBLISHED: getattr(published, quantity.published),
        _HERE: None if ours is None else getattr(ours, quantity.here),
    }
    return [
        {"function": published.name, "source": source, "value": value * quantity.scale,
         "bits": published.bits}
        for source, value in values.items()
        if value is not None
    ]  # fmt: skip


def _chart(
    name: str, title: str, quantity: _Quantity, rows: Sequence[dict[str, Any]], reference: str
) -> Chart:
    order = [bar["function"] for bar in sorted(rows, key=lambda row: row["value"])
             if bar["source"] == _PUBLISHED]  # fmt: skip
    sources = [_PUBLISHED, _HERE]
    data = alt.InlineData(values=list(rows))
    points = (
        alt.Chart(data)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("value:Q", title=quantity.unit, scale=alt.Scale(type="log", nice=True)),
            y=alt.Y("function:N", title=None, sort=order),
            color=alt.Color("source:N", title=None, scale=colours(sources)),
            shape=alt.Shape("source:N", title=None, scale=alt.Scale(domain=sources)),
            tooltip=["function:N", "source:N", alt.Tooltip("value:Q", format=".4~g")],
        )
    )
    lines = [row for row in rows if row["function"] == reference]
    rule = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_rule(strokeDash=[4, 4])
        .encode(x="value:Q", color=alt.Color("source:N", title=None, scale=colours(sources)))
    )
    caption = (
        f"In the order of the paper (published, Core 2 Duo) beside this machine. The dashed lines "
        f"stand at {reference}. Both axes of the paper are linear; this one is logarithmic."
    )
    if quantity.metered and not any(row["source"] == _HERE for row in rows):
        caption += " Without an energy meter there are no points of this machine."
    return draw(name, title, caption, alt.LayerChart(layer=[rule, points]))


def _versions(paper: Westermann2010, findings: Findings, quantity: _Quantity) -> Chart:
    rows = [
        {"candidate": f"{function.name}, {source}", "bits": f"{bits} bits", "value": value}
        for bits in BITS
        for function in paper.table(bits, candidates=True)
        for source, value in (
            (row["source"], row["value"])
            for row in _rows(function, findings.of(function.name, bits), quantity)
        )
        if source == _HERE or quantity.metered
    ]
    title = f"Fig. 4: {quantity.title}, 256 bits beside 512 bits"
    lengths = [f"{bits} bits" for bits in BITS]
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("candidate:N", title=None, axis=alt.Axis(labelAngle=-50)),
            xOffset=alt.XOffset("bits:N", sort=lengths),
            y=alt.Y("value:Q", title=quantity.unit),
            color=alt.Color("bits:N", title=None, scale=colours(lengths)),
            tooltip=["candidate:N", "bits:N", alt.Tooltip("value:Q", format=".4~g")],
        )
    )
    caption = "Each candidate with both lengths."
    return draw(f"fig4_{quantity.part}", title, caption, bars)
