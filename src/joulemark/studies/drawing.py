# SPDX-License-Identifier: Apache-2.0
"""How every study draws: size, palette, and the keys that are taken out of a specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from joulemark.report.theme import LIGHT
from joulemark.studies.outcome import Chart

_HEIGHT: Final = 300


def draw(name: str, title: str, caption: str, chart: alt.LayerChart | alt.Chart) -> Chart:
    """Makes a chart as wide as its page, with the palette as a parameter that the page sets."""
    sized = chart.add_params(alt.param(name="palette", value=list(LIGHT.palette))).properties(
        width="container",
        height=_HEIGHT,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )
    spec: dict[str, Any] = sized.to_dict()
    spec.pop("$schema")
    spec.pop("config", None)
    spec["description"] = title
    return Chart(name=name, title=title, caption=caption, spec=spec)


def not_drawn(name: str, title: str, reason: str | None, caption: str = "") -> Chart:
    """Makes a chart of which the page has the reason why it cannot be drawn."""
    return Chart(name=name, title=title, caption=caption, spec=None, reason=reason)


def colours(names: Sequence[str]) -> alt.Scale:
    """Gives these names the palette's colours in their order."""
    used = [alt.ExprRef(f"palette[{place % len(LIGHT.palette)}]") for place in range(len(names))]
    return alt.Scale(domain=list(names), range=used)
