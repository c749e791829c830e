# SPDX-License-Identifier: Apache-2.0
"""Whether a window of gatherers counts, and whether they kept up with the messages."""

from __future__ import annotations

from typing import Final

from joulemark.judging.sessions import Limits, Trouble, TroubleKind, own_share
from joulemark.records.gathering import GatherWindow

_LEFT_BEHIND: Final = 0.01
"""Share of the messages of a window by which the backlog may grow."""


def gather_troubles(window: GatherWindow, limits: Limits) -> list[Trouble]:
    """All reasons why this window does not count; empty if it counts.

    A gatherer does not sleep, so its CPU time is all of its core's time unless other programs had
    some.
    """
    return [*_over_utilised(window, limits), *_short(window, limits)]


def _over_utilised(window: GatherWindow, limits: Limits) -> list[Trouble]:
    own = own_share(window)
    steal = (window.steal_ns or 0) / window.wall_ns if window.wall_ns else 0.0
    if 1 - own <= limits.foreign_share and steal <= limits.steal_share:
        return []
    sentence = f"the gatherers had {own:.1%} of the cores"
    if window.steal_ns is not None:
        sentence += f", the hypervisor {steal:.1%}"
    return [Trouble(TroubleKind.OVER_UTILISED, sentence)]


def _short(window: GatherWindow, limits: Limits) -> list[Trouble]:
    if window.messages >= limits.least_latencies:
        return []
    sentence = f"{window.messages} messages were tagged, of {limits.least_latencies}"
    return [
        Trouble(TroubleKind.TOO_SHORT, sentence, limits.least_latencies / max(window.messages, 1))
    ]


def kept_up(window: GatherWindow) -> bool:
    """Whether the gatherers tagged as many messages as arrived.

    Otherwise each message waits longer than the one before, and latencies say nothing.
    """
    grown = sum(gatherer.backlog_after - gatherer.backlog_before for gatherer in window.gatherers)
    allowed = max(_LEFT_BEHIND * window.messages, window.batch_most * len(window.cores))
    return grown <= allowed
