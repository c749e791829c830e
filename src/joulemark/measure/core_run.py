# SPDX-License-Identifier: Apache-2.0
"""Counts the clocks of the core trials of a plan that the store lacks, several cores at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
Counts are stored core by core, so a killed run goes on with the cores that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from joulemark.errors import ImplementationError, WrongOutputError
from joulemark.measure.cores.client import LengthCounts, simulate_core
from joulemark.measure.cores.found import CoreImplementation
from joulemark.measure.workers.inventory import failure_of
from joulemark.processes.side_by_side import do_tasks
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

__all__ = ["take_clocks"]

_CORE_LIMIT_S: Final = 900.0
"""Longest time for building one core and simulating all its messages; a build takes about 6 s."""


def take_clocks(
    store: Store,
    run_id: int,
    cores: Mapping[str, CoreImplementation],
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
) -> int:
    """Simulates missing trials; returns how many were counted now.

    Args:
        store: where each count goes at once.
        run_id: number of the run.
        cores: the cores by implementation.
        trials: all on the simulator.
        counted: told of each trial that is stored.
        failed: told of each core that misbehaved, and of each length that it does not take.

    Raises:
        StoreError: the store cannot be written; what it has acknowledged is safe.
    """
    kept = store.clock_counts(run_id)
    wanted: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault(trial.implementation, []).append(trial)
    tasks = list(wanted.items())
    taken = 0
    failures: set[Failure] = set()

    def simulate(task: tuple[str, list[Trial]], runs: ToolRuns) -> LengthCounts | Failure:
        name, missing = task
        lengths = sorted({trial.workload.size_bytes for trial in missing})
        modes = sorted({trial.workload.mode for trial in missing})
        try:
            return simulate_core(cores[name], lengths, modes, runs, limit_s=_CORE_LIMIT_S)
        except ImplementationError as error:
            return failure_of(name, error)

    def keep(place: int, found: LengthCounts | Failure) -> None:
        nonlocal taken
        for trial in tasks[place][1]:
            failure = found if isinstance(found, Failure) else _failure(trial, found)
            if failure is None:
                assert isinstance(found, LengthCounts)
                workload = trial.workload
                store.add_clock_count(
                    run_id, trial, found.clocks[workload.mode, workload.size_bytes]
                )
                taken += 1
                counted(trial)
            elif failure not in failures:  # once, not for each mode
                failures.add(failure)
                failed(failure)

    do_tasks(tasks, simulate, keep)
    return taken


def _failure(trial: Trial, found: LengthCounts) -> Failure | None:
    """Why a trial has no count; None if it has one."""
    size_bytes = trial.workload.size_bytes
    reason = found.refused.get(size_bytes)
    if reason is not None:
        return Failure(trial.implementation, FailureKind.REFUSED, reason, size_bytes)
    count = found.clocks.get((trial.workload.mode, size_bytes))
    if count is None or count.clocks < 1 or count.messages < 1:
        error = WrongOutputError("its simulation gave no clocks")
        return failure_of(trial.implementation, error, size_bytes)
    return None
