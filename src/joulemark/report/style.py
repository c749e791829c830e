# SPDX-License-Identifier: Apache-2.0
"""One look per variant, the same in every chart of a report.

Colour is never the only difference: two variants of one algorithm with the same colour have
different point shapes, and lines of outside libraries are dashed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.analyse.results import Result
from joulemark.report.theme import LIGHT
from joulemark.report.workload import variant_of

__all__ = ["OWN_PROVIDER", "SHAPES", "Style", "styles"]

OWN_PROVIDER = "joulemark"
COLOURS = len(LIGHT.palette)
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")


@dataclass(frozen=True, slots=True)
class Style:
    """Look of one variant."""

    colour: int
    """Place in the theme's palette."""
    shape: str
    dashed: bool
    """Not our own code."""


def styles(results: Iterable[Result]) -> dict[str, Style]:
    """A style for each variant, own variants first; the order is that of the legend domain.

    Each variant takes the first colour and shape that no variant sharing an algorithm with it
    has, so that colours repeat as late as possible and still mean one thing in the whole report.
    """
    own: dict[str, bool] = {}
    members: dict[str, set[str]] = {}
    for result in results:
        variant = variant_of(result.implementation)
        own[variant] = own.get(variant, False) or result.provider == OWN_PROVIDER
        members.setdefault(result.algorithm, set()).add(variant)
    slots: dict[str, int] = {}
    for variant in sorted(own, key=lambda name: (not own[name], name)):
        rivals = {name for group in members.values() if variant in group for name in group}
        taken = {slots[name] for name in rivals if name in slots}
        slots[variant] = next(slot for slot in range(len(own)) if slot not in taken)
    return {
        variant: Style(
            colour=slot % COLOURS,
            shape=SHAPES[slot // COLOURS % len(SHAPES)],
            dashed=not own[variant],
        )
        for variant, slot in slots.items()
    }
