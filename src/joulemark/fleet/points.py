# SPDX-License-Identifier: Apache-2.0
"""Reports of cores by the workers of a cluster, as many at a time as they have threads.

A report depends on files, tools and our own code. The key of the report cache is a digest of them
all, and a worker makes a report only if it comes to the same key as whoever asks: else its figures
would be of another core, library or tool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from distributed import Client

import joulemark
from joulemark.errors import JoulemarkError
from joulemark.fleet.dispatch import Dispatch, Job, Limits
from joulemark.fleet.watching import beside_measuring
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.flow.cache import ReportCache, default_folder, report_key
from joulemark.hardware.flow.point import Task
from joulemark.hardware.flow.points import Outcome, Point, Spread, make_point, task_of
from joulemark.hardware.flow.request import Flow

__all__ = ["spread_over"]

_PACKAGE: Final = Path(joulemark.__file__).parent


@dataclass(frozen=True, slots=True)
class _Order:
    """A point as it is sent."""

    task: Task
    """Its manifest is relative to the package where the core came with it."""
    key: str
    """As `report_key` has it for whoever asks."""
    keeps: bool
    """Whether the worker may use its own cache."""


@dataclass(frozen=True, slots=True)
class _PointAnswer:
    report: str | None
    """JSON of a `CoreReport`."""
    reason: str | None


def spread_over(
    client: Client, cache: Path | None, say: Callable[[str], None], limits: Limits | None = None
) -> Spread:
    """How `run_points` has its points made by the workers of a scheduler.

    Args:
        client: of the scheduler.
        cache: gets the reports; None keeps none, here and at the workers.
        say: told in a sentence of workers that are refused, lost or back.
        limits: of patience with workers.
    """

    def spread(points: Mapping[int, Point], told: Callable[[int, Outcome], None]) -> None:
        numbers = list(points)
        orders = [_order(points[number], cache) for number in numbers]
        jobs = [
            Job(points[number].text, _make_here, order)
            for number, order in zip(numbers, orders, strict=True)
        ]

        def done(place: int, found: Any) -> None:
            point = points[numbers[place]]
            if isinstance(found, JoulemarkError):
                told(numbers[place], Outcome(point, None, str(found), kept=False))
                return
            report = CoreReport.model_validate_json(found.report) if found.report else None
            if report is not None:
                ReportCache(cache).put(orders[place].key, report)
            told(numbers[place], Outcome(point, report, found.reason, kept=False))

        Dispatch(client, say, limits).run(jobs, done)

    return spread


def _order(point: Point, cache: Path | None) -> _Order:
    task = task_of(point, None)
    manifest = point.manifest.resolve()
    if manifest.is_relative_to(_PACKAGE):
        task = replace(task, manifest=str(manifest.relative_to(_PACKAGE)))
    else:
        task = replace(task, manifest=str(manifest))
    return _Order(
        task, report_key(point.core, point.variant[1], point.asked), keeps=cache is not None
    )


def _make_here(order: _Order) -> _PointAnswer:
    """In the worker."""
    manifest = _PACKAGE / order.task.manifest
    try:
        asked = Flow.model_validate(order.task.asked)
        key = report_key(read_core(manifest), order.task.parameters, asked)
        if key != order.key:
            return _PointAnswer(None, "the worker's files or tools are not those of whoever asks; "
                         "'joulemark doctor' says which tools are there")  # fmt: skip
        folder = default_folder() if order.keeps else None
        kept = ReportCache(folder).get(key)
        if kept is not None:
            return _PointAnswer(kept.model_dump_json(), None)
        task = replace(order.task, manifest=str(manifest), cache=str(folder) if folder else None)
        with beside_measuring() as runs:
            report, reason = make_point(runs, task)
    except JoulemarkError as error:
        return _PointAnswer(None, str(error))
    return _PointAnswer(report.model_dump_json() if report else None, reason)
