# SPDX-License-Identifier: Apache-2.0
"""Has the workers of a cluster take counts and footprints on firmware targets.

Sources and targets are part of the build, which each worker must share. Compiler and simulator
belong to each machine: a worker takes part only if it has those of the command that asks, so that a
number is the same on every worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from distributed import Client

from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.firmware.build import compiler_version, missing_tool
from joulemark.firmware.target import simulator_of, target_named
from joulemark.fleet.dispatch import Dispatch, WorkerJob
from joulemark.fleet.watching import beside_measuring
from joulemark.measure.firmware.firmware_trials import (
    FirmwareTask,
    FootprintAnswer,
    FootprintTask,
    SpreadFirmware,
    SpreadFootprints,
    count_task,
    take_footprint,
)
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind

T = TypeVar("T", FirmwareTask, FootprintTask)
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class _Order(Generic[T]):
    task: T
    tools: str
    """Compiler and simulator of the command that asks."""


def firmware_over(client: Client, say: Callable[[str], None]) -> SpreadFirmware:
    """The function by which `take_firmware_counts` gives its tasks to the workers of a scheduler.

    Args:
        client: of the scheduler.
        say: takes a sentence about each worker that is refused, lost or back.
    """
    return _over(Dispatch(client, say), count_task, _missing_counts)


def footprints_over(client: Client, say: Callable[[str], None]) -> SpreadFootprints:
    """The function by which `take_footprints` gives away its tasks; arguments as above."""
    return _over(Dispatch(client, say), take_footprint, _missing_footprint)


def _over(
    dispatch: Dispatch, do: Callable[[T, ToolRuns], F], without: Callable[[T, JoulemarkError], F]
) -> Callable[[Sequence[T], Callable[[int, F], None]], None]:
    """Gives tasks to workers; `without` makes the outcome of a task that no worker did."""

    def spread(tasks: Sequence[T], deliver: Callable[[int, F], None]) -> None:
        tools = {name: _tools(name) for name in {task.target for task in tasks}}
        work = partial(_do_here, do, without)
        jobs = [WorkerJob(task.text, work, _Order(task, tools[task.target])) for task in tasks]

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
    do: Callable[[T, ToolRuns], F], without: Callable[[T, JoulemarkError], F], order: _Order[T]
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
