# SPDX-License-Identifier: Apache-2.0
"""A point of two sessions that the tests of the store put in and expect back."""

from __future__ import annotations

from store_data import ENVIRONMENT, FACTS

from joulemark.records.sample import SessionCounts, SessionsWindow
from joulemark.store.beside_runs import SessionsAttempt, SessionsPoint, SessionsRound

__all__ = ["POINT"]

_ONE = SessionCounts(
    messages=1000, tagged_bytes=64_000, wall_ns=20_000_000, thread_cpu_ns=10_000_000,
    ticks=40_000_000, voluntary_switches=0, involuntary_switches=4, migrations=1,
    chain_ticks_before=4096, chain_ticks_after=None, last_bytes=64, last_nonce=2**40,
)  # fmt: skip
_WINDOW = SessionsWindow(
    cores=(0, 3), warm_up_ns=5_000_000, window_ns=20_000_000, ticks_are_tsc=True,
    window_ticks=40_000_000, clock_ns=20_000_000, clock_ticks=40_000_000, clock_pair_ticks=20,
    busy_ns=None, steal_ns=0, stretch_messages=10, chain_adds=8192, part_bytes=(16_000,) * 8,
    latencies=((96, 100), (97, 100)), sessions=(_ONE, _ONE),
)  # fmt: skip
POINT = SessionsPoint(
    facts=FACTS,
    size_bytes=64,
    mix="",
    sessions=2,
    rounds=(
        SessionsRound(
            _WINDOW,
            (),
            (
                SessionsAttempt(5_000_000, 10_000_000, ("too short",)),
                SessionsAttempt(5_000_000, 20_000_000, ()),
            ),
        ),
    ),
    environment=ENVIRONMENT,
    joulemark_version="0.1.0",
)
