# SPDX-License-Identifier: Apache-2.0
"""Whether a window of many sessions counts, and what would make the next one better.

The checks are those of rashwan2012 (section III.B, figure 3): resources over-utilised, too short
for a steady state, a wrong measurement period. Each is a pure function of one window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from statistics import median
from typing import Final

from joulemark.records.gathering import GatherWindow
from joulemark.records.sessions import SessionsWindow


class TroubleKind(StrEnum):
    """Why a window does not count."""

    OVER_UTILISED = "over-utilised"
    """Other programs or the hypervisor used the cores too."""
    UNSTEADY = "not steady"
    """The sessions were faster in one half of the window than in the other."""
    TOO_SHORT = "too short"
    """Sessions had too few turns, or too few messages were timed for the percentiles."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One reason why a window does not count."""

    kind: TroubleKind
    sentence: str
    longer: float = 1.0
    """How many times longer the window ought to be, at least 1."""


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """Bounds beyond which a window does not count."""

    foreign_share: float = 0.05
    """Largest share of the cores' time that the sessions may leave idle or to others."""
    steal_share: float = 0.02
    """Largest share of the cores' time that the hypervisor may take."""
    step: float = 0.05
    """Largest relative difference between the bytes of the two halves of the window."""
    least_turns: int = 3
    """Turns on a core that more than half of the sessions must have; 0: turns do not matter."""
    least_latencies: int = 1000
    """Fewest messages timed by themselves: with fewer there is no 99.9th percentile."""


def own_share(window: SessionsWindow | GatherWindow) -> float:
    """CPU time of our threads over the time of the cores that they can keep busy."""
    if isinstance(window, GatherWindow):
        return window.thread_cpu_ns / window.wall_ns if window.wall_ns else 0.0
    return window.thread_cpu_ns / (window.wall_ns * window.cores_in_use)


def step(window: SessionsWindow) -> float | None:
    """Bytes of the later half over those of the earlier half, minus 1; None if that has none."""
    half = len(window.part_bytes) // 2
    earlier, later = sum(window.part_bytes[:half]), sum(window.part_bytes[-half:])
    return later / earlier - 1 if earlier else None


def troubles(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    """All reasons why this window does not count; empty if it counts."""
    return [*_over_utilised(window, limits), *_unsteady(window, limits), *_short(window, limits)]


def _over_utilised(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    own = own_share(window)
    time_ns = window.wall_ns * len(window.cores)
    steal = (window.steal_ns or 0) / time_ns
    if 1 - own <= limits.foreign_share and steal <= limits.steal_share:
        return []
    parts = [f"the sessions had {own:.1%} of the cores"]
    if window.busy_ns is not None:
        others = max(0.0, (window.busy_ns - window.thread_cpu_ns) / time_ns)
        parts.append(f"other programs {others:.1%}")
    if window.steal_ns is not None:
        parts.append(f"the hypervisor {steal:.1%}")
    return [Trouble(TroubleKind.OVER_UTILISED, ", ".join(parts))]


def _unsteady(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    found = step(window)
    if found is not None and abs(found) <= limits.step:
        return []
    sentence = (
        "no session did anything in the first half of the window"
        if found is None
        else f"the later half of the window has {found:+.1%} bytes"
    )
    return [Trouble(TroubleKind.UNSTEADY, sentence, 2.0)]


def _short(window: SessionsWindow, limits: WindowLimits) -> list[Trouble]:
    found = []
    turns = median(session.turns for session in window.sessions)
    crowded = len(window.sessions) > len(window.cores)
    if crowded and turns < limits.least_turns:
        sentence = f"half of the sessions had {turns:g} turns on a core or fewer"
        longer = limits.least_turns / max(turns, 0.5)
        found.append(Trouble(TroubleKind.TOO_SHORT, sentence, longer))
    timed = sum(count for _, count in window.latencies)
    if timed < limits.least_latencies:
        sentence = f"{timed} messages were timed by themselves, of {limits.least_latencies}"
        longer = limits.least_latencies / max(timed, 1)
        found.append(Trouble(TroubleKind.TOO_SHORT, sentence, longer))
    return found


def adjusted(
    warm_up_ns: int, window_ns: int, found: Sequence[Trouble], *, longest_ns: int
) -> tuple[int, int]:
    """Warm-up and window of the next attempt.

    A window that was too short becomes as long as it ought to be, and a quarter more; one that was
    not steady begins later and is twice as long. Against others on the cores only another attempt
    helps, so a window that they alone spoil keeps its length. The number of sessions is the user's.

    Args:
        warm_up_ns: time from the start to t1 in the last attempt.
        window_ns: time from t1 to t2 in the last attempt.
        found: troubles of the last attempt.
        longest_ns: bound for the window and for the warm-up.
    """
    kinds = {trouble.kind for trouble in found}
    short = max(
        (trouble.longer for trouble in found if trouble.kind is TroubleKind.TOO_SHORT), default=1.0
    )
    longer = 1.25 * short if short > 1 else 1.0
    # Others that come and go on the cores make a window unsteady; a longer warm-up does not help.
    if TroubleKind.UNSTEADY in kinds and TroubleKind.OVER_UTILISED not in kinds:
        warm_up_ns = max(2 * warm_up_ns, window_ns // 2)
        longer = max(longer, 2.0)
    most = max(longest_ns, window_ns)
    return min(warm_up_ns, most), min(ceil(window_ns * longer), most)


# Whether a window of gatherers counts, and whether they kept up with the messages.

_LEFT_BEHIND: Final = 0.01
"""Share of the messages of a window by which the backlog may grow."""


def gather_troubles(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
    """All reasons why this window does not count; empty if it counts.

    A gatherer does not sleep, so its CPU time is all of its core's time unless other programs had
    some.
    """
    return [*_gatherers_over_utilised(window, limits), *_short_of_gatherers(window, limits)]


def _gatherers_over_utilised(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
    own = own_share(window)
    steal = (window.steal_ns or 0) / window.wall_ns if window.wall_ns else 0.0
    if 1 - own <= limits.foreign_share and steal <= limits.steal_share:
        return []
    sentence = f"the gatherers had {own:.1%} of the cores"
    if window.steal_ns is not None:
        sentence += f", the hypervisor {steal:.1%}"
    return [Trouble(TroubleKind.OVER_UTILISED, sentence)]


def _short_of_gatherers(window: GatherWindow, limits: WindowLimits) -> list[Trouble]:
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
