# SPDX-License-Identifier: Apache-2.0
"""The divisions by which counts of one window become processing, fairness and latencies.

Absolute processing is the time that the sessions' threads spent, apparent processing the time that
the window took, "as if the function is virtually being executed sequentially by the main processor"
(rashwan2012, section III.E). Both are per byte of all sessions. On one core that others leave
alone they agree; on k cores apparent falls towards absolute / k.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from typing import Final

from joulemark.analyse.derive import per_byte
from joulemark.records.sample import SessionCounts, SessionsWindow, percentile

PERCENTILES: Final = {"p50": Fraction(1, 2), "p99": Fraction(99, 100), "p99.9": Fraction(999, 1000)}


def _ticks_per_ns(window: SessionsWindow) -> float:
    return window.clock_ticks / window.clock_ns


def absolute_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Thread CPU time of all sessions, in ticks, over their bytes; None without a byte."""
    return per_byte(window.thread_cpu_ns * _ticks_per_ns(window), window.tagged_bytes)


def apparent_ticks_per_byte(window: SessionsWindow) -> float | None:
    """Ticks of the window over the bytes of all sessions; None without a byte."""
    return per_byte(window.window_ticks, window.tagged_bytes)


def session_wall_ticks_per_byte(session: SessionCounts) -> float | None:
    """Ticks between a session's readings over its bytes; None without a byte."""
    return per_byte(session.ticks, session.tagged_bytes)


def session_absolute_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """CPU time of one session, in ticks, over its bytes; None without a byte."""
    return per_byte(session.thread_cpu_ns * _ticks_per_ns(window), session.tagged_bytes)


def session_apparent_ticks_per_byte(window: SessionsWindow, session: SessionCounts) -> float | None:
    """Ticks of the window over n times the bytes of one of n sessions; None without a byte.

    Our reading of figures 8 to 11 of rashwan2012: were all sessions like this one, this were the
    apparent processing of all. A session that is scheduled less has more of it (section V.D).
    """
    return per_byte(window.window_ticks, len(window.sessions) * session.tagged_bytes)


def core_cycles_per_tick(window: SessionsWindow) -> float | None:
    """Core cycles in a tick: the median over the first sessions, which have clock probes.

    Of each of them it is chain_adds / ((chain_ticks_before + chain_ticks_after) / 2), as in
    `joulemark.analyse.derive.core_cycles_per_tick`; None without a time-stamp counter.
    """
    ratios = [
        2 * window.chain_adds / (session.chain_ticks_before + session.chain_ticks_after)
        for session in window.sessions
        if session.chain_ticks_before and session.chain_ticks_after
    ]
    return median(ratios) if ratios and window.ticks_are_tsc else None


def jain(values: Sequence[float]) -> float | None:
    """Jain's index of fairness: (sum x)^2 / (n sum x^2), from 1/n to 1; None where all are 0.

    References:
        Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination, DEC-TR-301, 1984.
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def latency_seconds(window: SessionsWindow, share: Fraction) -> float | None:
    """A percentile of the time of one message, without the time of reading the clock.

    It includes the time in which the session waited for a core in the middle of the message.
    """
    ticks = percentile(window.latencies, share)
    if ticks is None:
        return None
    return max(0.0, ticks - window.clock_pair_ticks) / _ticks_per_ns(window) / 1e9
