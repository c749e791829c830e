# SPDX-License-Identifier: Apache-2.0
"""Counts on firmware targets by the workers of a cluster, as many at a time as they have threads.

Sources and targets come with the build, to which each worker is held. Compiler and simulator are
each machine's: a worker counts only with those of whoever asks, so that a count is the same
whoever made it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from distributed import Client

from joulemark.errors import JoulemarkError, UnavailableError
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.programs.toolchain import compiler_version
from joulemark.firmware.run import Counted, missing
from joulemark.firmware.simulators import simulator_of
from joulemark.fleet.dispatch import Dispatch, Job, Limits
from joulemark.fleet.watching import beside_measuring
from joulemark.measure.firmware.run import FirmwareTask, SpreadFirmware, count_task
from joulemark.records.failure import Failure, FailureKind

__all__ = ["firmware_over"]


@dataclass(frozen=True, slots=True)
class _Order:
    task: FirmwareTask
    tools: str
    """Of whoever asks."""


def firmware_over(
    client: Client, say: Callable[[str], None], limits: Limits | None = None
) -> SpreadFirmware:
    """How `take_firmware_counts` has its tasks done by the workers of a scheduler.

    Args:
        client: of the scheduler.
        say: told in a sentence of workers that are refused, lost or back.
        limits: of patience with workers.
    """

    def spread(
        tasks: Sequence[FirmwareTask], told: Callable[[int, Counted | Failure], None]
    ) -> None:
        tools = {name: _tools(name) for name in {one.target for one in tasks}}
        jobs = [Job(one.text, _count_here, _Order(one, tools[one.target])) for one in tasks]

        def done(place: int, found: Any) -> None:
            if isinstance(found, JoulemarkError):
                found = Failure(tasks[place].text, FailureKind.UNAVAILABLE, str(found))
            told(place, found)

        Dispatch(client, say, limits).run(jobs, done)

    return spread


def _tools(target: str) -> str:
    one = target_named(target)
    return f"{compiler_version(one.toolchain.compiler)}; {simulator_of(one).title(one)}"


def _count_here(order: _Order) -> Counted | Failure:
    """In the worker."""
    task = order.task
    try:
        lacking = missing(target_named(task.target))
        if lacking is not None:
            raise UnavailableError(f"on the worker it {lacking}")
        here = _tools(task.target)
        if here != order.tools:
            raise UnavailableError(f"the worker has {here}, whoever asks has {order.tools}")
        with beside_measuring() as runs:
            return count_task(task, runs)
    except JoulemarkError as error:
        return Failure(task.text, FailureKind.UNAVAILABLE, str(error))
