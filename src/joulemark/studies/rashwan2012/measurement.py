# SPDX-License-Identifier: Apache-2.0
"""The measurement: every function, size, build and set of cores in turn; then the long windows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from pydantic import TypeAdapter

from joulemark import __version__
from joulemark.analyse.derive import (
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    jain,
    session_absolute_ticks_per_byte,
    session_apparent_ticks_per_byte,
    session_core_cycles_per_tick,
    session_wall_ticks_per_byte,
)
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import UnavailableError
from joulemark.judging.standing import TroubleKind, WindowLimits, own_share
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import cpus_of_one_kind
from joulemark.measure.session_rounds import (
    Attempt,
    MessageLengths,
    Patience,
    RoundAttempts,
    Scenario,
    ThreadsPoint,
    cores_held,
)
from joulemark.measure.session_windows import SessionRounds, run_points
from joulemark.records.sample import SessionsWindow
from joulemark.studies.cpu_equipment import (
    MOST_ATTEMPTS,
    CpuEquipment,
    Journal,
    PartFields,
    StudyPace,
)
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    OWN,
    STAND_IN,
    Build,
    FunctionCell,
    PerThread,
    Rashwan2012,
    RashwanFindings,
    Scope,
    SessionRow,
    WindowRow,
)

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
    point: ThreadsPoint, scope: Scope, function: str, attempt: Attempt[SessionsWindow]
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


def sweep(
    pool: WorkerPool,
    plain: WorkerPool,
    equipment: CpuEquipment,
    points: list[LabelledPoint],
    rounds: int,
    attempts: int,
) -> PartFields:
    """Measures all points of one function, and returns their figures as JSON values."""
    wanted = [
        replace(point, scenario=replace(point.scenario, attempts=attempts))
        for _, _, point in points
    ]
    patience = Patience()
    measured = run_points(
        pool, equipment.inventory, wanted, rounds, _SWEEP, software_only=plain, patience=patience
    )
    _require_quiet(patience, measured)
    return {
        "cells": [
            {
                "build": build,
                "scope": scope,
                "size_bytes": point.lengths.size_bytes,
                "implementation": point.implementation,
                "windows": [asdict(window_row(taken)) for taken in _with_bytes(rows)],
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
        f"others use the cores too ({why}), so windows do not count; wait for a quiet moment: "
        "functions that were finished are kept, and the same command goes on"
    )


def _with_bytes(rows: SessionRounds) -> list[RoundAttempts[SessionsWindow]]:
    """Returns the rounds with figures: a window in which no session ended a stretch has none."""
    return [taken for taken in rows.rounds if taken.best.window.tagged_bytes]


STUDY: Final = "rashwan2012"
_PER_THREAD_BYTES: Final = 1024
_WINDOW_S: Final = 0.1
"""With three rounds twelve functions then take less than ten minutes."""
_FUNCTION_S: Final = 40.0
"""Time that the windows of a function may take, with 13 sizes, two builds and two sets of cores."""
_USUAL_WINDOWS: Final = 156
"""Windows of a function in three rounds of those."""
_LONG_WINDOW_S: Final = 8.0
_SHORTEST_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class RashwanWork:
    """How much is measured."""

    scale: float = 1.0
    """Share of the usual length of windows; above 0 and at most 10."""
    rounds: int = 3
    sessions: int | None = None
    """Sessions at once; None for the paper's number."""
    sizes_bytes: tuple[int, ...] | None = None
    """Sizes of messages; None for the paper's sizes."""
    library: str = OWN
    """A key of `LIBRARIES`."""
    also: tuple[str, ...] = ()
    """Algorithms beyond those of the paper's file."""
    fresh: bool = False

    @property
    def window_s(self) -> float:
        """Length of a window of the sweep."""
        return max(_SHORTEST_S, self.scale * _WINDOW_S)

    @property
    def long_window_s(self) -> float:
        """Length of the window whose sessions are drawn one by one."""
        return max(_SHORTEST_S, self.scale * _LONG_WINDOW_S)


@dataclass(frozen=True, slots=True)
class _Course:
    """The facts that all parts of a measurement share."""

    work: RashwanWork
    equipment: CpuEquipment
    journal: Journal
    same: PartFields
    """Common part of the questions of all parts; a part with another question is measured again."""
    cores: tuple[int, ...]
    sessions: int
    sizes_bytes: tuple[int, ...]


def measure(paper: Rashwan2012, work: RashwanWork, equipment: CpuEquipment) -> RashwanFindings:
    """Measures the functions that were not measured before, and keeps each finished function."""
    cores = tuple(cpus_of_one_kind(os.sched_getaffinity(0))[0])
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
        "machine": equipment.environment.identity(),
        "version": __version__,
        "cores": cores,
        "sessions": sessions,
        "scale": work.scale,
        "rounds": work.rounds,
        "library": work.library,
    }
    course = _Course(work, equipment, journal, same, cores, sessions, sizes)
    missing: list[str] = []
    if equipment.energy is not None and equipment.energy.meter is not None:
        missing.append("this study meters no energy: leave --meter out")
    pool = WorkerPool(equipment.inventory, None)
    plain = WorkerPool(equipment.inventory, None, variables=library.variables or None)
    try:
        with cores_held(cores):
            parts = _sweep(course, here, pool, plain)
            equipment.say("each session by itself")
            threads = _threads(course, paper.experiment.per_thread_function, here, pool)
    finally:
        pool.close()
        plain.close()
    for part in parts:
        missing += part["failed"]
    cells = [{"function": part["function"], **cell} for part in parts for cell in part["cells"]]
    return RashwanFindings(
        cells=TypeAdapter(list[FunctionCell]).validate_python(cells),
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


def _sweep(
    course: _Course, here: dict[str, dict[Build, str]], pool: WorkerPool, plain: WorkerPool
) -> list[PartFields]:
    """Measures every function that the journal lacks, and returns all as JSON values."""
    work, sizes = course.work, course.sizes_bytes
    hidden = bool(LIBRARIES[work.library].variant)
    windows = len(BUILDS) * len(scopes_of(course.cores)) * len(sizes) * work.rounds
    pace = StudyPace(_FUNCTION_S * work.scale * windows / _USUAL_WINDOWS)
    parts = []
    for name, builds in here.items():
        course.equipment.say(f"{name}, {len(sizes)} sizes")
        question = {**course.same, "builds": builds, "sizes_bytes": sizes}
        points = points_of(
            builds, sizes, course.cores, course.sessions, work.window_s, hidden=hidden
        )
        part = course.journal.part(
            _part_name(name, work),
            question,
            lambda points=points: sweep(  # type: ignore[misc]
                pool, plain, course.equipment, points, work.rounds, pace.attempts()
            ),
        )
        parts.append({"function": name, **part})
    return parts


def _part_name(function: str, work: RashwanWork) -> str:
    """Names the file of a part so that our kernels and libraries lie beside each other."""
    return function.lower() if work.library == OWN else f"{work.library}-{function.lower()}"


def _functions(
    paper: Rashwan2012, work: RashwanWork, inventory: Inventory
) -> tuple[dict[str, dict[Build, str]], dict[str, str]]:
    """Returns the implementations of each function by build, and why wanted functions are absent.

    Functions beyond the paper are those that its file names, and those of `--also`.
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


def _threads(
    course: _Course, function: str, here: dict[str, dict[Build, str]], pool: WorkerPool
) -> list[PerThread]:
    """Measures long windows of one function on one core and on all cores, session by session."""
    if function not in here:
        function = STAND_IN
    if function not in here:
        return []
    name = here[function]["hardware-assisted"]

    def threads() -> PartFields:
        rows = []
        for scope, within in scopes_of(course.cores).items():
            scenario = scenario_of(within, course.sessions, course.work.long_window_s)
            point = ThreadsPoint(name, MessageLengths(_PER_THREAD_BYTES), scenario)
            patience = Patience()
            (taken,) = run_points(
                pool, course.equipment.inventory, [point], 1, WindowLimits(), patience=patience
            )
            _require_quiet(patience, [taken])
            rows += [per_thread_of(point, scope, function, attempt) for attempt in taken.best]
        return {"threads": [asdict(row) for row in rows]}

    question = {**course.same, "implementation": name}
    part = course.journal.part(_part_name("threads", course.work), question, threads)
    return TypeAdapter(list[PerThread]).validate_python(part["threads"])
