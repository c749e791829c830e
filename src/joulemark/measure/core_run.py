# SPDX-License-Identifier: Apache-2.0
"""Takes the clocks of every core of a plan that the store lacks, several cores at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
What is stored is stored core by core: a killed run goes on with the cores that are left.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from joulemark.errors import ImplementationError, WrongOutputError
from joulemark.measure.cores.client import CoreSimulation, LengthCounts
from joulemark.measure.cores.found import CoreImplementation
from joulemark.measure.workers.inventory import failure_of
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

__all__ = ["CORE_LIMIT_S", "take_clocks"]

CORE_LIMIT_S = 900.0
"""Seconds for building one core and simulating all its messages; a build alone takes about six."""


def take_clocks(
    store: Store,
    run_id: int,
    cores: Mapping[str, CoreImplementation],
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
    limit_s: float = CORE_LIMIT_S,
) -> int:
    """Simulates what is missing; returns how many trials were counted now.

    Args:
        store: where each count goes at once.
        run_id: of the run.
        cores: by implementation.
        trials: all on the simulator.
        counted: told of each trial that is stored.
        failed: told of each core that misbehaved, and of each length that it does not take.
        limit_s: seconds for one core.

    Raises:
        StoreError: the store cannot be written; what it has acknowledged is safe.
    """
    kept = store.clock_counts(run_id)
    wanted: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault(trial.implementation, []).append(trial)
    simulation = CoreSimulation()
    taken = 0
    refused: set[Failure] = set()

    def refuse(failure: Failure) -> None:
        """Says it once, not once for each mode."""
        if failure not in refused:
            refused.add(failure)
            failed(failure)

    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        try:
            futures = {
                _submitted(pool, simulation, cores[name], missing, limit_s): (name, missing)
                for name, missing in wanted.items()
            }
            for future in as_completed(futures):
                name, missing = futures[future]
                try:
                    found = future.result()
                except ImplementationError as error:
                    failed(failure_of(name, error))
                    continue
                for trial in missing:
                    taken += _keep(store, run_id, trial, found, counted, refuse)
        except BaseException:
            simulation.stop()
            raise
    return taken


def _submitted(
    pool: ThreadPoolExecutor, simulation: CoreSimulation, core: CoreImplementation,
    missing: Sequence[Trial], limit_s: float,
) -> Future[LengthCounts]:  # fmt: skip
    lengths = sorted({trial.workload.size_bytes for trial in missing})
    modes = sorted({trial.workload.mode for trial in missing})
    return pool.submit(simulation.count, core, lengths, modes, limit_s=limit_s)


def _keep(
    store: Store, run_id: int, trial: Trial, found: LengthCounts,
    counted: Callable[[Trial], None], failed: Callable[[Failure], None],
) -> bool:  # fmt: skip
    """Stores one trial's count, or says why it has none."""
    size_bytes = trial.workload.size_bytes
    reason = found.refused.get(size_bytes)
    if reason is not None:
        failed(Failure(trial.implementation, FailureKind.REFUSED, reason, size_bytes))
        return False
    count = found.clocks.get((trial.workload.mode, size_bytes))
    if count is None or count.clocks < 1 or count.messages < 1:
        error = WrongOutputError("its simulation gave no clocks")
        failed(failure_of(trial.implementation, error, size_bytes))
        return False
    store.add_clock_count(run_id, trial, count)
    counted(trial)
    return True
