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

__all__ = ["LabelledPoint", "points_of", "scenario_of", "scopes_of", "swept"]

LabelledPoint = tuple[Build, Scope, Point]
_WARM_UP_S: Final = 0.05
"""Until the sessions are spread over the cores, which takes the scheduler some of its turns."""
_SWEEP: Final = Limits(least_turns=0, least_latencies=300)
"""The sums of all sessions need no turns of each, and no 99.9th percentile is drawn."""
_ATTEMPTS: Final = 2
_LENGTHENED: Final = 2
"""Times the usual window, at most: the study's time is bounded, and its page says what remains."""


def scopes_of(cores: tuple[int, ...]) -> dict[Scope, tuple[int, ...]]:
    """The sets of cores on which all is measured."""
    scopes: dict[Scope, tuple[int, ...]] = {"one core": cores[:1]}
    return {**scopes, "all cores": cores} if len(cores) > 1 else scopes


def scenario_of(cores: tuple[int, ...], sessions: int, window_s: float) -> Scenario:
    """Sessions at once on these cores, in windows of that length."""
    window_ns = round(window_s * 1e9)
    warm_up_ns = round(min(window_s, _WARM_UP_S) * 1e9)
    return Scenario(sessions, cores, warm_up_ns, window_ns, _LENGTHENED * window_ns, _ATTEMPTS)


def points_of(
    builds: dict[Build, str], sizes: Sequence[int], cores: tuple[int, ...], sessions: int,
    window_s: float, *, hidden: bool,
) -> list[LabelledPoint]:  # fmt: skip
    """Every point of a function.

    Args:
        builds: implementation by build.
        sizes: in bytes.
        cores: all of them.
        sessions: at once.
        window_s: of each point.
        hidden: whether software alone is the same implementation in other workers.
    """
    return [
        (
            build,
            scope,
            Point(
                name,
                Lengths(size),
                scenario_of(within, sessions, window_s),
                hidden and build == "software-only",
            ),
        )
        for build, name in builds.items()
        for scope, within in scopes_of(cores).items()
        for size in sizes
    ]


def swept(
    pool: WorkerPool, plain: WorkerPool, equipment: CpuEquipment, points: list[LabelledPoint],
    rounds: int, attempts: int,
) -> dict[str, Any]:  # fmt: skip
    """All points of one function, as JSON values."""
    points = [
        (build, scope, replace(point, scenario=replace(point.scenario, attempts=attempts)))
        for build, scope, point in points
    ]
    found = run_points(
        pool, equipment.inventory, [point for _, _, point in points], rounds, _SWEEP,
        software_only=plain,
    )  # fmt: skip
    return {
        "cells": [
            {
                "build": build, "scope": scope, "size_bytes": taken.point.lengths.size_bytes,
                "implementation": taken.point.implementation,
                "windows": [asdict(window_row(counted)) for counted in _with_bytes(taken)],
            }
            for (build, scope, _), taken in zip(points, found, strict=True)
            if _with_bytes(taken)
        ],
        "failed": sorted({_failed(point) for point in found if point.failure is not None}),
        "ticks_are_tsc": all(w.ticks_are_tsc for point in found for w in point.windows),
    }  # fmt: skip


def _with_bytes(taken: SessionRounds) -> list[RoundAttempts[SessionsWindow]]:
    """Rounds that have figures: a window so short that no session ended a stretch has none."""
    return [counted for counted in taken.rounds if counted.best.window.tagged_bytes]


def _failed(point: SessionRounds) -> str:
    return f"{point.point.implementation}: {point.failure.reason if point.failure else ''}"
