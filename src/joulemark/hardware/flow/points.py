# SPDX-License-Identifier: Apache-2.0
"""Many reports at once: one process per point, as many as there are CPUs, results into the cache.

A point that is done is in the cache before anybody is told, so that whatever ends a sweep loses
only the points that were running. Each point leads a separate process group, with the simulators
and placers that it started; all of the group goes when the sweep is interrupted, and the point ends
itself when the sweep is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from joulemark.hardware.core.manifest import Core
from joulemark.hardware.core.parameters import Variant, text_of
from joulemark.hardware.core.report import CoreReport
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.request import Flow

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
    running = _Running()
    workers = min(len(waiting), jobs or len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max(1, workers)) as pool:
        tasks = {pool.submit(running.one, points[number], cache): number for number in waiting}
        try:
            for task in as_completed(tasks):
                outcomes[tasks[task]] = task.result()
                observe(outcomes[tasks[task]], len(outcomes), len(points))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            running.end()
            raise
    return [outcomes[number] for number in range(len(points))]


class _Running:
    """The processes of the points that are being made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[str]] = set()
        self._ended = False

    def one(self, point: Point, cache: Path | None) -> Outcome:
        """Makes one point in a separate process."""
        task = {
            "manifest": str(point.manifest), "parameters": point.variant[1],
            "asked": point.asked.model_dump(mode="json"), "cache": str(cache) if cache else None,
        }  # fmt: skip
        with self._lock:
            if self._ended:
                return Outcome(point, None, "interrupted", kept=False)
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "joulemark.hardware.flow.point"],
                start_new_session=True, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            self._processes.add(process)
        try:
            said, complaint = process.communicate(json.dumps(task))
        finally:
            with self._lock:
                self._processes.discard(process)
        if process.returncode == 0:
            return Outcome(point, CoreReport.model_validate_json(said), None, kept=False)
        lines = complaint.strip().splitlines()
        reason = lines[-1] if lines else f"its process ended with code {process.returncode}"
        return Outcome(point, None, reason, kept=False)

    def end(self) -> None:
        """Ends every process with all that it started."""
        with self._lock:
            self._ended = True
            for process in self._processes:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
