# SPDX-License-Identifier: Apache-2.0
"""From windows of sessions to the figures that the study keeps and draws."""

from __future__ import annotations

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
from joulemark.studies.rashwan2012.findings import PerThread, Scope, SessionRow, WindowRow

__all__ = ["per_thread_of", "window_row"]


def window_row(taken: RoundAttempts[SessionsWindow]) -> WindowRow:
    """Returns the figures of the window that stands for a round."""
    best = taken.best
    window = best.window
    migrations = sum(session.migrations for session in window.sessions)
    preemptions = sum(session.involuntary_switches for session in window.sessions)
    return WindowRow(
        absolute_ticks=absolute_ticks_per_byte(window) or 0.0,
        apparent_ticks=apparent_ticks_per_byte(window) or 0.0,
        core_cycles_per_tick=core_cycles_per_tick(window),
        fairness=jain([session.tagged_bytes for session in window.sessions]) or 0.0,
        migrations_per_s=migrations * 1e9 / window.wall_ns,
        preemptions_per_s=preemptions * 1e9 / window.wall_ns,
        own_share=own_share(window),
        window_s=window.window_ns / 1e9,
        attempts=len(taken.attempts),
        troubles=[str(trouble.kind) for trouble in best.troubles],
    )


def per_thread_of(
    point: Point, scope: Scope, function: str, attempt: Attempt[SessionsWindow]
) -> PerThread:
    """Returns the figures of each session of a long window, as they are drawn.

    The point ran messages of one length on the cores of `scope`; the function has its name in the
    paper.
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
