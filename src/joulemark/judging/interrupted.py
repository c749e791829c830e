# SPDX-License-Identifier: Apache-2.0
"""Which windows were interrupted: they are taken again, and figures stand on others.

The rule looks at the instrument, never at the time per message: at whether another thread displaced
ours, and at how much less CPU time than wall time the window has. A window is taken again up
to a stated number of times; every window is stored. Which windows figures stand on is decided in
`joulemark.judging.standing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # workers import this module, and as little else as possible
    from joulemark.records.sample import RawSample

__all__ = ["OFF_CPU_SHARE", "off_cpu_share", "was_interrupted", "window_was_interrupted"]

OFF_CPU_SHARE: Final = 0.01
"""Waiting for 1 % of a window is about as much as the differences that are worth finding."""


def off_cpu_share(sample: RawSample) -> float:
    """Share of the window in which the thread did not run, from 0 to 1."""
    return _off_cpu_share(sample.wall_ns, sample.thread_cpu_ns)


def _off_cpu_share(wall_ns: int, thread_cpu_ns: int) -> float:
    """1 - thread_cpu_ns / wall_ns.

    A small negative difference, from two clocks read one after the other, counts as 0.
    """
    return max(0.0, 1 - thread_cpu_ns / wall_ns) if wall_ns > 0 else 0.0


def was_interrupted(sample: RawSample) -> bool:
    """Whether this sample's window was interrupted."""
    return window_was_interrupted(
        sample.wall_ns, sample.thread_cpu_ns, sample.voluntary_switches, sample.involuntary_switches
    )


def window_was_interrupted(
    wall_ns: int, thread_cpu_ns: int, voluntary_switches: int, involuntary_switches: int
) -> bool:
    """Whether another thread took the CPU in the window.

    Code that gives the CPU up by itself, to sleep, to wait for a lock or to read, is not
    interrupted: its waiting is part of its cost.
    """
    if involuntary_switches:
        return True
    return not voluntary_switches and _off_cpu_share(wall_ns, thread_cpu_ns) > OFF_CPU_SHARE
