# SPDX-License-Identifier: Apache-2.0
"""Many reports at once: one process per point, as many as there are CPUs, results into the cache.

A point that is done is in the cache before anybody is told, so that whatever ends a sweep loses
only the points that were running. Each point stands behind a keeper, with the simulators and
placers that it started; all of them go when the sweep is interrupted or killed.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.parameters import Variant, text_of
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.point import Task
from joulemark.hardware.flow.request import Flow
from joulemark.processes.tool import ToolRuns, ToolsStopped

__all__ = ["Outcome", "Point", "run_points"]


@dataclass(frozen=True, slots=True)
class Point:
    """One report to be made."""

    core: Core
    manifest: Path
    variant: Variant
    asked: Flow

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.core.name} {text_of(self.variant[1])} on {self.asked.target}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a point: a report, or the reason why there is none."""

    point: Point
    report: CoreReport | None
    reason: str | None
    kept: bool
    """Whether the cache had it."""


Observer = Callable[[Outcome, int, int], None]
"""Told of each outcome, how many are done, and of how many."""


def run_points(
    points: Sequence[Point],
    cache: Path | None,
    *,
    jobs: int | None = None,
    observe: Observer = lambda _outcome, _done, _total: None,
) -> list[Outcome]:
    """Makes all reports; the order of the results is that of the points.

    Args:
        points: what to make.
        cache: folder of reports; None keeps and uses none.
        jobs: points at a time; None for one per CPU that may be used.
        observe: told of every point when it is done.
    """
    kept = ReportCache(cache)
    outcomes: dict[int, Outcome] = {}
    waiting: list[int] = []
    for number, point in enumerate(points):
        found = kept.get(report_key(point.core, point.variant[1], point.asked)) if cache else None
        if found is None:
            waiting.append(number)
        else:
            outcomes[number] = Outcome(point, found, None, kept=True)
            observe(outcomes[number], len(outcomes), len(points))
    runs = ToolRuns()
    workers = min(len(waiting), jobs or len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max(1, workers)) as pool:
        tasks = {pool.submit(_made, runs, points[number], cache): number for number in waiting}
        try:
            for task in as_completed(tasks):
                outcomes[tasks[task]] = task.result()
                observe(outcomes[tasks[task]], len(outcomes), len(points))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runs.stop()
            raise
    return [outcomes[number] for number in range(len(points))]


def _made(runs: ToolRuns, point: Point, cache: Path | None) -> Outcome:
    """Makes one point in a separate process."""
    task = Task(
        str(point.manifest), point.variant[1], point.asked.model_dump(mode="json"),
        str(cache) if cache else None,
    )  # fmt: skip
    line = json.dumps(asdict(task)).encode() + b"\n"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            code = runs.run_kept(
                "joulemark.hardware.flow.point", line, output=output, errors=errors
            )
        except ToolsStopped:
            return Outcome(point, None, "interrupted", kept=False)
        for file in (output, errors):
            file.seek(0)
        if code == 0:
            report = CoreReport.model_validate_json(output.read())
            return Outcome(point, report, None, kept=False)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1] if lines else f"its process ended with code {code}"
    return Outcome(point, None, reason, kept=False)
