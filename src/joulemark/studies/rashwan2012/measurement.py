# SPDX-License-Identifier: Apache-2.0
"""The measurement: every function, size, build and set of cores in turn; then the long windows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from joulemark import __version__
from joulemark.analyse.sessions.divide import (
    absolute_ticks_per_byte,
    apparent_ticks_per_byte,
    core_cycles_per_tick,
    jain,
    session_absolute_ticks_per_byte,
    session_apparent_ticks_per_byte,
    session_wall_ticks_per_byte,
)
from joulemark.catalogue.algorithms import algorithms
from joulemark.errors import UnavailableError
from joulemark.judging.sessions import Limits, own_share
from joulemark.measure.sessions.attempts import Taken
from joulemark.measure.sessions.run import Point, PointRounds, cores_held, run_points
from joulemark.measure.sessions.work import Lengths, Scenario
from joulemark.measure.workers.inventory import Inventory
from joulemark.measure.workers.pool import WorkerPool
from joulemark.records.sessions import SessionsWindow
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.journal import Journal
from joulemark.studies.rashwan2012.findings import (
    BUILDS,
    Build,
    Cell,
    Found,
    PerThread,
    Scope,
    SessionRow,
    WindowRow,
)
from joulemark.studies.rashwan2012.paper import Rashwan2012

__all__ = ["STAND_IN", "Work", "measure"]

STUDY: Final = "rashwan2012"
STAND_IN: Final = "OMAC1-Rijndael"
"""Drawn per thread in place of VMAC-AES128, which is said wherever it is drawn."""
_STAND_IN_BYTES: Final = 1024
_WINDOW_S: Final = 0.12
"""With three rounds eleven functions then take less than ten minutes."""
_WARM_UP_S: Final = 0.06
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
    fresh: bool = False

    @property
    def window_s(self) -> float:
        """Of a point of the sweep."""
        return max(_SHORTEST_S, self.scale * _WINDOW_S)

    @property
    def long_window_s(self) -> float:
        """Of the sessions that are drawn one by one."""
        return max(_SHORTEST_S, self.scale * _LONG_WINDOW_S)


def measure(paper: Rashwan2012, work: Work, equipment: CpuEquipment) -> Found:
    """Measures what is missing; what is finished is kept, a function at a time.

    Raises:
        UnavailableError: none of the functions is here.
        ReportError: the folder cannot be written.
    """
    cores = tuple(sorted(os.sched_getaffinity(0)))
    sessions = work.sessions or paper.experiment.sessions
    sizes = work.sizes_bytes or tuple(paper.experiment.sizes_bytes)
    here, absent = _functions(paper, equipment.inventory)
    if not here:
        raise UnavailableError("none of the paper's functions is in this build; run make setup")
    journal = Journal(equipment.folder, STUDY, fresh=work.fresh)
    same = {
        "machine": equipment.environment.identity(), "version": __version__, "cores": cores,
        "sessions": sessions, "scale": work.scale, "rounds": work.rounds,
    }  # fmt: skip
    missing: list[str] = []
    parts: list[dict[str, Any]] = []
    if equipment.energy is not None and equipment.energy.meter is not None:
        missing.append("this study meters no energy: leave --meter out")
    pool = WorkerPool(equipment.inventory, None)
    try:
        with cores_held(cores):
            for name, builds in here.items():
                equipment.say(f"{name}, {len(sizes)} sizes")
                question = {**same, "builds": builds, "sizes_bytes": sizes}
                points = _points(builds, sizes, cores, sessions, work)
                part = journal.part(
                    name.lower(), question,
                    lambda points=points: _swept(pool, equipment, points, work.rounds),  # type: ignore[misc]
                )  # fmt: skip
                parts.append({"function": name, **part})
            equipment.say("each session by itself")
            threads = _threads(journal, same, pool, equipment, here, work, cores, sessions)
    finally:
        pool.close()
    for part in parts:
        missing += part["failed"]
    cells = [_cell(part["function"], one) for part in parts for one in part["cells"]]
    return Found(
        cells=cells,
        per_thread=threads,
        absent=absent,
        missing=missing,
        sessions=sessions,
        cores=cores,
        rounds=work.rounds,
        window_s=work.window_s,
        ticks_are_tsc=all(part["ticks_are_tsc"] for part in parts),
    )


def _cell(function: str, kept: dict[str, Any]) -> Cell:
    windows = [WindowRow(**one) for one in kept["windows"]]
    return Cell(function=function, **{**kept, "windows": windows})


def _functions(
    paper: Rashwan2012, inventory: Inventory
) -> tuple[dict[str, dict[Build, str]], dict[str, str]]:
    """Implementations of each function by build; why the others are not here."""
    here: dict[str, dict[Build, str]] = {}
    absent: dict[str, str] = {}
    for one in paper.functions:
        auto = inventory.facts.get(f"{one.algorithm}/auto")
        if one.algorithm not in algorithms() or auto is None:
            absent[one.name] = "not in the catalogue yet"
            continue
        portable = f"{one.algorithm}/portable"
        names = (portable, f"{one.algorithm}/{auto.chosen}")
        here[one.name] = dict(zip(BUILDS, names, strict=True))
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
    work: Work,
) -> list[_Labelled]:  # fmt: skip
    return [
        (build, scope, Point(name, Lengths(size), _scenario(within, sessions, work.window_s)))
        for build, name in builds.items()
        for scope, within in _scopes(cores).items()
        for size in sizes
    ]


def _swept(
    pool: WorkerPool, equipment: CpuEquipment, points: list[_Labelled], rounds: int
) -> dict[str, Any]:
    """All points of one function, as JSON values."""
    found = run_points(pool, equipment.inventory, [one for _, _, one in points], rounds, _SWEEP)
    return {
        "cells": [
            {
                "build": build, "scope": scope, "size_bytes": taken.point.lengths.size_bytes,
                "implementation": taken.point.implementation,
                "windows": [asdict(_row(one)) for one in _with_bytes(taken)],
            }
            for (build, scope, _), taken in zip(points, found, strict=True)
            if _with_bytes(taken)
        ],
        "failed": sorted({_failed(one) for one in found if one.failure is not None}),
        "ticks_are_tsc": all(w.ticks_are_tsc for one in found for w in one.windows),
    }  # fmt: skip


def _with_bytes(taken: PointRounds) -> list[Taken]:
    """Rounds that have figures: a window so short that no session ended a stretch has none."""
    return [one for one in taken.rounds if one.best.window.tagged_bytes]


def _failed(one: PointRounds) -> str:
    return f"{one.point.implementation}: {one.failure.reason if one.failure else ''}"


def _row(taken: Taken) -> WindowRow:
    """Figures of the window that stands for a round."""
    best = taken.best
    window = best.window
    return WindowRow(
        absolute_ticks=absolute_ticks_per_byte(window) or 0.0,
        apparent_ticks=apparent_ticks_per_byte(window) or 0.0,
        core_cycles_per_tick=core_cycles_per_tick(window),
        fairness=jain([one.tagged_bytes for one in window.sessions]) or 0.0,
        migrations_per_s=_per_second(window, sum(one.migrations for one in window.sessions)),
        preemptions_per_s=_per_second(
            window, sum(one.involuntary_switches for one in window.sessions)
        ),
        own_share=own_share(window),
        window_s=window.window_ns / 1e9,
        attempts=len(taken.attempts),
        troubles=[str(one.kind) for one in best.troubles],
    )


def _per_second(window: SessionsWindow, count: int) -> float:
    return count * 1e9 / window.wall_ns


def _threads(
    journal: Journal, same: dict[str, Any], pool: WorkerPool, equipment: CpuEquipment,
    here: dict[str, dict[Build, str]], work: Work, cores: tuple[int, ...], sessions: int,
) -> list[PerThread]:  # fmt: skip
    """Long windows of one function on one core and on all, session by session."""
    if STAND_IN not in here:
        return []
    name = here[STAND_IN]["hardware-assisted"]

    def taken() -> dict[str, Any]:
        kept = []
        for scope, within in _scopes(cores).items():
            scenario = _scenario(within, sessions, work.long_window_s)
            point = Point(name, Lengths(_STAND_IN_BYTES), scenario)
            (found,) = run_points(pool, equipment.inventory, [point], 1, Limits())
            for one in found.best:
                troubles = [str(trouble.kind) for trouble in one.troubles]
                kept.append(asdict(_per_thread(scope, name, one.window, troubles)))
        return {"threads": kept}

    part = journal.part("threads", {**same, "implementation": name}, taken)
    return [
        PerThread(**{**one, "sessions": [SessionRow(**row) for row in one["sessions"]]})
        for one in part["threads"]
    ]


def _per_thread(scope: Scope, name: str, window: SessionsWindow, troubles: list[str]) -> PerThread:
    return PerThread(
        scope=scope,
        implementation=name,
        size_bytes=_STAND_IN_BYTES,
        core_cycles_per_tick=core_cycles_per_tick(window),
        troubles=troubles,
        window_s=window.window_ns / 1e9,
        sessions=[
            SessionRow(
                wall_ticks=session_wall_ticks_per_byte(one),
                absolute_ticks=session_absolute_ticks_per_byte(window, one),
                apparent_ticks=session_apparent_ticks_per_byte(window, one),
                migrations=one.migrations,
                preemptions=one.involuntary_switches,
            )
            for one in window.sessions
        ],
    )
