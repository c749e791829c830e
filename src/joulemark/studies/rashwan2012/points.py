# SPDX-License-Identifier: Apache-2.0
"""The points of the sweep: every build, size and set of cores of a function, and their windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from joulemark.judging.sessions import Limits
from joulemark.measure.sessions.rounds import RoundAttempts
from joulemark.measure.sessions.run import Point, SessionRounds, run_points
from joulemark.measure.sessions.work import Lengths, Scenario
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.sessions import SessionsWindow
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.rashwan2012.findings import Build, Scope
from joulemark.studies.rashwan2012.rows import window_row

__all__ = ["LabelledPoint", "points_of", "scenario_of", "scopes_of", "sweep"]

LabelledPoint = tuple[Build, Scope, Point]
_WARM_UP_S: Final = 0.05
"""Time until the sessions are spread over the cores, for which the scheduler needs some turns."""
_SWEEP: Final = Limits(least_turns=0, least_latencies=300)
"""Limits of a window: the sums of all sessions need no turns of each session, and no 99.9th
percentile is drawn."""
_ATTEMPTS: Final = 2
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
    return Scenario(sessions, cores, warm_up_ns, window_ns, _LENGTHENED * window_ns, _ATTEMPTS)


def points_of(
    builds: dict[Build, str], sizes: Sequence[int], cores: tuple[int, ...], sessions: int,
    window_s: float, *, hidden: bool,
) -> list[LabelledPoint]:  # fmt: skip
    """Returns every point of a function, of which `builds` has the implementations.

    `hidden` says whether software alone is the same implementation in other workers.
    """
    scenarios = {
        scope: scenario_of(within, sessions, window_s) for scope, within in scopes_of(cores).items()
    }
    return [
        (build, scope, Point(name, Lengths(size), scenario, hidden and build == "software-only"))
        for build, name in builds.items()
        for scope, scenario in scenarios.items()
        for size in sizes
    ]


def sweep(
    pool: WorkerPool, plain: WorkerPool, equipment: CpuEquipment, points: list[LabelledPoint],
    rounds: int, attempts: int,
) -> dict[str, Any]:  # fmt: skip
    """Measures all points of one function, and returns their figures as JSON values."""
    wanted = [
        replace(point, scenario=replace(point.scenario, attempts=attempts))
        for _, _, point in points
    ]
    measured = run_points(
        pool, equipment.inventory, wanted, rounds, _SWEEP, software_only=plain
    )  # fmt: skip
    return {
        "cells": [
            {
                "build": build, "scope": scope, "size_bytes": point.lengths.size_bytes,
                "implementation": point.implementation,
                "windows": [asdict(window_row(taken)) for taken in _with_bytes(rows)],
            }
            for (build, scope, point), rows in zip(points, measured, strict=True)
            if _with_bytes(rows)
        ],
        "failed": sorted(
            {f"{rows.point.implementation}: {rows.failure.reason}" for rows in measured
             if rows.failure is not None}
        ),
        "ticks_are_tsc": all(
            window.ticks_are_tsc for rows in measured for window in rows.windows
        ),
    }  # fmt: skip


def _with_bytes(rows: SessionRounds) -> list[RoundAttempts[SessionsWindow]]:
    """Returns the rounds with figures: a window in which no session ended a stretch has none."""
    return [taken for taken in rows.rounds if taken.best.window.tagged_bytes]
