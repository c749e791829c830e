# SPDX-License-Identifier: Apache-2.0
"""Figures of one way to gather, over repeated windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from joulemark.analyse.sessions.divide import PERCENTILES
from joulemark.analyse.sessions.estimate import Spread, spread
from joulemark.judging.gathering import kept_up
from joulemark.records.gathering import GatherWindow
from joulemark.records.latency_buckets import percentile
from joulemark.stats.location import median

__all__ = [
    "GatherFigures",
    "core_seconds_per_message",
    "gather_figures",
    "gather_latency_seconds",
    "messages_per_second",
]


@dataclass(frozen=True, slots=True)
class GatherFigures:
    """Figures of one way to gather; None where a window has no such figure."""

    core_seconds_per_message: Spread | None
    """Time that a core spends on a message: gathering and tagging, without waiting."""
    messages_per_core_second: Spread | None
    """The inverse: messages that a core could tag if it did nothing but such batches."""
    messages_per_second: Spread | None
    """Messages that all gatherers together tagged in a second."""
    busy_share: Spread | None
    """Share of the cores' time that was spent on batches."""
    batch: Spread | None
    """Mean number of messages in a batch."""
    latency_s: dict[str, Spread | None]
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
