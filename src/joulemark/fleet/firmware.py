# SPDX-License-Identifier: Apache-2.0
"""Has the workers of a cluster take counts and footprints on firmware targets.

Sources and targets are part of the build, which each worker must share. Compiler and simulator
belong to each machine: a worker takes part only if it has those of the command that asks, so that a
number is the same on every worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from distributed import Client

from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.programs.toolchain import compiler_version, missing_tool
from joulemark.firmware.run import FirmwareCounts
from joulemark.firmware.simulators import simulator_of
from joulemark.fleet.dispatch import Dispatch, Job, Limits
from joulemark.fleet.watching import beside_measuring
from joulemark.measure.firmware.footprints import (
    FootprintAnswer,
    FootprintTask,
    SpreadFootprints,
    take_footprint,
)
from joulemark.measure.firmware.run import FirmwareTask, SpreadFirmware, count_task
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind

__all__ = ["firmware_over", "footprints_over"]

T = TypeVar("T", FirmwareTask, FootprintTask)
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class _Order(Generic[T]):
    task: T
    tools: str
    """Compiler and simulator of the command that asks."""


def firmware_over(
    client: Client, say: Callable[[str], None], limits: Limits | None = None
) -> SpreadFirmware:
    """The function by which `take_firmware_counts` gives its tasks to the workers of a scheduler.

    Args:
        client: of the scheduler.
        say: takes a sentence about each worker that is refused, lost or back.
        limits: of patience with workers.
    """
    return _over(Dispatch(client, say, limits), _count_here, _not_counted)


def footprints_over(
    client: Client, say: Callable[[str], None], limits: Limits | None = None
) -> SpreadFootprints:
    """The same for `take_footprints`; arguments as of `firmware_over`."""
    return _over(Dispatch(client, say, limits), _take_here, _not_taken)


def _over(
    dispatch: Dispatch, do: Callable[[_Order[T]], F], without: Callable[[T, JoulemarkError], F]
) -> Callable[[Sequence[T], Callable[[int, F], None]], None]:
    """Gives tasks to workers; `without` makes the outcome of a task that no worker did."""

    def spread(tasks: Sequence[T], told: Callable[[int, F], None]) -> None:
        tools = {name: _tools(name) for name in {task.target for task in tasks}}
        jobs = [Job(task.text, do, _Order(task, tools[task.target])) for task in tasks]

        def done(number: int, outcome: Any) -> None:
            failed = isinstance(outcome, JoulemarkError)
            told(number, without(tasks[number], outcome) if failed else outcome)

        dispatch.run(jobs, done)

    return spread


def _not_counted(task: FirmwareTask, error: JoulemarkError) -> Failure:
    return Failure(task.text, FailureKind.UNAVAILABLE, str(error))


def _not_taken(_task: FootprintTask, error: JoulemarkError) -> FootprintAnswer:
    return FootprintAnswer(None, None, str(error))


def _tools(target: str) -> str:
    """Compiler and simulator of this machine, or which of them is missing."""
    machine = target_named(target)
    compiler = missing_tool(machine) or compiler_version(machine.toolchain.compiler)
    simulator = simulator_of(machine)
    return f"{compiler}; {simulator.missing(machine) or simulator.title(machine)}"


@contextmanager
def _with_tools_of(order: _Order[T]) -> Iterator[ToolRuns]:
    here = _tools(order.task.target)
    if here != order.tools:
        raise UnavailableError(f"the worker has {here}, whoever asks has {order.tools}")
    with beside_measuring() as runs:
        yield runs


def _count_here(order: _Order[FirmwareTask]) -> FirmwareCounts | Failure:
    """Counts in the worker."""
    try:
        with _with_tools_of(order) as runs:
            return count_task(order.task, runs)
    except JoulemarkError as error:
        return _not_counted(order.task, error)


def _take_here(order: _Order[FootprintTask]) -> FootprintAnswer:
    """Takes a footprint in the worker."""
    try:
        with _with_tools_of(order) as runs:
            return take_footprint(order.task, runs)
    except JoulemarkError as error:
        return _not_taken(order.task, error)
