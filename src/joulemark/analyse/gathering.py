# SPDX-License-Identifier: Apache-2.0
"""All ways to gather the same messages side by side: a curve for each implementation and rate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from joulemark.analyse.derive import PERCENTILES, WindowSpread, spread
from joulemark.judging import kept_up
from joulemark.records.sample import GatherWindow, percentile
from joulemark.stats import median

# Figures of one way to gather, over repeated windows.


@dataclass(frozen=True, slots=True)
class GatherFigures:
    """Figures of one way to gather; None where a window has no such figure."""

    core_seconds_per_message: WindowSpread | None
    """Time that a core spends on a message: gathering and tagging, without waiting."""
    messages_per_core_second: WindowSpread | None
    """The inverse: messages that a core could tag if it did nothing but such batches."""
    messages_per_second: WindowSpread | None
    """Messages that all gatherers together tagged in a second."""
    busy_share: WindowSpread | None
    """Share of the cores' time that was spent on batches."""
    batch: WindowSpread | None
    """Mean number of messages in a batch."""
    latency_s: dict[str, WindowSpread | None]
    """Percentile -> time from the arrival of a message until its batch has its tags."""
    kept_up: bool
    """Whether in every window as many messages were tagged as arrived."""
    windows: int


def core_seconds_per_message(window: GatherWindow) -> float | None:
    """Busy ticks over messages: the median over the parts of the window that have messages.

    An interruption in the middle of a batch is in the busy ticks of one part. The time of the clock
    readings round each batch is subtracted, since it would make single messages look dear. None
    without a message.
    """
    costs = [
        max(0, busy - batches * window.clock_pair_ticks) / messages
        for messages, batches, busy in window.parts
        if messages
    ]
    return median(costs) / window.ticks_per_ns / 1e9 if costs else None


def messages_per_second(window: GatherWindow) -> float:
    """Messages of all gatherers in a second, each over the time of its window."""
    timed = (gatherer for gatherer in window.gatherers if gatherer.wall_ns)
    return sum(gatherer.messages * 1e9 / gatherer.wall_ns for gatherer in timed)


def gather_latency_seconds(window: GatherWindow, share: Fraction) -> float | None:
    """A percentile of the time from the arrival of a message until its batch has its tags."""
    ticks = percentile(window.latencies, share)
    return None if ticks is None else ticks / window.ticks_per_ns / 1e9


def _busy_share(window: GatherWindow) -> float | None:
    ticks = sum(gatherer.ticks for gatherer in window.gatherers)
    return sum(gatherer.busy_ticks for gatherer in window.gatherers) / ticks if ticks else None


def gather_figures(windows: Sequence[GatherWindow]) -> GatherFigures:
    """Figures of one way to gather, from at least one window of the same gatherers."""
    costs = [core_seconds_per_message(window) for window in windows]
    return GatherFigures(
        core_seconds_per_message=spread(costs),
        messages_per_core_second=spread([1 / cost if cost else None for cost in costs]),
        messages_per_second=spread([messages_per_second(window) for window in windows]),
        busy_share=spread([_busy_share(window) for window in windows]),
        batch=spread(
            [window.messages / window.batches if window.batches else None for window in windows]
        ),
        latency_s={
            name: spread([gather_latency_seconds(window, share) for window in windows])
            for name, share in PERCENTILES.items()
        },
        kept_up=all(kept_up(window) for window in windows),
        windows=len(windows),
    )


# Which waiting pays: what it saves of a core's time, and what it adds to latency.
#
# All ways of one implementation, length and rate are compared with gathering without a wait. A way
# is cheaper if its whole interval lies below the interval without a wait, and its median at least 5
# % lower. Of the cheaper ways within 5 % of the cheapest, the way with the shortest wait pays:
# longer waits add latency and save no more.

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


CurveKey = tuple[str, str, float | None]
"""Implementation, length of the messages or their mix as tables write it, and messages that arrive
in a second; None if messages always wait."""


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

    @property
    def key(self) -> CurveKey:
        """By which the curve is told from others."""
        return self.implementation, self.lengths, self.rate_per_s

    @property
    def best(self) -> GatherWay | None:
        """The wait that pays; None if none does, or if there is no answer."""
        return self.pays.best if self.pays else None


def curves(measured: Iterable[tuple[CurveKey, GatherWay]]) -> list[Curve]:
    """Groups ways to gather into curves, in the order of their first appearance."""
    groups: dict[CurveKey, list[GatherWay]] = {}
    for key, way in measured:
        groups.setdefault(key, []).append(way)
    grouped = []
    for key, found in groups.items():
        ways = sorted(found, key=lambda way: (not way.alone, way.wait_s))
        counts = all(way.counts for way in ways)
        grouped.append(Curve(*key, tuple(ways), what_pays(ways) if counts else None, counts))
    return grouped
