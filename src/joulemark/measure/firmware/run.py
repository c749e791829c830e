# SPDX-License-Identifier: Apache-2.0
"""Takes the counts of every firmware trial of a plan that the store lacks, several at a time.

A simulation is exact and no other program disturbs it, so there are no rounds and no placement.
What is counted is stored implementation by implementation: a killed run goes on with the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from joulemark.errors import ImplementationError, UnavailableError
from joulemark.firmware.programs.kernel_sources import every_implementation
from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import Counted, count
from joulemark.measure.workers.inventory import failure_of
from joulemark.processes.tool import ToolRuns
from joulemark.records.failure import Failure, FailureKind
from joulemark.records.trial import Trial
from joulemark.store.repository import Store

__all__ = ["take_firmware_counts"]


def take_firmware_counts(
    store: Store,
    run_id: int,
    trials: Sequence[Trial],
    *,
    counted: Callable[[Trial], None],
    failed: Callable[[Failure], None],
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

    Raises:
        StoreError: the store cannot be written; what it has acknowledged is safe.
    """
    kept = store.firmware_counts(run_id)
    wanted: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial not in kept:
            wanted.setdefault((trial.implementation, trial.target), []).append(trial)
    runs, taken = ToolRuns(), 0

    def simulated(name: str, target: str, missing: Sequence[Trial]) -> Counted:
        lengths = [trial.workload.size_bytes for trial in missing]
        return count(target_named(target), every_implementation()[name], lengths, runs=runs)

    with (
        ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool,
        runs.ended_on_error(),
    ):
        futures = {
            pool.submit(simulated, *key, missing): (*key, missing)
            for key, missing in wanted.items()
        }
        for future in as_completed(futures):
            name, target, missing = futures[future]
            shown = f"{name} on {target}"
            try:
                found = future.result()
            except UnavailableError as error:
                failed(Failure(shown, FailureKind.UNAVAILABLE, str(error)))
                continue
            except ImplementationError as error:
                failed(failure_of(shown, error))
                continue
            for trial in missing:
                size_bytes = trial.workload.size_bytes
                if size_bytes in found.refused:
                    reason = found.refused[size_bytes]
                    failed(Failure(shown, FailureKind.REFUSED, reason, size_bytes))
                    continue
                store.add_firmware_count(run_id, trial, found.counts[size_bytes])
                taken += 1
                counted(trial)
    return taken
