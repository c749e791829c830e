# SPDX-License-Identifier: Apache-2.0
"""Has the workers of a cluster make reports of cores, as many at a time as they have threads.

A report depends on files, tools and our own code. The key of the report cache is a digest of them
all. A worker makes a report only if it computes the same key as the command that asks: else its
figures would belong to another core, library or tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from distributed import Client

import joulemark
from joulemark.errors import JoulemarkError
from joulemark.fleet.dispatch import Dispatch, WorkerJob
from joulemark.fleet.watching import beside_measuring
from joulemark.hardware.flow.cache import ReportCache, default_folder, report_key
from joulemark.hardware.flow.points import (
    PointOutcome,
    ReportPoint,
    Spread,
    Task,
    make_point,
    task_of,
)
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.manifest import read_core
from joulemark.records.core_report import CoreReport

_PACKAGE: Final = Path(joulemark.__file__).parent


@dataclass(frozen=True, slots=True)
class _Order:
    """A point as it is sent."""

    task: Task
    """Its manifest is relative to the package if the core is part of the package."""
    key: str
    """The `report_key` of the command that asks."""
    keeps: bool
    """Whether the worker may use its own cache."""


@dataclass(frozen=True, slots=True)
class _PointAnswer:
    report: str | None
    """JSON of a `CoreReport`; None if there is no report."""
    reason: str | None


def spread_over(client: Client, cache: Path | None, say: Callable[[str], None]) -> Spread:
    """The function by which `run_points` has the workers of a scheduler make its points.

    Args:
        client: of the scheduler.
        cache: gets the reports; with None neither this machine nor a worker keeps reports.
        say: takes a sentence about each worker that is refused, lost or back.
    """

    def spread(
        points: Mapping[int, ReportPoint], deliver: Callable[[int, PointOutcome], None]
    ) -> None:
        numbers = list(points)
        orders = [_order(point, cache) for point in points.values()]
        jobs = [
            WorkerJob(points[number].text, _make_here, order)
            for number, order in zip(numbers, orders, strict=True)
        ]

        def receive(job: int, answer: Any) -> None:
            point = points[numbers[job]]
            if isinstance(answer, JoulemarkError):
                answer = _PointAnswer(None, str(answer))
            report = CoreReport.model_validate_json(answer.report) if answer.report else None
            if report is not None:
                ReportCache(cache).put(orders[job].key, report)
            deliver(numbers[job], PointOutcome(point, report, answer.reason, kept=False))

        Dispatch(client, say).run(jobs, receive)

    return spread


def _order(point: ReportPoint, cache: Path | None) -> _Order:
    task = task_of(point, None)
    manifest = point.manifest.resolve()
    if manifest.is_relative_to(_PACKAGE):
        manifest = manifest.relative_to(_PACKAGE)
    key = report_key(point.core, point.variant[1], point.asked)
    return _Order(replace(task, manifest=str(manifest)), key, keeps=cache is not None)


def _make_here(order: _Order) -> _PointAnswer:
    """Makes a report in the worker, or takes it from the worker's cache."""
    manifest = _PACKAGE / order.task.manifest
    try:
        flow = Flow.model_validate(order.task.asked)
        key = report_key(read_core(manifest), order.task.parameters, flow)
        if key != order.key:
            return _PointAnswer(
                None,
                "the worker's files or tools are not those of whoever asks; "
                "'joulemark doctor' says which tools are there",
            )
        folder = default_folder() if order.keeps else None
        cached = ReportCache(folder).get(key)
        if cached is not None:
            return _PointAnswer(cached.model_dump_json(), None)
        task = replace(order.task, manifest=str(manifest), cache=str(folder) if folder else None)
        with beside_measuring() as runs:
            report, reason = make_point(runs, task)
    except JoulemarkError as error:
        return _PointAnswer(None, str(error))
    return _PointAnswer(report.model_dump_json() if report else None, reason)
