# SPDX-License-Identifier: Apache-2.0
"""Fixtures: windows of gatherers with numbers that a reader can check in the head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from joulemark.analyse.gathering import GatherFigures, gather_figures
from joulemark.records.sample import GathererCounts, GatherWindow

MakeWindow = Callable[..., GatherWindow]
MakeGatherer = Callable[..., GathererCounts]
MakeFigures = Callable[..., GatherFigures]


@pytest.fixture
def gatherer() -> MakeGatherer:
    """A gatherer that tagged 100 000 messages in 1 s, in batches of 10, busy for a tenth of it."""

    def made(**more: Any) -> GathererCounts:
        usual = GathererCounts(
            messages=100_000, tagged_bytes=6_400_000, batches=10_000, busy_ticks=200_000_000,
            ticks=2_000_000_000, wall_ns=1_000_000_000, thread_cpu_ns=1_000_000_000,
            involuntary_switches=2, backlog_before=3, backlog_after=5,
        )  # fmt: skip
        return replace(usual, **more)

    return made


@pytest.fixture
def window(gatherer: MakeGatherer) -> MakeWindow:
    """A window of such a gatherer on core 0, at 2 ticks a ns: a message costs 1 us of the core."""

    def made(**more: Any) -> GatherWindow:
        usual = GatherWindow(
            cores=(0,), sessions=100, batch_most=64, wait_ns=20_000, rate_per_s=100_000.0,
            warm_up_ns=50_000_000, window_ns=1_000_000_000, ticks_are_tsc=True, ticks_per_ns=2.0,
            clock_pair_ticks=20, busy_ns=1_000_000_000, steal_ns=0, latencies=((480, 100_000),),
            parts=((1000, 100, 2_002_000),) * 100, gatherers=(gatherer(),),
        )  # fmt: skip
        return replace(usual, **more)

    return made


@pytest.fixture
def figures(window: MakeWindow) -> MakeFigures:
    """Figures of three windows in which a message costs so many ns of a core, give or take 1 %."""

    def made(
        cost_ns: float, *, kept_up: bool = True, latency: int = 480, wide: float = 0.01
    ) -> GatherFigures:
        windows = [
            window(parts=((1000, 0, round(2000 * cost_ns * factor)),) * 100,
                   latencies=((latency, 100_000),))
            for factor in (1 - wide, 1.0, 1 + wide)
        ]  # fmt: skip
        return replace(gather_figures(windows), kept_up=kept_up)

    return made
