# SPDX-License-Identifier: Apache-2.0
"""The measurement: every function, size, build and set of cores in turn; then the long windows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from joulemark import __version__
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import UnavailableError
from joulemark.judging.sessions import Limits
from joulemark.measure.sessions.attempts import RoundAttempts
from joulemark.measure.sessions.run import Point, PointRounds, cores_held, run_points
from joulemark.measure.sessions.work import Lengths, Scenario
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.journal import Journal
from joulemark.studies.rashwan2012.findings import (
    BUILDS,
    STAND_IN,
    Build,
    Findings,
    PerThread,
    Scope,
    SessionRow,
)
from joulemark.studies.rashwan2012.libraries import LIBRARIES, OWN
from joulemark.studies.rashwan2012.pace import Pace
from joulemark.studies.rashwan2012.paper import Rashwan2012
from joulemark.studies.rashwan2012.rows import kept_cell, per_thread_of, window_row

__all__ = ["Work", "measure"]

STUDY: Final = "rashwan2012"
_PER_THREAD_BYTES: Final = 1024
_WINDOW_S: Final = 0.1
"""With three rounds twelve functions then take less than ten minutes."""
_FUNCTION_S: Final = 40.0
"""That the windows of a function may take, with 13 sizes, two builds and two sets of cores."""
_USUAL_WINDOWS: Final = 156
_WARM_UP_S: Final = 0.05
"""Until the sessions are spread over the cores, which takes the scheduler some of its turns."""
_LONG_WINDOW_S: Final = 8.0
_SHORTEST_S: Final = 0.01
_SWEEP: Final = Limits(least_turns=0, least_latencies=300)
"""The sums of all sessions need no turns of each, and no 99.9th percentile is drawn."""
_ATTEMPTS: Final = 2
_LENGTHENED: Final = 2
"""Times the usual window, at most: the study's time is bounded, and its page says what remains."""


@dataclass(frozen=True, slots=True)
class Work:
    """How much is measured."""

    scale: float = 1.0
    """Share of the usual length of windows; above 0 and at most 10."""
    rounds: int = 3
    sessions: int | None = None
    """None: the paper's."""
    sizes_bytes: tuple[int, ...] | None = None
    """None: the paper's."""
    library: str = OWN
    """Of `LIBRARIES`."""
    also: tuple[str, ...] = ()
    """Algorithms beyond those of the paper's file."""
    fresh: bool = False

    @property
    def window_s(self) -> float:
        """Of a point of the sweep."""
        return max(_SHORTEST_S, self.scale * _WINDOW_S)

    @property
    def long_window_s(self) -> float:
        """Of the sessions that are drawn one by one."""
        return max(_SHORTEST_S, self.scale * _LONG_WINDOW_S)


def measure(paper: Rashwan2012, work: Work, equipment: CpuEquipment) -> Findings:
    """Measures what is missing; what is finished is kept, a function at a time.

    Raises:
        UnavailableError: none of the functions is here.
        ReportError: the folder cannot be written.
    """
    cores = tuple(sorted(os.sched_getaffinity(0)))
    sessions = work.sessions or paper.experiment.sessions
    sizes = work.sizes_bytes or tuple(paper.experiment.sizes_bytes)
    library = LIBRARIES[work.library]
    here, absent = _functions(paper, work, equipment.inventory)
    if not here:
        raise UnavailableError(
            f"none of the paper's functions is here from {library.title}; 'joulemark list' says "
            "which package brings it"
        )
    journal = Journal(equipment.folder, STUDY, fresh=work.fresh)
    same = {
        "machine": equipment.environment.identity(), "version": __version__, "cores": cores,
        "sessions": sessions, "scale": work.scale, "rounds": work.rounds,
        "library": work.library,
    }  # fmt: skip
    missing: list[str] = []
    parts: list[dict[str, Any]] = []
    if equipment.energy is not None and equipment.energy.meter is not None:
        missing.append("this study meters no energy: leave --meter out")
    pool = WorkerPool(equipment.inventory, None)
    plain = WorkerPool(equipment.inventory, None, variables=library.variables or None)
    windows = len(BUILDS) * len(_scopes(cores)) * len(sizes) * work.rounds
    pace = Pace(_FUNCTION_S * work.scale * windows / _USUAL_WINDOWS)
    try:
        with cores_held(cores):
            for name, builds in here.items():
                equipment.say(f"{name}, {len(sizes)} sizes")
                question = {**same, "builds": builds, "sizes_bytes": sizes}
                points = _points(builds, sizes, cores, sessions, work, hidden=bool(library.variant))
                part = journal.part(
                    _part_name(name, work), question,
                    lambda points=points: _swept(  # type: ignore[misc]
                        pool, plain, equipment, points, work.rounds, pace.attempts()
                    ),
                )  # fmt: skip
                parts.append({"function": name, **part})
            equipment.say("each session by itself")
            threads = _threads(paper, journal, same, pool, equipment, here, work, cores, sessions)
    finally:
        pool.close()
        plain.close()
    for part in parts:
        missing += part["failed"]
    cells = [kept_cell(part["function"], cell) for part in parts for cell in part["cells"]]
    return Findings(
        cells=cells,
        per_thread=threads,
        absent=absent,
        missing=missing,
        sessions=sessions,
        cores=cores,
        rounds=work.rounds,
        window_s=work.window_s,
        ticks_are_tsc=all(part["ticks_are_tsc"] for part in parts),
        library=work.library,
        beyond=[
            name for name in here if name not in {function.name for function in paper.functions}
        ],
    )


def _part_name(function: str, work: Work) -> str:
    """Of a file: our kernels and libraries beside each other."""
    return function.lower() if work.library == OWN else f"{work.library}-{function.lower()}"


def _functions(
    paper: Rashwan2012, work: Work, inventory: Inventory
) -> tuple[dict[str, dict[Build, str]], dict[str, str]]:
    """Implementations of each function by build; why those of the paper that are not here are not.

    Functions beyond the paper are those that its file has, and those that were asked for.
    """
    library = LIBRARIES[work.library]
    here: dict[str, dict[Build, str]] = {}
    absent: dict[str, str] = {}
    named = {function.name: function.algorithm for function in (*paper.functions, *paper.beyond)}
    named |= {name: name for name in work.also if name not in named.values()}
    wanted = {function.name for function in paper.functions} | set(work.also)
    for name, algorithm in named.items():
        builds = library.builds(algorithm, inventory)
        if builds is not None:
            here[name] = builds
        elif name in wanted:
            known = algorithm in algorithms()
            absent[name] = f"not of {library.title}" if known else "not in the catalogue yet"
    return here, absent


def _scopes(cores: tuple[int, ...]) -> dict[Scope, tuple[int, ...]]:
    scopes: dict[Scope, tuple[int, ...]] = {"one core": cores[:1]}
    return {**scopes, "all cores": cores} if len(cores) > 1 else scopes


def _scenario(cores: tuple[int, ...], sessions: int, window_s: float) -> Scenario:
    window_ns = round(window_s * 1e9)
    warm_up_ns = round(min(window_s, _WARM_UP_S) * 1e9)
    return Scenario(sessions, cores, warm_up_ns, window_ns, _LENGTHENED * window_ns, _ATTEMPTS)


_Labelled = tuple[Build, Scope, Point]


def _points(
    builds: dict[Build, str], sizes: Sequence[int], cores: tuple[int, ...], sessions: int,
    work: Work, *, hidden: bool,
) -> list[_Labelled]:  # fmt: skip
    """Every point of a function.

    Args:
        builds: implementation by build.
        sizes: in bytes.
        cores: all of them.
        sessions: at once.
        work: how much.
        hidden: whether software alone is the same implementation in other workers.
    """
    return [
        (
            build,
            scope,
            Point(
                name,
                Lengths(size),
                _scenario(within, sessions, work.window_s),
                hidden and build == "software-only",
            ),
        )
        for build, name in builds.items()
        for scope, within in _scopes(cores).items()
        for size in sizes
    ]


def _swept(
    pool: WorkerPool, plain: WorkerPool, equipment: CpuEquipment, points: list[_Labelled],
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


def _with_bytes(taken: PointRounds) -> list[RoundAttempts]:
    """Rounds that have figures: a window so short that no session ended a stretch has none."""
    return [counted for counted in taken.rounds if counted.best.window.tagged_bytes]


def _failed(point: PointRounds) -> str:
    return f"{point.point.implementation}: {point.failure.reason if point.failure else ''}"


def _threads(
    paper: Rashwan2012, journal: Journal, same: dict[str, Any], pool: WorkerPool,
    equipment: CpuEquipment,
    here: dict[str, dict[Build, str]], work: Work, cores: tuple[int, ...], sessions: int,
) -> list[PerThread]:  # fmt: skip
    """Long windows of one function on one core and on all, session by session."""
    function = paper.experiment.per_thread_function
    if function not in here:
        function = STAND_IN
    if function not in here:
        return []
    name = here[function]["hardware-assisted"]

    def taken() -> dict[str, Any]:
        kept = []
        for scope, within in _scopes(cores).items():
            scenario = _scenario(within, sessions, work.long_window_s)
            point = Point(name, Lengths(_PER_THREAD_BYTES), scenario)
            (found,) = run_points(pool, equipment.inventory, [point], 1, Limits())
            kept += [
                asdict(per_thread_of(point, scope, function, attempt)) for attempt in found.best
            ]
        return {"threads": kept}

    part = journal.part(_part_name("threads", work), {**same, "implementation": name}, taken)
    return [
        PerThread(**{**thread, "sessions": [SessionRow(**row) for row in thread["sessions"]]})
        for thread in part["threads"]
    ]
