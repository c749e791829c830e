# SPDX-License-Identifier: Apache-2.0
"""Reports, one or many: each from the cache or made, and of many a process for each."""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from joulemark.errors import JoulemarkError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.hardware.cores import Variant, scratch_folder, text_of
from joulemark.hardware.export import Circuit
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.packaged_tools import Say
from joulemark.hardware.flow.place import DEVICES
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.manifest import Core, read_core
from joulemark.processes.tool import ToolRuns, ToolsStopped
from joulemark.records.core_report import CoreReport

# One report, from the cache or made.
#
# As `python -m joulemark.hardware.flow.points` it is a point of a sweep. The task comes as a line
# of JSON on standard input, the report goes to standard output and into the cache; a refusal is
# the last line on standard error. It is started behind a keeper (`joulemark.processes.keeper`).


@dataclass(frozen=True, slots=True)
class Task:
    """One report to be made, as JSON carries it."""

    manifest: str
    parameters: dict[str, int]
    asked: Flow
    cache: str | None
    """Folder of reports; None keeps and uses none."""


def kept_report(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path | None,
    *,
    keep: Path | None = None,
    jobs: int | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> tuple[str, CoreReport]:
    """Takes the report from the cache, or makes it and puts it there; returns it with its key.

    The cache does not serve where the tools' files, which stay in `keep`, or the circuit are
    wanted. The rest is as for `make_report`.
    """
    cache = ReportCache(folder)
    key = report_key(core, parameters, asked)
    found = cache.get(key) if keep is None and observe is None else None
    if found is not None:
        return key, found
    with scratch_folder(keep) as work:
        made = make_report(
            core,
            parameters,
            asked,
            work,
            jobs=jobs,
            cache=folder if keep is None else None,
            say=say,
            observe=observe,
        )
    cache.put(key, made)
    return key, made


# Makes many reports at once: a process for each, as many as there are CPUs, into the cache.
#
# A finished report is in the cache before anybody is told, so that a sweep that ends early loses
# only the points that were running. Each point stands behind a keeper, with the simulators and
# placers that it started; all of them go when the sweep is interrupted or killed.


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """One report to be made."""

    core: Core
    manifest: Path
    variant: Variant
    asked: Flow

    @property
    def text(self) -> str:
        """The point in one line."""
        return f"{self.core.name} {text_of(self.variant[1])} on {self.asked.target}"

    @property
    def length(self) -> tuple[bool, int]:
        """A key that sorts points roughly by how long they take.

        Placing and routing take longer than mapping, and most parameters are numbers of rounds,
        bits or copies: the larger they are, the more cells the core has.
        """
        return self.asked.target in DEVICES, math.prod(
            max(1, value) for value in self.variant[1].values()
        )


@dataclass(frozen=True, slots=True)
class PointOutcome:
    """The outcome of a point: a report, or the reason why there is none."""

    point: ReportPoint
    report: CoreReport | None
    reason: str | None
    kept: bool
    """Whether the report was in the cache."""


Observer = Callable[[PointOutcome, int, int], None]
"""Called with each outcome, the number of points that are done, and the number of all points."""

Spread = Callable[[Mapping[int, ReportPoint], Callable[[int, PointOutcome], None]], None]
"""Makes points and calls the function with each point's number and outcome. An error ends all."""


def run_points(
    points: Sequence[ReportPoint],
    cache: Path | None,
    *,
    jobs: int | None = None,
    observe: Observer = lambda _outcome, _done, _total: None,
    spread: Spread | None = None,
) -> list[PointOutcome]:
    """Makes all reports, so many jobs at a time; the order of the results is that of the points.

    `observe` is called with every point when it is done. `spread` makes the points that the cache
    lacks; None for processes of this machine.
    """
    kept = ReportCache(cache)
    outcomes: dict[int, PointOutcome] = {}
    waiting: dict[int, ReportPoint] = {}

    def add(number: int, outcome: PointOutcome) -> None:
        outcomes[number] = outcome
        observe(outcome, len(outcomes), len(points))

    for number, point in enumerate(points):
        report = kept.get(report_key(point.core, point.variant[1], point.asked)) if cache else None
        if report is None:
            waiting[number] = point
        else:
            add(number, PointOutcome(point, report, None, kept=True))
    # The longest first: begun last, it would run alone while the others have nothing to do.
    waiting = dict(sorted(waiting.items(), key=lambda numbered: numbered[1].length, reverse=True))
    if spread is None:
        _make_here(waiting, add, cache, jobs)
    else:
        spread(waiting, add)
    return [outcomes[number] for number in range(len(points))]


def _make_here(
    waiting: Mapping[int, ReportPoint],
    add: Callable[[int, PointOutcome], None],
    cache: Path | None,
    jobs: int | None,
) -> None:
    runs = ToolRuns()
    workers = min(len(waiting), jobs or len(os.sched_getaffinity(0)))

    def make(point: ReportPoint) -> PointOutcome:
        report, reason = make_point(runs, task_of(point, cache))
        return PointOutcome(point, report, reason, kept=False)

    with ThreadPoolExecutor(max(1, workers)) as pool:
        tasks = {pool.submit(make, point): number for number, point in waiting.items()}
        try:
            for task in as_completed(tasks):
                add(tasks[task], task.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            runs.stop()
            raise


def task_of(point: ReportPoint, cache: Path | None) -> Task:
    """The task of the process that makes a point; `cache` as for `run_points`."""
    return Task(str(point.manifest), point.variant[1], point.asked, str(cache) if cache else None)


def make_point(runs: ToolRuns, task: Task) -> tuple[CoreReport | None, str | None]:
    """Makes a point in a separate process: its report, or the reason why there is none."""
    line = TypeAdapter(Task).dump_json(task) + b"\n"
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            code = runs.run_kept(
                "joulemark.hardware.flow.points", line, output=output, errors=errors
            )
        except ToolsStopped:
            return None, "interrupted"
        for file in (output, errors):
            file.seek(0)
        if code == 0:
            return CoreReport.model_validate_json(output.read()), None
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return None, lines[-1] if lines else f"its process ended with code {code}"


def main() -> int:
    """Reads the task, makes the report, and returns the exit code."""
    task = record_from_json(Task, parse_json(sys.stdin.readline()))
    try:
        core = read_core(Path(task.manifest))
        cache = Path(task.cache) if task.cache else None
        _, report = kept_report(core, task.parameters, task.asked, cache, jobs=1)
    except JoulemarkError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    print(report.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
