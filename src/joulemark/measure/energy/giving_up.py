# SPDX-License-Identifier: Apache-2.0
"""When metering ends early: on a machine that is too busy, or after windows that stay void.

Before the first window, the CPU time of other programs is watched for a second. Above the limit a
second look decides, so that a short burst does no harm. Later, three void windows in a row with one
cause end the attempt. A window that other programs spoilt is taken again after a pause, so that
three in a row mean some seconds of disturbance and not one burst.
"""

from __future__ import annotations

import math
from collections.abc import Container
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.judging.void import FEWEST_TICKS, LASTING, TICK_NS, Void, VoidReason
from joulemark.measure.windows.edges import Clock
from joulemark.measure.windows.window import MachineActivity
from joulemark.units import format_percent

HOPELESS: Final = 3
"""Void windows in a row with one cause, after which no more are taken."""
RETAKE_PAUSE_S: Final = 1.0
"""Pause between a window that other programs spoilt and the next attempt at it."""
_LOOK_S: Final = 1.0
_LOOKS: Final = 2
_HEADROOM: Final = 1.3
"""The load of a busy machine goes up and down from window to window."""
_STEPS: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Limits that are proposed, in each power of ten: numbers that a person would type."""


def refuse_if_busy(limit: float, clock: Clock, activity: MachineActivity) -> None:
    """Refuses to begin on a machine on which every window would be void.

    Args:
        limit: foreign CPU time over wall time above which a window is void.
        clock: lets the looks pass while this process sleeps.
        activity: counters of the calling thread and of the machine.
    """
    share = 0.0
    for _ in range(_LOOKS):
        share = _foreign_share(clock, activity)
        if share <= limit:
            return
    raise UnavailableError(
        f"other programs use {format_percent(share)} of a CPU, more than the "
        f"{format_percent(limit)} allowed; {_remedy(share)}"
    )


def _foreign_share(clock: Clock, activity: MachineActivity) -> float:
    """CPU time of other programs over wall time; 0 if it is too little to be seen."""
    busy_ns, own_ns, start_ns = (
        activity.machine_busy_ns(),
        activity.thread_cpu_ns(),
        clock.now_ns(),
    )
    clock.sleep_ns(round(_LOOK_S * 1e9))
    after_ns = activity.machine_busy_ns()
    if busy_ns is None or after_ns is None:
        return 0.0
    foreign_ns = after_ns - busy_ns - (activity.thread_cpu_ns() - own_ns)
    if foreign_ns < FEWEST_TICKS * TICK_NS:
        return 0.0
    return foreign_ns / max(1, clock.now_ns() - start_ns)


def limit_that_would_do(share: float) -> str:
    """A value for `--foreign-limit` under which windows with this much foreign CPU time count.

    Args:
        share: foreign CPU time over wall time, above 0.
    """
    wanted = share * _HEADROOM * 100
    power = 10.0 ** math.floor(math.log10(wanted))
    return f"{next(step * power for step in _STEPS if step * power >= wanted):g}%"


def _remedy(share: float) -> str:
    limit = limit_that_would_do(share)
    return f"--foreign-limit {limit} would take such windows, or try later"


class VoidsInARow:
    """Counts void windows in a row that have one cause.

    Args:
        at_once: causes of which one window ends the attempt.
    """

    def __init__(self, at_once: Container[VoidReason] = ()) -> None:
        self._at_once = at_once
        self._reason: VoidReason | None = None
        self._times = 0
        self._text = ""
        self._shares: list[float] = []

    @property
    def hopeless(self) -> bool:
        """Whether no more windows should be taken."""
        return self._times >= (1 if self._reason in self._at_once else HOPELESS)

    def note(self, void: Void | None) -> None:
        """Takes one window into account.

        Args:
            void: why it is void; None for a good window.
        """
        reason = None if void is None else void.reason
        if reason is not self._reason:
            self._reason, self._times, self._shares = reason, 0, []
        if void is not None:
            self._times += 1
            self._text = void.text
            if void.foreign_share is not None:
                self._shares.append(void.foreign_share)

    def pause_before_retake(self, void: Void | None, attempts_left: int) -> float | None:
        """Takes one window into account, and says whether it is to be taken again.

        Args:
            void: why it is void; None for a good window.
            attempts_left: further attempts at it that are allowed.

        Returns:
            Seconds to wait before the next attempt; None if there is to be none.
        """
        self.note(void)
        if void is None or void.reason in LASTING or self.hopeless or not attempts_left:
            return None
        return RETAKE_PAUSE_S if void.reason is VoidReason.FOREIGN_CPU else 0.0

    @property
    def sentence(self) -> str:
        """Why no more windows are taken; to be asked only once it is hopeless."""
        assert self._reason is not None
        remedy = f"; {_remedy(max(self._shares))}" if self._shares else ""
        times = "a void window" if self._times == 1 else f"{self._times} void windows in a row"
        return f"metering ended after {times}, {self._reason.value}: {self._text}{remedy}"
