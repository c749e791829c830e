# SPDX-License-Identifier: Apache-2.0
"""The measurement: every function, size, build and set of cores in turn; then the long windows."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from joulemark import __version__
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import UnavailableError
from joulemark.judging.sessions import Limits
from joulemark.measure.sessions.run import Point, cores_held, run_points
from joulemark.measure.sessions.work import Lengths
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.journal import Journal
from joulemark.studies.rashwan2012.findings import (
    BUILDS,
    STAND_IN,
    Build,
    Cell,
    Findings,
    PerThread,
)
from joulemark.studies.rashwan2012.libraries import LIBRARIES, OWN
from joulemark.studies.rashwan2012.pace import Pace
from joulemark.studies.rashwan2012.paper import Rashwan2012
from joulemark.studies.rashwan2012.points import points_of, scenario_of, scopes_of, sweep
from joulemark.studies.rashwan2012.rows import per_thread_of

__all__ = ["Work", "measure"]

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
class Work:
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

    work: Work
    equipment: CpuEquipment
    journal: Journal
    same: dict[str, Any]
    """Common part of the questions of all parts; a part with another question is measured again."""
    cores: tuple[int, ...]
    sessions: int
    sizes_bytes: tuple[int, ...]


def measure(paper: Rashwan2012, work: Work, equipment: CpuEquipment) -> Findings:
    """Measures the functions that were not measured before, and keeps each finished function.

    Raises:
        UnavailableError: the library has none of the functions.
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
    return Findings(
        cells=TypeAdapter(list[Cell]).validate_python(cells),
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
) -> list[dict[str, Any]]:
    """Measures every function that the journal lacks, and returns all as JSON values."""
    work, sizes = course.work, course.sizes_bytes
    hidden = bool(LIBRARIES[work.library].variant)
    windows = len(BUILDS) * len(scopes_of(course.cores)) * len(sizes) * work.rounds
    pace = Pace(_FUNCTION_S * work.scale * windows / _USUAL_WINDOWS)
    parts = []
    for name, builds in here.items():
        course.equipment.say(f"{name}, {len(sizes)} sizes")
        question = {**course.same, "builds": builds, "sizes_bytes": sizes}
        points = points_of(
            builds, sizes, course.cores, course.sessions, work.window_s, hidden=hidden
        )
        part = course.journal.part(
            _part_name(name, work), question,
            lambda points=points: sweep(  # type: ignore[misc]
                pool, plain, course.equipment, points, work.rounds, pace.attempts()
            ),
        )  # fmt: skip
        parts.append({"function": name, **part})
    return parts


def _part_name(function: str, work: Work) -> str:
    """Names the file of a part so that our kernels and libraries lie beside each other."""
    return function.lower() if work.library == OWN else f"{work.library}-{function.lower()}"


def _functions(
    paper: Rashwan2012, work: Work, inventory: Inventory
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

    def threads() -> dict[str, Any]:
        rows = []
        for scope, within in scopes_of(course.cores).items():
            scenario = scenario_of(within, course.sessions, course.work.long_window_s)
            point = Point(name, Lengths(_PER_THREAD_BYTES), scenario)
            (taken,) = run_points(pool, course.equipment.inventory, [point], 1, Limits())
            rows += [per_thread_of(point, scope, function, attempt) for attempt in taken.best]
        return {"threads": [asdict(row) for row in rows]}

    question = {**course.same, "implementation": name}
    part = course.journal.part(_part_name("threads", course.work), question, threads)
    return TypeAdapter(list[PerThread]).validate_python(part["threads"])
