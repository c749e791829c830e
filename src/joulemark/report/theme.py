# SPDX-License-Identifier: Apache-2.0
"""Colours and type for light and dark backgrounds, shared by the page and the charts.

Both palettes were searched by computer for the largest smallest difference (OKLab) between any
two colours under normal sight and simulated protanopia, deuteranopia and tritanopia (Machado,
Oliveira and Fernandes, 2009), with a contrast of at least 3 to 1 to their background (WCAG 2.2,
success criterion 1.4.11): first for seven colours and the last, then for those between them, which
came later and leave the others as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours, as CSS hexadecimal values."""

    paper: str
    """Background of the page and of exported pictures."""
    panel: str
    """Background of boxes."""
    ink: str
    muted: str
    """Secondary text; at least 4.5 to 1 to the paper."""
    rule: str
    """Lines of tables and grids."""
    accent: str
    """Links and controls."""
    warn: str
    """Edge of warning boxes."""
    palette: tuple[str, ...]
    """Series colours."""


LIGHT = Theme(
    paper="#ffffff",
    panel="#f6f7f9",
    ink="#1b1f24",
    muted="#5a6370",
    rule="#dde1e6",
    accent="#0a5bb5",
    warn="#b35900",
    palette=(
        "#2233c4",
        "#de7807",
        "#27796d",
        "#c12b00",
        "#1189f5",
        "#a58bae",
        "#4f1e79",
        "#6e5ab4",
        "#fa00e6",
        "#32465a",
        "#e60a6e",
        "#966ea0",
        "#6e3c8c",
        "#742228",
    ),
)
DARK = Theme(
    paper="#16191d",
    panel="#1e2227",
    ink="#e6e9ec",
    muted="#a0a9b4",
    rule="#343a42",
    accent="#7db8ff",
    warn="#f0a04b",
    palette=(
        "#61b4fb",
        "#ff9500",
        "#93ede6",
        "#ad5819",
        "#266c8b",
        "#c18b9f",
        "#8d6eea",
        "#b4be8c",
        "#dc7800",
        "#dc14b4",
        "#8c1efa",
        "#c8e6a0",
        "#96786e",
        "#fce33e",
    ),
)


def vega_config(theme: Theme) -> dict[str, Any]:
    """Vega-Lite configuration of this theme; charts have the series colours as `palette`."""
    text = {"labelColor": theme.muted, "titleColor": theme.ink}
    return {
        "background": theme.paper,
        "font": FONT,
        "view": {"stroke": None},
        "title": {
            "color": theme.ink,
            "subtitleColor": theme.muted,
            "anchor": "start",
            "fontSize": 13,
            "fontWeight": 600,
            "offset": 12,
        },
        "axis": {
            **text,
            "domainColor": theme.rule,
            "tickColor": theme.rule,
            "gridColor": theme.rule,
            "gridOpacity": 0.8,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "titlePadding": 10,
            "labelPadding": 6,
        },
        "legend": {
            **text,
            "labelColor": theme.ink,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "symbolStrokeWidth": 2,
            "symbolSize": 80,
            "labelLimit": 220,
            "rowPadding": 4,
        },
        "text": {"color": theme.ink},
        "rule": {"color": theme.ink},
    }
