# SPDX-License-Identifier: Apache-2.0
"""From windows of sessions to what the study keeps and draws of them."""

from __future__ import annotations

from typing import Any

from joulemark.analyse.sessions.divide import (
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    core_cycles_per_tick,
    jain,
    session_absolute_ticks_per_byte,
    session_apparent_ticks_per_byte,
    session_wall_ticks_per_byte,
)
from joulemark.judging.sessions import own_share
from joulemark.measure.sessions.rounds import Attempt, RoundAttempts
from joulemark.measure.sessions.run import Point
from joulemark.records.sessions import SessionsWindow
from joulemark.studies.rashwan2012.findings import Cell, PerThread, Scope, SessionRow, WindowRow

__all__ = ["kept_cell", "per_thread_of", "window_row"]


def kept_cell(function: str, kept: dict[str, Any]) -> Cell:
    """A cell of a function from the JSON values that the journal kept of it."""
    windows = [WindowRow(**window) for window in kept["windows"]]
    return Cell(function=function, **{**kept, "windows": windows})


def window_row(taken: RoundAttempts[SessionsWindow]) -> WindowRow:
    """Figures of the window that stands for a round."""
    best = taken.best
    window = best.window
    return WindowRow(
        absolute_ticks=absolute_ticks_per_byte(window) or 0.0,
        apparent_ticks=apparent_ticks_per_byte(window) or 0.0,
        core_cycles_per_tick=core_cycles_per_tick(window),
        fairness=jain([session.tagged_bytes for session in window.sessions]) or 0.0,
        migrations_per_s=_per_second(
            window, sum(session.migrations for session in window.sessions)
        ),
        preemptions_per_s=_per_second(
            window, sum(session.involuntary_switches for session in window.sessions)
        ),
        own_share=own_share(window),
        window_s=window.window_ns / 1e9,
        attempts=len(taken.attempts),
        troubles=[str(trouble.kind) for trouble in best.troubles],
    )


def _per_second(window: SessionsWindow, count: int) -> float:
    return count * 1e9 / window.wall_ns


def per_thread_of(
    point: Point, scope: Scope, function: str, attempt: Attempt[SessionsWindow]
) -> PerThread:
    """What is drawn of each session of a long window.

    Args:
        point: what ran, with messages of one length.
        scope: the cores of it.
        function: as the paper names it.
        attempt: the window, and what is wrong with it.
    """
    window = attempt.window
    return PerThread(
        scope=scope,
        function=function,
        implementation=point.implementation,
        size_bytes=point.lengths.size_bytes,
        core_cycles_per_tick=core_cycles_per_tick(window),
        troubles=[str(trouble.kind) for trouble in attempt.troubles],
        window_s=window.window_ns / 1e9,
        sessions=[
            SessionRow(
                wall_ticks=session_wall_ticks_per_byte(session),
                absolute_ticks=session_absolute_ticks_per_byte(window, session),
                apparent_ticks=session_apparent_ticks_per_byte(window, session),
                migrations=session.migrations,
                preemptions=session.involuntary_switches,
            )
            for session in window.sessions
        ],
    )
