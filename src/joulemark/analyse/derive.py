# SPDX-License-Identifier: Apache-2.0
"""The divisions by which raw counters become figures per message and per byte, one a function.

Every function is exact arithmetic on one sample; None means that the counter is not there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from joulemark.judging.standing import off_cpu_share
from joulemark.records.sample import RawSample
from joulemark.stats.clustered import clustered_median_interval
from joulemark.stats.location import median

# The precision of one trial's time, by which `--precision` decides when a run may stop.

LOOKED_LEVEL: Final = 0.965
"""Nominal level of the intervals of a run that stops once they are narrow enough. Such a run stops
more often where chance made the interval narrow; at this level the interval still holds the truth
in 95 % of runs, for any precision and for up to eight looks."""


def half_width(samples: Sequence[RawSample], *, level: float = LOOKED_LEVEL) -> float:
    """Half of the interval of the time per message over its median; infinite without a median.

    Args:
        samples: those of one trial that figures stand on, any number.
        level: of the interval, between 0 and 1, exclusive.
    """
    if not samples:
        return math.inf
    seconds = [seconds_per_message(sample) for sample in samples]
    processes = [sample.generation for sample in samples]
    interval = clustered_median_interval(seconds, processes, level=level)
    centre = median(seconds)
    return (interval.high - interval.low) / 2 / centre if centre > 0 else math.inf


# The divisions.

_NANOSECOND = 1e9
"""Nanoseconds in a second; dividing by it rounds once, multiplying by 1e-9 twice."""


def seconds_per_message(sample: RawSample) -> float:
    """wall_ns / (messages 10^9), in seconds."""
    return sample.wall_ns / (sample.messages * _NANOSECOND)


def thread_cpu_seconds_per_message(sample: RawSample) -> float:
    """thread_cpu_ns / (messages 10^9), in seconds."""
    return sample.thread_cpu_ns / (sample.messages * _NANOSECOND)


def tsc_ticks_per_message(sample: RawSample) -> float | None:
    """tsc_ticks / messages; None without a time-stamp counter."""
    return None if sample.tsc_ticks is None else sample.tsc_ticks / sample.messages


def measured_core_cycles_per_message(sample: RawSample) -> float | None:
    """perf_core_cycles / messages; None where the kernel does not lend the counter."""
    return None if sample.perf_core_cycles is None else sample.perf_core_cycles / sample.messages


def core_cycles_per_tick(sample: RawSample) -> float | None:
    """Core cycles in one TSC tick, by the clock probes around the window.

    chain_adds / ((chain_ticks_before + chain_ticks_after) / 2): a chain of dependent additions
    takes one core cycle each, so its length over its ticks is the ratio of the two clocks.
    None unless both probes are there and not empty.
    """
    before, after = sample.chain_ticks_before, sample.chain_ticks_after
    if not before or not after or sample.chain_adds <= 0:
        return None
    return 2 * sample.chain_adds / (before + after)


def modelled_core_cycles_per_message(sample: RawSample) -> float | None:
    """tsc_ticks (1 - off_cpu_share) core_cycles_per_tick / messages.

    Ticks run on while another thread has the CPU, core cycles of this thread do not, so only the
    share of the window that the thread was on the CPU counts: the same quantity as
    `measured_core_cycles_per_message`. Supposes that the clock held between the probes. None
    without a time-stamp counter or without both probes.
    """
    ratio = core_cycles_per_tick(sample)
    if sample.tsc_ticks is None or ratio is None:
        return None
    return sample.tsc_ticks * (1 - off_cpu_share(sample)) * ratio / sample.messages


def tsc_hertz(sample: RawSample) -> float | None:
    """tsc_ticks 10^9 / wall_ns: rate of the time-stamp counter seen in this window."""
    if sample.tsc_ticks is None or sample.wall_ns <= 0:
        return None
    return sample.tsc_ticks * _NANOSECOND / sample.wall_ns


def per_byte(value_per_message: float, size_bytes: float) -> float | None:
    """value_per_message / size_bytes; None for the empty message."""
    return value_per_message / size_bytes if size_bytes else None


def bytes_per_second(seconds: float, size_bytes: float) -> float | None:
    """size_bytes / seconds; None for the empty message or an unmeasurably short time."""
    return size_bytes / seconds if size_bytes and seconds > 0 else None
