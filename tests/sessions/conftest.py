# SPDX-License-Identifier: Apache-2.0
"""Fixtures: windows with numbers that a reader can check in the head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from joulemark.records.sample import SessionCounts, SessionsWindow

MakeWindow = Callable[..., SessionsWindow]
MakeSession = Callable[..., SessionCounts]


@pytest.fixture
def session() -> MakeSession:
    """A session that tagged 1000 messages of 1000 bytes in 10 ms of CPU time; others by name."""

    def made(**more: Any) -> SessionCounts:
        usual = SessionCounts(
            messages=1000, tagged_bytes=1_000_000, wall_ns=1_000_000_000,
            thread_cpu_ns=10_000_000, ticks=2_000_000_000, voluntary_switches=0,
            involuntary_switches=4, migrations=0, chain_ticks_before=4096, chain_ticks_after=4096,
            last_bytes=1000,
        )  # fmt: skip
        return replace(usual, **more)

    return made


@pytest.fixture
def window(session: MakeSession) -> MakeWindow:
    """100 such sessions on core 0 in a window of 1 s, at 2 ticks a ns: the core is theirs alone."""

    def made(**more: Any) -> SessionsWindow:
        usual = SessionsWindow(
            cores=(0,), warm_up_ns=300_000_000, window_ns=1_000_000_000, ticks_are_tsc=True,
            window_ticks=2_000_000_000, clock_ns=1_000_000_000, clock_ticks=2_000_000_000,
            clock_pair_ticks=20, busy_ns=1_000_000_000, steal_ns=0, stretch_messages=10,
            chain_adds=8192, part_bytes=(12_500_000,) * 8, latencies=((96, 10_000),),
            sessions=tuple(session() for _ in range(100)),
        )  # fmt: skip
        return replace(usual, **more)

    return made
