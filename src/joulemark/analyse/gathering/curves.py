# SPDX-License-Identifier: Apache-2.0
"""All ways to gather the same messages side by side: a curve for each implementation and rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.analyse.gathering.figures import GatherFigures
from joulemark.analyse.gathering.verdict import GatherWay, WhatPays, what_pays

__all__ = ["Curve", "GatherMeasurement", "curves"]


@dataclass(frozen=True, slots=True)
class GatherMeasurement:
    """One way to gather, measured."""

    implementation: str
    lengths: str
    """Length of the messages, or their mix, as tables write it."""
    rate_per_s: float | None
    """None: messages always wait."""
    batch_most: int
    wait_s: float
    figures: GatherFigures
    counts: bool
    """Whether every round has a window without troubles."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One implementation at one length and rate."""

    implementation: str
    lengths: str
    rate_per_s: float | None
    ways: tuple[GatherWay, ...]
    """One by one first, then by the wait."""
    pays: WhatPays | None
    counts: bool
    """Whether all its windows count."""


def curves(measured: Sequence[GatherMeasurement]) -> list[Curve]:
    """Grouped in the order of their first appearance."""
    groups: dict[tuple[str, str, float | None], list[GatherMeasurement]] = {}
    for curve_point in measured:
        groups.setdefault(
            (curve_point.implementation, curve_point.lengths, curve_point.rate_per_s), []
        ).append(curve_point)
    found = []
    for (implementation, lengths, rate), members in groups.items():
        ways = sorted(
            (
                GatherWay(member.wait_s, member.batch_most == 1, member.figures)
                for member in members
            ),
            key=lambda way: (not way.alone, way.wait_s),
        )
        counts = all(member.counts for member in members)
        found.append(Curve(implementation, lengths, rate, tuple(ways), what_pays(ways), counts))
    return found
