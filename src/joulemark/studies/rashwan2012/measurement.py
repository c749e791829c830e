# SPDX-License-Identifier: Apache-2.0
"""The measurement: the sessions that fit, every function in turn, and what lies beside them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from joulemark import __version__
from joulemark.catalogue import algorithms
from joulemark.environment.cpu import SystemFiles, hardware_threads
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import cpus_of_one_kind
from joulemark.measure.session_rounds import cores_held
from joulemark.studies.equipment import CpuEquipment, Journal, PartFields, StudyPace
from joulemark.studies.rashwan2012.beside import by_cores, elsewhere, key_setups
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    Build,
    FunctionCell,
    PerThread,
    Rashwan2012,
    RashwanFindings,
    SessionsStep,
)
from joulemark.studies.rashwan2012.windows import (
    per_thread_of,
    points_of,
    scenario_of,
    scopes_of,
    sweep,
)
from joulemark.studies.rashwan2012.workflow import (
    PER_THREAD_BYTES,
    STUDY,
    RashwanCourse,
    RashwanWork,
    fit_sessions,
    most_sessions,
    part_name,
    per_thread_windows,
    shown_alone,
)

_FUNCTION_S: Final = 40.0
"""Time that the windows of a function may take, with 13 sizes, two builds and two sets of cores."""
_USUAL_WINDOWS: Final = 156
"""Windows of a function in three rounds of those."""


def measure(paper: Rashwan2012, work: RashwanWork, equipment: CpuEquipment) -> RashwanFindings:
    """Measures the parts that were not measured before, and keeps each finished part."""
    allowed = cpus_of_one_kind(os.sched_getaffinity(0))[0]
    groups = sorted(hardware_threads(SystemFiles(Path("/"))))
    cores = tuple(one_thread_first(allowed, groups))
    sizes = work.sizes_bytes or tuple(paper.experiment.sizes_bytes)
    library = LIBRARIES[work.library]
    here, absent = _functions(paper, work, equipment.inventory)
    if not here:
        raise UnavailableError(
            f"none of the paper's functions is here from {library.title}; 'joulemark list' says "
            "which package brings it"
        )
    asked = work.sessions or paper.experiment.sessions
    same = {
        "machine": equipment.environment.identity(),
        "version": __version__,
        "cores": cores,
        "sessions": asked,
        "scale": work.scale,
        "rounds": work.rounds,
        "library": work.library,
    }
    journal = Journal(equipment.folder, STUDY, fresh=work.fresh)
    course = RashwanCourse(work, equipment, journal, same, cores, sizes, asked)
    alone = paper.experiment.per_thread_function
    pool = WorkerPool(equipment.inventory, None)
    plain = WorkerPool(equipment.inventory, None, variables=library.variables or None)
    try:
        with cores_held(cores):
            steps, threads = _threads(course, alone, here, pool)
            if steps:
                fitted = steps[-1].sessions
                course = replace(course, sessions=fitted, same={**same, "fitted": fitted})
            parts = _sweep(course, here, pool, plain)
            on_cores = by_cores(course, alone, here, pool)
            others = elsewhere(paper, course)
            setups = key_setups(course, here)
    finally:
        pool.close()
        plain.close()
    cells = [{"function": part["function"], **cell} for part in parts for cell in part["cells"]]
    return RashwanFindings(
        cells=TypeAdapter(list[FunctionCell]).validate_python(cells),
        per_thread=threads,
        absent=absent,
        missing=[reason for part in parts for reason in part["failed"]],
        sessions=course.sessions,
        cores=cores,
        rounds=work.rounds,
        window_s=work.window_s,
        ticks_are_tsc=all(part["ticks_are_tsc"] for part in parts),
        library=work.library,
        beyond=[
            name for name in here if name not in {function.name for function in paper.functions}
        ],
        asked_sessions=asked,
        steps=steps,
        by_cores=on_cores,
        key_setups=setups,
        elsewhere=others,
        hardware_threads=[
            [cpu for cpu in group if cpu in cores]
            for group in groups
            if len(set(group) & set(cores)) > 1
        ]
        if groups
        else None,
    )


def one_thread_first(cpus: Sequence[int], groups: Sequence[Sequence[int]]) -> list[int]:
    """Orders CPUs so that one hardware thread of each core comes before the second of any core."""
    rank = {cpu: place for group in groups for place, cpu in enumerate(group)}
    return sorted(cpus, key=lambda cpu: (rank.get(cpu, 0), cpu))


def _sweep(
    course: RashwanCourse, here: dict[str, dict[Build, str]], pool: WorkerPool, plain: WorkerPool
) -> list[PartFields]:
    """Measures every function that the journal lacks, and returns all as JSON values."""
    work, sizes = course.work, course.sizes_bytes
    hidden = bool(LIBRARIES[work.library].variant)
    windows = len(BUILDS) * len(scopes_of(course.cores)) * len(sizes) * work.rounds
    pace = StudyPace(_FUNCTION_S * work.scale * windows / _USUAL_WINDOWS)
    parts = []
    for place, (name, builds) in enumerate(here.items()):
        course.equipment.say(f"{name}, {len(sizes)} sizes")
        question = {**course.same, "builds": builds, "sizes_bytes": sizes}
        points = points_of(
            builds, sizes, course.cores, course.sessions, work.window_s, hidden=hidden
        )
        announce = course.announced(name, place, len(here))
        part = course.journal.part(
            part_name(name, work),
            question,
            lambda points=points, announce=announce: sweep(  # type: ignore[misc]
                pool,
                plain,
                course.equipment.inventory,
                points,
                work.rounds,
                pace.attempts(),
                announce,
            ),
        )
        parts.append({"function": name, **part})
    return parts


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
    course: RashwanCourse, function: str, here: dict[str, dict[Build, str]], pool: WorkerPool
) -> tuple[list[SessionsStep], list[PerThread]]:
    """Finds the sessions that fit, in long windows whose sessions are shown one by one."""
    name = shown_alone(function, here)
    if name is None:
        return [], []
    implementation = here[name]["hardware-assisted"]
    scopes = scopes_of(course.cores)
    course.equipment.say(f"each session by itself, {name}")

    def threads() -> PartFields:
        take = per_thread_windows(
            pool,
            course.equipment.inventory,
            implementation,
            PER_THREAD_BYTES,
            lambda scope, sessions: scenario_of(scopes[scope], sessions, course.work.long_window_s),
        )
        most = most_sessions(max(*course.sizes_bytes, PER_THREAD_BYTES))
        steps, taken = fit_sessions(take, list(scopes), course.sessions, most)
        rows = [
            per_thread_of(implementation, PER_THREAD_BYTES, scope, name, attempt)
            for scope, attempt in taken.items()
        ]
        return {"steps": [asdict(step) for step in steps], "threads": [asdict(row) for row in rows]}

    question = {**course.same, "implementation": implementation, "sizes_bytes": course.sizes_bytes}
    part = course.journal.part(part_name("threads", course.work), question, threads)
    return (
        TypeAdapter(list[SessionsStep]).validate_python(part["steps"]),
        TypeAdapter(list[PerThread]).validate_python(part["threads"]),
    )
