# SPDX-License-Identifier: Apache-2.0
"""The measurement: the sessions that fit, every function in turn, and what lies beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from joulemark import __version__
from joulemark.analyse.assemble import result_set
from joulemark.catalogue import algorithms
from joulemark.environment.cpu import SystemFiles, hardware_threads
from joulemark.errors import UnavailableError
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import Effort, Plan, trials_for
from joulemark.measure.pool import WorkerPool
from joulemark.measure.quiet import cpus_of_one_kind
from joulemark.measure.session_rounds import MessageLengths, ThreadsPoint, cores_held
from joulemark.measure.study import code_digest
from joulemark.records.trial import KeySetup, Workload
from joulemark.studies.equipment import (
    MOST_ATTEMPTS,
    CpuEquipment,
    Journal,
    PartFields,
    StudyPace,
    study_facts,
)
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    STAND_IN,
    Build,
    CoresCell,
    FunctionCell,
    KeySetupRow,
    OtherLibrary,
    PerThread,
    Rashwan2012,
    RashwanFindings,
    SessionsStep,
)
from joulemark.studies.rashwan2012.windows import (
    LabelledPoint,
    numbers_of_cores,
    per_thread_of,
    points_of,
    scenario_of,
    scopes_of,
    sweep,
    take_points,
    window_rows,
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

# Beside the sweep: numbers of cores, OMAC1-Rijndael elsewhere, the set-up of keys.

_KEY_BYTES: Final = 16
"""Length of the messages by which the set-up of keys is told: the shortest of the paper."""
_KEY_EFFORT: Final = Effort(rounds=20, window_ns=100_000, generations=10)


def by_cores(
    course: RashwanCourse, function: str, here: dict[str, dict[Build, str]], pool: WorkerPool
) -> list[CoresCell]:
    """Measures the function of single sessions on one core, on two, and so on to all."""
    name = shown_alone(function, here)
    if name is None:
        return []
    implementation = here[name]["hardware-assisted"]
    counts = numbers_of_cores(len(course.cores))
    course.equipment.say(f"{name} on {', '.join(map(str, counts))} cores")
    points = [
        ThreadsPoint(
            implementation,
            MessageLengths(PER_THREAD_BYTES),
            scenario_of(course.cores[:count], course.sessions, course.work.cores_window_s),
        )
        for count in counts
    ]

    def measured() -> PartFields:
        inventory, rounds = course.equipment.inventory, course.work.rounds
        announce = course.announced("cores")
        rows = take_points(pool, None, inventory, points, rounds, announce)
        return {"windows": [window_rows(each) for each in rows]}

    question = {**course.same, "implementation": implementation, "counts": counts}
    part = course.journal.part(part_name("cores", course.work), question, measured)
    return TypeAdapter(list[CoresCell]).validate_python(
        [
            {
                "cores": count,
                "cell": {
                    "function": name,
                    "build": "hardware-assisted",
                    "scope": "one core" if count == 1 else "all cores",
                    "size_bytes": PER_THREAD_BYTES,
                    "implementation": implementation,
                    "windows": windows,
                },
            }
            for count, windows in zip(counts, part["windows"], strict=True)
            if windows
        ]
    )


def elsewhere(paper: Rashwan2012, course: RashwanCourse) -> list[OtherLibrary]:
    """Measures OMAC1-Rijndael of the other libraries, whose software reads tables."""
    algorithm = next(each.algorithm for each in paper.functions if each.name == STAND_IN)
    inventory = course.equipment.inventory
    cells: list[OtherLibrary] = []
    for key, library in LIBRARIES.items():
        builds = None if key == course.work.library else library.builds(algorithm, inventory)
        if builds is None:
            continue
        course.equipment.say(f"{STAND_IN} of {library.title}")
        points = points_of(
            builds,
            [max(course.sizes_bytes)],
            course.cores,
            course.sessions,
            course.work.window_s,
            hidden=bool(library.variant),
        )

        def measured(
            points: list[LabelledPoint] = points, variables: Mapping[str, str] = library.variables
        ) -> PartFields:
            pool = WorkerPool(inventory, None)
            plain = WorkerPool(inventory, None, variables=variables or None)
            rounds, announce = course.work.rounds, course.announced(STAND_IN)
            try:
                return sweep(pool, plain, inventory, points, rounds, MOST_ATTEMPTS, announce)
            finally:
                pool.close()
                plain.close()

        question = {**course.same, "builds": builds, "sizes_bytes": course.sizes_bytes}
        part = course.journal.part(f"{key}-beside", question, measured)
        cells += [
            OtherLibrary(
                library=key,
                cell=TypeAdapter(FunctionCell).validate_python({"function": STAND_IN, **cell}),
            )
            for cell in part["cells"]
        ]
    return cells


def key_setups(course: RashwanCourse, here: dict[str, dict[Build, str]]) -> list[KeySetupRow]:
    """Measures messages with a fresh and with a kept key in the harness, alone on one core.

    Where both builds are one file, the worker of software alone is not the harness's, and the build
    that is assisted has a figure alone.
    """
    wanted: list[tuple[str, Build, str]] = []
    for function, builds in here.items():
        for build, name in builds.items():
            both = len(set(builds.values())) > 1
            if both or build == "hardware-assisted":
                wanted.append((function, build, name))
    equipment = course.equipment
    names = list(dict.fromkeys(name for _, _, name in wanted))
    workloads = [Workload(_KEY_BYTES, key_setup=kind) for kind in (KeySetup.KEPT, KeySetup.FRESH)]

    def measured() -> PartFields:
        facts = [equipment.inventory.facts_of(name) for name in names]
        plan = Plan(
            tuple(trials_for(facts, workloads)),
            _KEY_EFFORT,
            code_digest(equipment.inventory, names),
        )
        outcome = equipment.run(plan, study_facts(STUDY), fresh=course.work.fresh)
        results = equipment.store.settle(lambda shared: result_set(shared, outcome.run_id)).results
        figures = {
            (result.implementation, result.key_setup): result.seconds_per_message
            for result in results
        }
        rows = {}
        for name in names:
            kept, fresh = (figures.get((name, workload.key_setup)) for workload in workloads)
            if kept is not None and fresh is not None:
                rows[name] = {
                    "seconds": fresh.median - kept.median,
                    "low_s": fresh.low - kept.high,
                    "high_s": fresh.high - kept.low,
                    "message_seconds": kept.median,
                }
        return {"setups": rows}

    equipment.say(f"key set-up of {len(names)} implementations")
    part = course.journal.part(
        part_name("keys", course.work), {**course.same, "names": names}, measured
    )
    return [
        KeySetupRow(
            function=function,
            build=build,
            implementation=name,
            message_bytes=_KEY_BYTES,
            **part["setups"][name],
        )
        for function, build, name in wanted
        if name in part["setups"]
    ]


# The sweep: the sessions that fit, and every function in turn.

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
