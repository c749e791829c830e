# SPDX-License-Identifier: Apache-2.0
"""Has the workers of a cluster do work that any machine may do: counts, compiling, reports.

This module needs the extra `fleet` and takes half a second to import, so `SpreadOptions.cluster`
imports it only where a cluster was asked for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from distributed import Client

import joulemark
from joulemark.environment import cpu
from joulemark.environment.cpu import SystemFiles
from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.firmware.build import compiler_version, missing_tool
from joulemark.firmware.target import simulator_of, target_named
from joulemark.fleet import beside_measuring
from joulemark.fleet.dispatch import Dispatch, WorkerJob
from joulemark.fleet.serving import Tls, connected, local_cluster
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
from joulemark.measure.firmware_trials import (
    FirmwareTask,
    FootprintAnswer,
    FootprintTask,
    SpreadFirmware,
    SpreadFootprints,
    count_task,
    take_footprint,
)
from joulemark.own_code import digest_of
from joulemark.own_code.building import copies_beside, find_compiler
from joulemark.own_code.making import (
    CompiledCandidate,
    CompileOrder,
    RefusedCandidate,
    SpreadCompiling,
    compile_here,
)
from joulemark.processes.tool import ToolRuns
from joulemark.records import Failure, FailureKind
from joulemark.records.core_report import CoreReport


@dataclass(frozen=True, slots=True)
class Cluster:
    """What workers do for a command. Each method's `say` is told of workers that fail or return."""

    client: Client

    def firmware(self, say: Callable[[str], None]) -> SpreadFirmware:
        """Gives away the tasks of `take_firmware_counts`."""
        return _over(Dispatch(self.client, say), count_task, _missing_counts)

    def footprints(self, say: Callable[[str], None]) -> SpreadFootprints:
        """Gives away the tasks of `take_footprints`."""
        return _over(Dispatch(self.client, say), take_footprint, _missing_footprint)

    def compiling(self, say: Callable[[str], None]) -> SpreadCompiling:
        """Has candidates of `make_candidates` compiled; `say` is told of those that none may do."""

        def spread(
            orders: Sequence[CompileOrder],
            deliver: Callable[[int, Sequence[CompiledCandidate] | RefusedCandidate], None],
        ) -> None:
            here = _cpu()
            files = _digests({file.path for order in orders for file in order.code.files})
            jobs = [
                WorkerJob(
                    f"compiling with {order.candidate.name}",
                    _compile,
                    _CompileWork(order, files, here),
                )
                for order in orders
            ]

            def receive(number: int, outcome: Any) -> None:
                order = orders[number]
                if not isinstance(outcome, str | JoulemarkError | RefusedCandidate):
                    read = {path: digest for part in outcome for path, digest in part.read.items()}
                    if _digests(read) == read:
                        # They are the worker's libraries, whose digests were compared.
                        copies_beside(order.code, order.folder)
                        deliver(number, [_unpack_plugin(part, order.folder) for part in outcome])
                        return
                    outcome = "a header of the worker is another one"
                if isinstance(outcome, RefusedCandidate):
                    deliver(number, outcome)
                else:
                    say(f"{order.candidate.name} is compiled here: {outcome}")

            Dispatch(self.client, say).run(jobs, receive)

        return spread

    def reports(self, cache: Path | None, say: Callable[[str], None]) -> Spread:
        """Has points of `run_points` made; without a cache no machine keeps a report."""

        def spread(
            points: Mapping[int, ReportPoint], deliver: Callable[[int, PointOutcome], None]
        ) -> None:
            numbers = list(points)
            orders = [_point_order(point, cache) for point in points.values()]
            jobs = [
                WorkerJob(points[number].text, _make_report, order)
                for number, order in zip(numbers, orders, strict=True)
            ]

            def receive(job: int, answer: Any) -> None:
                if isinstance(answer, JoulemarkError):
                    answer = _PointAnswer(None, str(answer))
                report = CoreReport.model_validate_json(answer.report) if answer.report else None
                if report is not None:
                    ReportCache(cache).put(orders[job].key, report)
                point = points[numbers[job]]
                deliver(numbers[job], PointOutcome(point, report, answer.reason, kept=False))

            Dispatch(self.client, say).run(jobs, receive)

        return spread


@contextmanager
def open_cluster(
    scheduler: str | None,
    workers: int | None,
    files: tuple[Path | None, Path | None, Path | None, bool],
) -> Iterator[Cluster]:
    """The workers of a scheduler, or so many processes of this machine if none is named.

    The scheduler is known by `files`, which are the fields of `Tls`.
    """
    with (
        local_cluster(workers)
        if scheduler is None and workers is not None
        else connected(str(scheduler), Tls(*files))
    ) as client:
        yield Cluster(client)


# Counts and footprints on firmware targets.
#
# Sources and targets are part of the build, which each worker must share. Compiler and simulator
# belong to each machine: a worker takes part only if it has those of the command that asks, so that
# a number is the same on every worker.

T = TypeVar("T", FirmwareTask, FootprintTask)
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class _FirmwareOrder(Generic[T]):
    task: T
    tools: str
    """Compiler and simulator of the command that asks."""


def _over(
    dispatch: Dispatch, do: Callable[[T, ToolRuns], F], without: Callable[[T, JoulemarkError], F]
) -> Callable[[Sequence[T], Callable[[int, F], None]], None]:
    """Gives tasks to workers; `without` makes the outcome of a task that no worker did."""

    def spread(tasks: Sequence[T], deliver: Callable[[int, F], None]) -> None:
        tools = {name: _tools(name) for name in {task.target for task in tasks}}
        work = partial(_do_here, do, without)
        jobs = [
            WorkerJob(task.text, work, _FirmwareOrder(task, tools[task.target])) for task in tasks
        ]

        def receive(number: int, outcome: Any) -> None:
            failed = isinstance(outcome, JoulemarkError)
            deliver(number, without(tasks[number], outcome) if failed else outcome)

        dispatch.run(jobs, receive)

    return spread


def _missing_counts(task: FirmwareTask, error: JoulemarkError) -> Failure:
    return Failure(task.text, FailureKind.UNAVAILABLE, str(error))


def _missing_footprint(_task: FootprintTask, error: JoulemarkError) -> FootprintAnswer:
    return FootprintAnswer(None, None, str(error))


def _tools(target: str) -> str:
    """Compiler and simulator of this machine, or which of them is missing."""
    machine = target_named(target)
    compiler = missing_tool(machine) or compiler_version(machine.toolchain.compiler)
    simulator = simulator_of(machine)
    return f"{compiler}; {simulator.missing(machine) or simulator.title(machine)}"


def _do_here(
    do: Callable[[T, ToolRuns], F],
    without: Callable[[T, JoulemarkError], F],
    order: _FirmwareOrder[T],
) -> F:
    """Does a task in the worker."""
    try:
        here = _tools(order.task.target)
        if here != order.tools:
            raise UnavailableError(f"the worker has {here}, whoever asks has {order.tools}")
        with beside_measuring() as runs:
            return do(order.task, runs)
    except JoulemarkError as error:
        return without(order.task, error)


# Candidates of a search for flags.
#
# Only compiling is spread: the machine of the command checks and times each compiled candidate. A
# worker compiles only if it has that machine's sources, compiler and kind of CPU, on which
# `-march=native` depends. The command itself compiles the candidates that no worker may compile.


@dataclass(frozen=True, slots=True)
class _CompileWork:
    order: CompileOrder
    files: Mapping[str, str]
    """Absolute path of each file of the user -> its digest."""
    cpu: str
    """The CPU of the command that asks."""


@dataclass(frozen=True, slots=True)
class _PluginPart:
    """A plugin on its way back."""

    compiled: CompiledCandidate
    content: bytes
    read: Mapping[str, str]
    """Each file that the compiler read in the worker -> its digest."""


def _digests(paths: Iterable[str | Path]) -> dict[str, str]:
    return {str(path): digest_of(Path(path)) for path in paths}


def _cpu() -> str:
    return repr(sorted(cpu.read_cpu(SystemFiles(Path("/"))).items(), key=str))


def _unpack_plugin(part: _PluginPart, folder: Path) -> CompiledCandidate:
    plugin = folder / part.compiled.plugin.name
    plugin.write_bytes(part.content)
    plugin.chmod(0o755)
    return replace(part.compiled, plugin=plugin)


def _compile(work: _CompileWork) -> list[_PluginPart] | RefusedCandidate | str:
    """Compiles in the worker; returns text to say why the worker may not."""
    order = work.order
    compiler = order.candidate.compiler
    try:
        if _cpu() != work.cpu:
            raise UnavailableError("the worker has another CPU")
        if _digests(work.files) != work.files:
            raise UnavailableError("a file of the worker is another one")
        if find_compiler(compiler.program, compiler.limits).version != compiler.version:
            raise UnavailableError(f"the worker has another {compiler.name}")
        with beside_measuring(), tempfile.TemporaryDirectory(prefix="joulemark-") as folder:
            outcome = compile_here(replace(order, folder=Path(folder).resolve()))
            if isinstance(outcome, RefusedCandidate):
                return outcome
            return [
                _PluginPart(compiled, compiled.plugin.read_bytes(), _digests(compiled.read))
                for compiled in outcome
            ]
    except JoulemarkError as error:
        return str(error)


# Reports of cores, as many at a time as the workers have threads.
#
# A report depends on files, tools and our own code. The key of the report cache is a digest of them
# all. A worker makes a report only if it computes the same key as the command that asks: else its
# figures would belong to another core, library or tool.

_PACKAGE: Final = Path(joulemark.__file__).parent


@dataclass(frozen=True, slots=True)
class _PointOrder:
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


def _point_order(point: ReportPoint, cache: Path | None) -> _PointOrder:
    task = task_of(point, None)
    manifest = point.manifest.resolve()
    if manifest.is_relative_to(_PACKAGE):
        manifest = manifest.relative_to(_PACKAGE)
    key = report_key(point.core, point.variant[1], point.asked)
    return _PointOrder(replace(task, manifest=str(manifest)), key, keeps=cache is not None)


def _make_report(order: _PointOrder) -> _PointAnswer:
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
