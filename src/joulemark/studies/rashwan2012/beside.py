# SPDX-License-Identifier: Apache-2.0
"""Measurements beside the sweep: numbers of cores, OMAC1-Rijndael elsewhere, the set-up of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import TypeAdapter

from joulemark.analyse.assemble import result_set
from joulemark.measure.plan import Effort, Plan, trials_for
from joulemark.measure.pool import WorkerPool
from joulemark.measure.run_plan import run_plan
from joulemark.measure.session_rounds import MessageLengths, ThreadsPoint
from joulemark.measure.study import code_digest
from joulemark.records import KeySetup, Workload
from joulemark.studies.equipment import MOST_ATTEMPTS, PartFields
from joulemark.studies.rashwan2012.paper import (
    LIBRARIES,
    STAND_IN,
    Build,
    CoresCell,
    FunctionCell,
    KeySetupRow,
    OtherLibrary,
    Rashwan2012,
)
from joulemark.studies.rashwan2012.windows import (
    LabelledPoint,
    numbers_of_cores,
    points_of,
    scenario_of,
    sweep,
    take_points,
    window_rows,
)
from joulemark.studies.rashwan2012.workflow import (
    PER_THREAD_BYTES,
    STUDY,
    RashwanCourse,
    part_name,
    shown_alone,
)

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
        outcome = run_plan(
            equipment.store,
            equipment.inventory,
            plan,
            equipment.environment,
            study={"study": STUDY, "command": f"joulemark reproduce {STUDY}"},
            observer=equipment.observer,
            fresh=course.work.fresh,
        )
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
