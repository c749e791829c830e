# SPDX-License-Identifier: Apache-2.0
"""One look per variant, the same in every chart, page and picture.

A provider has one colour, whatever else is shown; those beyond the palette share its last colour
with users' plugins. Colour is never the only difference: variants of one algorithm and one provider
have different point shapes, and lines of outside libraries are dashed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

from joulemark.provider_builds import of_the_package
from joulemark.report.theme import LIGHT
from joulemark.report.workload import variant_of

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
    dashed: bool
    """Whether the code is not ours."""


@cache
def _known() -> frozenset[str]:
    return frozenset(_COLOURED) | {provider.name for provider in of_the_package()}


def is_known(provider: str) -> bool:
    """Whether a provider comes with Joulemark; all others are plugins of the user's."""
    return provider in _known()


def provider_colour(provider: str) -> int:
    """Place of a provider's colour in the theme's palette."""
    place = _COLOURED.index(provider) if provider in _COLOURED else len(_COLOURED)
    return min(place, len(LIGHT.palette) - 1)


def styles(results: Iterable[Styled]) -> dict[str, Style]:
    """A style for each variant, own variants first; the order is that of the legend domain.

    Each variant takes the first shape that no variant with its colour has in an algorithm that
    both are of; shapes repeat when all are taken.
    """
    providers: dict[str, str] = {}
    members: dict[str, set[str]] = {}
    for result in results:
        variant = variant_of(result.implementation)
        if providers.get(variant) != OWN_PROVIDER:
            providers[variant] = result.provider
        members.setdefault(result.algorithm, set()).add(variant)
    places: dict[str, int] = {}
    for variant in sorted(providers, key=lambda name: (providers[name] != OWN_PROVIDER, name)):
        colour = provider_colour(providers[variant])
        rivals = {name for group in members.values() if variant in group for name in group}
        taken = {
            places[name]
            for name in rivals
            if name in places and provider_colour(providers[name]) == colour
        }
        places[variant] = next(place for place in range(len(providers)) if place not in taken)
    return {
        variant: Style(
            colour=provider_colour(providers[variant]),
            shape=SHAPES[place % len(SHAPES)],
            dashed=providers[variant] != OWN_PROVIDER,
        )
        for variant, place in places.items()
    }
