# SPDX-License-Identifier: Apache-2.0
"""Which windows were interrupted: the rule by which they are taken again and left out of figures.

The rule looks at the instrument, never at the time per message: at whether the thread was switched
out, and at how much less CPU time than wall time the window has. A window is taken again up to a
stated number of times; every window is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from joulemark.measure.records import RawSample

__all__ = [
    "FEWEST_CLEAN",
    "OFF_CPU_SHARE",
    "off_cpu_share",
    "trusted",
    "was_interrupted",
    "window_was_interrupted",
]

OFF_CPU_SHARE: Final = 0.01
"""Waiting for 1 % of a window: about the size of the differences that are worth finding."""
FEWEST_CLEAN: Final = 6
"""Clean windows that a figure needs: fewer carry no 95 % interval. A window of many milliseconds on
a busy CPU is always interrupted; its trial then has a figure of all windows, and a doubt."""


def off_cpu_share(sample: RawSample) -> float:
    """Share of the window in which the thread stood, from 0 to 1."""
    return _off_cpu_share(sample.wall_ns, sample.thread_cpu_ns)


def _off_cpu_share(wall_ns: int, thread_cpu_ns: int) -> float:
    """1 - thread_cpu_ns / wall_ns.

    A small negative difference, from two clocks read one after the other, counts as 0.
    """
    return max(0.0, 1 - thread_cpu_ns / wall_ns) if wall_ns > 0 else 0.0


def was_interrupted(sample: RawSample) -> bool:
    """Whether this sample's window was interrupted."""
    switches = sample.voluntary_switches + sample.involuntary_switches
    return window_was_interrupted(sample.wall_ns, sample.thread_cpu_ns, switches)


def window_was_interrupted(wall_ns: int, thread_cpu_ns: int, switches: int) -> bool:
    """Whether the thread was switched out in the window, or stood for `OFF_CPU_SHARE` of it."""
    return switches > 0 or _off_cpu_share(wall_ns, thread_cpu_ns) > OFF_CPU_SHARE


def trusted(samples: Sequence[RawSample]) -> list[RawSample]:
    """The samples that a figure stands on: the clean ones, or all where there are too few."""
    clean = [sample for sample in samples if not was_interrupted(sample)]
    return clean if len(clean) >= min(FEWEST_CLEAN, len(samples)) else list(samples)
