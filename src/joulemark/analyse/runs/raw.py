# SPDX-License-Identifier: Apache-2.0
"""What an export with raw samples carries besides them, so that the run can be imported whole."""

from __future__ import annotations

from collections.abc import Collection

from joulemark.analyse.raw_run import RawFailure, RawRun, RawSeries, RawTrial, RawWindow
from joulemark.records.failure import ENERGY
from joulemark.records.trial import Trial
from joulemark.store.energy import window_as_json
from joulemark.store.repository import Store
from joulemark.store.rows import plain

__all__ = ["raw_run"]


def raw_run(store: Store, run_id: int, shown: Collection[Trial]) -> RawRun:
    """The rest of a run.

    Args:
        store: where the run is.
        run_id: which run.
        shown: trials whose results carry their samples.

    Raises:
        StoreError: there is no such run, or the store cannot be read.
    """
    record, meter = store.run(run_id), store.meter(run_id)
    withheld = {
        trial: [sample.as_dict() for sample in taken]
        for trial, taken in store.samples(run_id).items()
        if taken and trial not in shown
    }
    for trial, count in store.clock_counts(run_id).items():
        if trial not in shown:
            withheld[trial] = [count.as_dict()]
    return RawRun(
        study=record.study,
        study_digest=record.study_digest,
        loop=record.loop,
        meter=None if meter is None else plain(meter.as_dict()),
        energy_windows=[
            RawWindow(
                trial=None if energy_window.trial is None else _named(energy_window.trial),
                void=energy_window.void,
                window=window_as_json(energy_window.window),
            )
            for energy_window in store.energy_windows(run_id)
        ],
        withheld=[
            RawSeries(trial=_named(trial), samples=withheld[trial]) for trial in sorted(withheld)
        ],
        failures=[
            RawFailure(
                implementation=failure.implementation,
                kind=failure.kind,
                reason=failure.reason,
                size_bytes=failure.size_bytes,
            )
            for failure in store.failures(run_id)
            if failure.implementation == ENERGY
        ],
    )


def _named(trial: Trial) -> RawTrial:
    workload = trial.workload
    return RawTrial(
        implementation=trial.implementation,
        target=trial.target,
        size_bytes=workload.size_bytes,
        mode=workload.mode,
        cache=workload.cache,
        key_setup=workload.key_setup,
        batch=workload.batch,
        mix=workload.mix,
    )
