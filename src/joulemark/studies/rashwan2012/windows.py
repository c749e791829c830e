# SPDX-License-Identifier: Apache-2.0
"""Points and windows of the study: their figures, the sweep of a function, numbers of cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Final

from joulemark.analyse.derive import (
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    jain,
    session_absolute_ticks_per_byte,
    session_apparent_ticks_per_byte,
    session_core_cycles_per_tick,
    session_wall_ticks_per_byte,
)
from joulemark.errors import UnavailableError
from joulemark.judging import TroubleKind, WindowLimits, own_share
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.session_rounds import (
    Attempt,
    MessageLengths,
    Patience,
    RoundAttempts,
    Scenario,
    ThreadsPoint,
)
from joulemark.measure.session_windows import SessionRounds, run_points
from joulemark.records.sample import SessionsWindow
from joulemark.studies.equipment import MOST_ATTEMPTS, PartFields
from joulemark.studies.rashwan2012.paper import Build, PerThread, Scope, SessionRow, WindowRow

# From windows of sessions to the figures that the study keeps and draws.


def window_row(taken: RoundAttempts[SessionsWindow]) -> WindowRow:
    """Returns the figures of the window that stands for a round."""
    best = taken.best
    window = best.window
    migrations = sum(session.migrations for session in window.sessions)
    preemptions = sum(session.involuntary_switches for session in window.sessions)
    return WindowRow(
        absolute_ticks=absolute_ticks_per_byte(window) or 0.0,
        apparent_ticks=apparent_ticks_per_byte(window) or 0.0,
        core_cycles_per_tick=session_core_cycles_per_tick(window),
        fairness=jain([session.tagged_bytes for session in window.sessions]) or 0.0,
        migrations_per_s=migrations * 1e9 / window.wall_ns,
        preemptions_per_s=preemptions * 1e9 / window.wall_ns,
        own_share=own_share(window),
        window_s=window.window_ns / 1e9,
        attempts=len(taken.attempts),
        troubles=[str(trouble.kind) for trouble in best.troubles],
    )


def per_thread_of(
    implementation: str,
    size_bytes: int,
    scope: Scope,
    function: str,
    attempt: Attempt[SessionsWindow],
) -> PerThread:
    """Returns the figures of each session of a long window, as they are drawn.

    `function` is the paper's name of the implementation.
    """
    window = attempt.window
    return PerThread(
        scope=scope,
        function=function,
        implementation=implementation,
        size_bytes=size_bytes,
        core_cycles_per_tick=session_core_cycles_per_tick(window),
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


# The points of the sweep: every build, size and set of cores of a function, and their windows.

Announce = Callable[[int, int, ThreadsPoint], None]
"""Is told how many visits are done, of how many, and which point comes."""
LabelledPoint = tuple[Build, Scope, ThreadsPoint]
_WARM_UP_S: Final = 0.05
"""Time until the sessions are spread over the cores, for which the scheduler needs some turns."""
_SWEEP: Final = WindowLimits(least_turns=0, least_latencies=300)
"""Limits of a window: the sums of all sessions need no turns of each session, and no 99.9th
percentile is drawn."""
_LENGTHENED: Final = 2
"""Longest window over the usual window: the study's time is bounded, and its page says how many
windows do not count."""


def scopes_of(cores: tuple[int, ...]) -> dict[Scope, tuple[int, ...]]:
    """Returns the sets of cores on which every function is measured."""
    scopes: dict[Scope, tuple[int, ...]] = {"one core": cores[:1]}
    return {**scopes, "all cores": cores} if len(cores) > 1 else scopes


def scenario_of(cores: tuple[int, ...], sessions: int, window_s: float) -> Scenario:
    """Returns the scenario of sessions at once on these cores, in windows of that length."""
    window_ns = round(window_s * 1e9)
    warm_up_ns = round(min(window_s, _WARM_UP_S) * 1e9)
    return Scenario(sessions, cores, warm_up_ns, window_ns, _LENGTHENED * window_ns, MOST_ATTEMPTS)


def points_of(
    builds: dict[Build, str],
    sizes: Sequence[int],
    cores: tuple[int, ...],
    sessions: int,
    window_s: float,
    *,
    hidden: bool,
) -> list[LabelledPoint]:
    """Returns every point of a function, of which `builds` has the implementations.

    `hidden` says whether software alone is the same implementation in other workers.
    """
    scenarios = {
        scope: scenario_of(within, sessions, window_s) for scope, within in scopes_of(cores).items()
    }
    return [
        (
            build,
            scope,
            ThreadsPoint(name, MessageLengths(size), scenario, hidden and build == "software-only"),
        )
        for build, name in builds.items()
        for scope, scenario in scenarios.items()
        for size in sizes
    ]


def take_points(
    pool: WorkerPool,
    plain: WorkerPool | None,
    inventory: Inventory,
    points: Sequence[ThreadsPoint],
    rounds: int,
    announce: Announce,
) -> list[SessionRounds]:
    """Takes windows of all points in rounds, and refuses to go on where others spoil them.

    Args:
        pool: whose workers are not pinned.
        plain: workers of points that run in software only; needed if there are any.
        inventory: what there is.
        points: what is measured.
        rounds: at least 1.
        announce: told of the progress.
    """
    patience = Patience()
    measured = run_points(
        pool,
        inventory,
        points,
        rounds,
        _SWEEP,
        software_only=plain,
        patience=patience,
        announce=announce,
    )
    _require_quiet(patience, measured)
    return measured


def sweep(
    pool: WorkerPool,
    plain: WorkerPool,
    inventory: Inventory,
    points: list[LabelledPoint],
    rounds: int,
    attempts: int,
    announce: Announce,
) -> PartFields:
    """Measures all points of one function, and returns their figures as JSON values."""
    wanted = [
        replace(point, scenario=replace(point.scenario, attempts=attempts))
        for _, _, point in points
    ]
    measured = take_points(pool, plain, inventory, wanted, rounds, announce)
    return {
        "cells": [
            {
                "build": build,
                "scope": scope,
                "size_bytes": point.lengths.size_bytes,
                "implementation": point.implementation,
                "windows": window_rows(rows),
            }
            for (build, scope, point), rows in zip(points, measured, strict=True)
            if _with_bytes(rows)
        ],
        "failed": sorted(
            {
                f"{rows.point.implementation}: {rows.failure.reason}"
                for rows in measured
                if rows.failure is not None
            }
        ),
        "ticks_are_tsc": all(window.ticks_are_tsc for rows in measured for window in rows.windows),
    }


def _require_quiet(patience: Patience, measured: Sequence[SessionRounds]) -> None:
    """Refuses to go on where others spoilt windows in a row."""
    if not patience.ended:
        return
    taken = [attempt for rows in measured for each in rows.rounds for attempt in each.attempts]
    why = next(
        trouble.sentence
        for attempt in taken
        for trouble in attempt.troubles
        if trouble.kind is TroubleKind.OVER_UTILISED
    )
    raise UnavailableError(
        f"the sessions do not have their cores alone ({why}), so windows do not count; wait for a "
        "quiet moment: functions that were finished are kept, and the same command goes on"
    )


def window_rows(rows: SessionRounds) -> list[PartFields]:
    """Returns the figures of the window of each round, as JSON values."""
    return [asdict(window_row(taken)) for taken in _with_bytes(rows)]


def _with_bytes(rows: SessionRounds) -> list[RoundAttempts[SessionsWindow]]:
    """Returns the rounds with figures: a window in which no session ended a stretch has none."""
    return [taken for taken in rows.rounds if taken.best.window.tagged_bytes]


# More and more cores, on which apparent processing falls.

_EACH_UP_TO: Final = 8
"""Up to so many cores each number is measured, and then doublings."""


def numbers_of_cores(count: int) -> list[int]:
    """Returns the numbers of cores that are measured, where there are `count`."""
    each = range(1, min(count, _EACH_UP_TO) + 1)
    doubled = (1 << bit for bit in range(_EACH_UP_TO.bit_length(), count.bit_length()))
    return sorted({*each, *doubled, count})
