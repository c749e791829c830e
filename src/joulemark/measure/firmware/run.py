# SPDX-License-Identifier: Apache-2.0
"""Takes the counts of every firmware trial of a plan that the store lacks, several at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
What is counted is stored implementation by implementation: a killed run goes on with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.firmware.programs.kernel_sources import every_implementation
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import FirmwareCounts, count
from joulemark.measure.firmware.side_by_side import done_here
from joulemark.measure.workers.inventory import failure_of
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

__all__ = ["FirmwareTask", "SpreadFirmware", "count_task", "take_firmware_counts"]


@dataclass(frozen=True, slots=True)
class FirmwareTask:
    """All lengths of one implementation on one target: one program, which is simulated once."""

    implementation: str
    target: str
    lengths: tuple[int, ...]
    """In bytes."""

    @property
    def text(self) -> str:
        """Name of its failures, and of it in a sentence."""
        return f"{self.implementation} on {self.target}"


SpreadFirmware = Callable[
    [Sequence[FirmwareTask], Callable[[int, "FirmwareCounts | Failure"], None]], None
]
"""Has tasks done and tells each outcome under the task's place; raises what ends all."""


def count_task(task: FirmwareTask, runs: ToolRuns) -> FirmwareCounts | Failure:
    """Builds and simulates, within runs that end together."""
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
    """Simulates what is missing; returns how many trials were counted now.

    A failure is named `<implementation> on <target>`: what goes wrong on one target takes nothing
    from the figures of another.

    Args:
        store: where each count goes at once.
        run_id: of the run.
        trials: on firmware targets.
        counted: told of each trial that is stored.
        failed: told of each implementation that misbehaved, and of each length without a count.
        spread: counts what the store lacks; threads of this process unless given.

    Raises:
        StoreError: the store cannot be written; what it has acknowledged is safe.
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

    if spread is None:
        done_here(tasks, count_task, done)
    else:
        spread(tasks, done)
    return taken
