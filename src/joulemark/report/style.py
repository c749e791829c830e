# SPDX-License-Identifier: Apache-2.0
"""One look per variant, and colours and type for light and dark backgrounds.

A provider has one colour, whatever else is shown; those beyond the palette share its last colour
with users' plugins. Colour is never the only difference: variants of one algorithm and one provider
have different point shapes and strokes. Our strokes are solid or long, those of others are short.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, TypeVar

from joulemark.provider_builds import of_the_package
from joulemark.report.words import variant_of

# Colours and type for light and dark backgrounds, shared by the page and the charts.
#
# Both palettes were searched by computer for the largest smallest difference (OKLab) between any
# two colours under normal sight and simulated protanopia, deuteranopia and tritanopia (Machado,
# Oliveira and Fernandes, 2009), with a contrast of at least 3 to 1 to their background (WCAG 2.2,
# success criterion 1.4.11): first for seven colours and the last, then for those between them,
# which came later and leave the others as they were.

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
    """Edge of warning boxes, and words of doubt."""
    good: str
    """Words of a verdict; at least 4.5 to 1 to the paper, as is `bad`."""
    bad: str
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
    good="#1a7f37",
    bad="#b42318",
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
    good="#5fd07a",
    bad="#ff8f85",
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


def vega_config(theme: Theme) -> dict[str, object]:
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


# The look of a variant, the same in every chart, page and picture.

OWN_PROVIDER: Final = "joulemark"
_COLOURED: Final = (
    OWN_PROVIDER,
    "openssl",
    "ipsec_mb",
    "libsodium",
    "nettle",
    "cryptopp",
    "python",
    "libgcrypt",
    "botan",
    "wolfssl",
    "mbedtls",
    "libtomcrypt",
    "blake3",
)
"""Providers in the order of the theme's palette; all others have the colour after these."""
SHAPES: Final = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z",  # star
    "M-.9,-.9L.9,-.9L-.9,.9L.9,.9Z",  # hourglass
    "M-.5,-.87L.5,-.87L1,0L.5,.87L-.5,.87L-1,0Z",  # hexagon
    "M-.9,-.9L-.9,.9L.9,-.9L.9,.9Z",  # bow tie
)
"""Shapes that Vega knows by name, and paths in a square from -1 to 1."""
OWN_DASHES: Final = (
    (1, 0),
    (14, 3),
    (14, 3, 2, 3),
    (22, 3),
    (14, 3, 7, 3),
    (14, 3, 2, 3, 2, 3),
    (9, 3),
    (22, 3, 2, 3),
    (22, 3, 7, 3),
    (22, 3, 2, 3, 2, 3),
    (9, 3, 2, 3),
)
"""Strokes and gaps of our lines, in pixels: solid, or with one long stroke at least. They are as
many as have no divisor in common with the shapes, so that shapes and strokes repeat at other
places."""
OUTSIDE_DASHES: Final = (
    (6, 4),
    (2, 3),
    (6, 3, 2, 3),
    (4, 2),
    (6, 3, 2, 3, 2, 3),
    (2, 6),
    (4, 6),
    (6, 8),
    (4, 2, 1, 2),
    (6, 3, 6, 8),
    (2, 2, 2, 6),
)
"""Strokes and gaps of lines of other code: short strokes."""


class Styled(Protocol):
    """A result, or a record of one, whose variant has a look."""

    @property
    def algorithm(self) -> str:
        """Catalogue id of the algorithm."""

    @property
    def implementation(self) -> str:
        """`algorithm/variant`."""

    @property
    def provider(self) -> str:
        """The provider of the implementation."""


@dataclass(frozen=True, slots=True)
class Style:
    """Look of one variant."""

    colour: int
    """Place in the theme's palette."""
    shape: str
    dashes: tuple[int, ...]
    """Strokes and gaps of its line in turn, in pixels."""


@cache
def _known() -> frozenset[str]:
    return frozenset(_COLOURED) | {provider.name for provider in of_the_package()}


def is_known(provider: str) -> bool:
    """Whether a provider comes with Joulemark; all others are plugins of the user's."""
    return provider in _known()


class OfProvider(Protocol):
    """Anything that has a provider."""

    @property
    def provider(self) -> str:
        """Whose code it is."""


Provided = TypeVar("Provided", bound=OfProvider)


def yours_first(found: Iterable[Provided]) -> list[Provided]:
    """The user's own code, then all else; both in the order in which they came."""
    return sorted(found, key=lambda each: is_known(each.provider))


def rank_of_provider(provider: str) -> int:
    """0 for the user's own code, 1 for ours, 2 for outside libraries."""
    return 0 if not is_known(provider) else 1 if provider == OWN_PROVIDER else 2


def provider_colour(provider: str) -> int:
    """Place of a provider's colour in the theme's palette."""
    place = _COLOURED.index(provider) if provider in _COLOURED else len(_COLOURED)
    return min(place, len(LIGHT.palette) - 1)


def styles(results: Iterable[Styled]) -> dict[str, Style]:
    """A style for each variant: the user's code, ours, all others, which is the legend's order.

    Each variant takes the first shape and strokes that no variant with its colour has in an
    algorithm that both are of; they repeat when all are taken.
    """
    providers: dict[str, str] = {}
    members: dict[str, set[str]] = {}
    for result in results:
        variant = variant_of(result.implementation)
        if providers.get(variant) != OWN_PROVIDER:
            providers[variant] = result.provider
        members.setdefault(result.algorithm, set()).add(variant)
    places: dict[str, int] = {}
    for variant in sorted(providers, key=lambda name: (rank_of_provider(providers[name]), name)):
        colour = provider_colour(providers[variant])
        rivals = {name for group in members.values() if variant in group for name in group}
        taken = {
            places[name]
            for name in rivals
            if name in places and provider_colour(providers[name]) == colour
        }
        places[variant] = next(place for place in range(len(providers)) if place not in taken)
    strokes = {
        name: OWN_DASHES if providers[name] == OWN_PROVIDER else OUTSIDE_DASHES for name in places
    }
    return {
        variant: Style(
            colour=provider_colour(providers[variant]),
            shape=SHAPES[place % len(SHAPES)],
            dashes=strokes[variant][place % len(strokes[variant])],
        )
        for variant, place in places.items()
    }
