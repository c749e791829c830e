# SPDX-License-Identifier: Apache-2.0
"""Counts the firmware trials of a plan that the store lacks, several at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
Counts are stored implementation by implementation, so a killed run goes on with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.firmware.programs.build import every_implementation
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import FirmwareCounts, count
from joulemark.measure.workers.inventory import failure_of
from joulemark.processes.side_by_side import Spread, do_tasks
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store


@dataclass(frozen=True, slots=True)
class FirmwareTask:
    """All lengths of one implementation on one target: one program, which is simulated once."""

    implementation: str
    target: str
    lengths: tuple[int, ...]
    """Lengths of the messages in bytes."""

    @property
    def text(self) -> str:
        """The task in a sentence, which is also the name of its failures."""
        return f"{self.implementation} on {self.target}"


SpreadFirmware = Spread[FirmwareTask, FirmwareCounts | Failure]


def count_task(task: FirmwareTask, runs: ToolRuns) -> FirmwareCounts | Failure:
    """Builds the program of a task and simulates it."""
    kernel = every_implementation()[task.implementation]
    try:
        return count(target_named(task.target), kernel, task.lengths, runs=runs)
    except UnavailableError as error:
        return Failure(task.text, FailureKind.UNAVAILABLE, str(error))
    except ImplementationError as error:
        return failure_of(task.text, error)


def take_firmware_counts(
    store: Store,
    run_id: int,
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
    spread: SpreadFirmware | None = None,
) -> int:
    """Simulates missing trials; returns how many were counted now.

    A failure is named `<implementation> on <target>`: what goes wrong on one target takes nothing
    from the figures of another.

    Args:
        store: where each count goes at once.
        run_id: number of the run.
        trials: on firmware targets.
        counted: told of each trial that is stored.
        failed: told of each implementation that misbehaved, and of each length without a count.
        spread: does the tasks elsewhere; threads of this process unless given.
    """
    kept = store.firmware_counts(run_id)
    wanted: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault((trial.implementation, trial.target), []).append(trial)
    lacking = list(wanted.values())
    tasks = [
        FirmwareTask(*key, tuple(trial.workload.size_bytes for trial in missing))
        for key, missing in wanted.items()
    ]
    taken = 0

    def done(place: int, found: FirmwareCounts | Failure) -> None:
        nonlocal taken
        if isinstance(found, Failure):
            failed(found)
            return
        for trial in lacking[place]:
            size_bytes = trial.workload.size_bytes
            if size_bytes in found.refused:
                reason = found.refused[size_bytes]
                failed(Failure(tasks[place].text, FailureKind.REFUSED, reason, size_bytes))
                continue
            store.add_firmware_count(run_id, trial, found.counts[size_bytes])
            taken += 1
            counted(trial)

    do_tasks(tasks, count_task, done, spread)
    return taken
