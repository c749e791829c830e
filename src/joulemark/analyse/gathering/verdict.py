# SPDX-License-Identifier: Apache-2.0
"""Which waiting pays: what it saves of a core's time, and what it adds to latency.

All ways of one implementation, length and rate are compared with gathering without a wait. A way is
cheaper if its whole interval lies below the interval without a wait, and its median at least 5 %
lower. Of the cheaper ways within 5 % of the cheapest, the way with the shortest wait pays: longer
waits add latency and save no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.gathering.figures import GatherFigures

__all__ = ["WORTH", "GatherWay", "WhatPays", "what_pays"]

WORTH: Final = 0.05
"""Share of a core's time from which on a saving is worth a wait."""


@dataclass(frozen=True, slots=True)
class GatherWay:
    """A way to gather, and its figures."""

    wait_s: float
    alone: bool
    """Messages are tagged one by one as they come: nothing is gathered."""
    figures: GatherFigures
    counts: bool = True
    """Whether its windows count; else nothing is shown of its figures."""


@dataclass(frozen=True, slots=True)
class WhatPays:
    """The answer for one implementation, length and rate."""

    now: GatherWay
    """Gathering without a wait: a batch is all that has arrived when the gatherer is free."""
    alone: GatherWay | None
    """Tagging one by one; None if it was not measured."""
    best: GatherWay | None
    """The wait that pays; None where none does."""

    @property
    def times_as_many(self) -> float | None:
        """Messages for the same time of a core, with the wait over without it."""
        return _ratio(self.best, self.now)

    @property
    def gathering(self) -> float | None:
        """Messages for the same time of a core, gathered without waiting over one by one."""
        return None if self.alone is None else _ratio(self.now, self.alone)

    @property
    def added_s(self) -> dict[str, float | None]:
        """Percentile -> latency that the wait adds."""
        if self.best is None:
            return {}
        waited, usual = self.best.figures.latency_s, self.now.figures.latency_s
        return {
            name: spread.median - now.median if spread and (now := usual[name]) else None
            for name, spread in waited.items()
        }


def _ratio(better: GatherWay | None, than: GatherWay) -> float | None:
    if better is None:
        return None
    cheap = better.figures.core_seconds_per_message
    dear = than.figures.core_seconds_per_message
    return None if cheap is None or dear is None else dear.median / cheap.median


def what_pays(ways: Sequence[GatherWay]) -> WhatPays | None:
    """Judges the ways of one implementation, length and rate; None without a figure for no wait.

    A way that did not keep up with the messages is passed over: its core is full, and its latency
    has no end.
    """
    alone = next((way for way in ways if way.alone), None)
    now = next((way for way in ways if not way.alone and way.wait_s == 0), None)
    if now is None or now.figures.core_seconds_per_message is None:
        return None
    usual = now.figures.core_seconds_per_message
    cheaper = [
        (cost.median, way)
        for way in ways
        if not way.alone
        and way.wait_s > 0
        and way.figures.kept_up
        and (cost := way.figures.core_seconds_per_message) is not None
        and cost.high < usual.low
        and cost.median <= (1 - WORTH) * usual.median
    ]
    if not cheaper:
        return WhatPays(now, alone, None)
    least = min(cost for cost, _ in cheaper)
    enough = [way for cost, way in cheaper if cost <= least / (1 - WORTH)]
    return WhatPays(now, alone, min(enough, key=lambda way: way.wait_s))
