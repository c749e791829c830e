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
    """The figures of one way to gather."""

    implementation: str
    lengths: str
    """Length of the messages, or their mix, as tables write it."""
    rate_per_s: float | None
    """Messages that arrive in a second; None if messages always wait."""
    batch_most: int
    """Most messages of a batch; 1: nothing is gathered."""
    wait_s: float
    """Longest time that a message waits for others."""
    figures: GatherFigures
    counts: bool
    """Whether its figures stand on windows without troubles."""


@dataclass(frozen=True, slots=True)
class Curve:
    """All ways to gather with one implementation at one length and rate."""

    implementation: str
    lengths: str
    rate_per_s: float | None
    ways: tuple[GatherWay, ...]
    """First that without gathering, then the others by their wait."""
    pays: WhatPays | None
    """The answer; None if nothing was tagged, or if some way has no figure that counts."""
    counts: bool
    """Whether each way has windows that count."""


def curves(measured: Sequence[GatherMeasurement]) -> list[Curve]:
    """Groups measurements into curves, in the order of their first appearance."""
    groups: dict[tuple[str, str, float | None], list[GatherMeasurement]] = {}
    for one_way in measured:
        key = (one_way.implementation, one_way.lengths, one_way.rate_per_s)
        groups.setdefault(key, []).append(one_way)
    grouped = []
    for key, members in groups.items():
        ways = [
            GatherWay(way.wait_s, way.batch_most == 1, way.figures, way.counts) for way in members
        ]
        ways.sort(key=lambda way: (not way.alone, way.wait_s))
        counts = all(way.counts for way in members)
        pays = what_pays(ways) if counts else None
        grouped.append(Curve(*key, tuple(ways), pays, counts))
    return grouped
