# SPDX-License-Identifier: Apache-2.0
"""The part of an export that makes it whole, so that the run can be put into a store again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict

from joulemark.analyse.raw_run import RawRun, RawSeries, RawTrial, RawWindow, ResultFailure
from joulemark.records.failure import ENERGY
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store.energy import window_as_json
from joulemark.store.repository import Store
from joulemark.store.rows import plain

__all__ = ["raw_run"]


def raw_run(store: Store, run_id: int, shown: Collection[Trial]) -> RawRun:
    """All that a store has of a run besides the samples of its results.

    Args:
        store: where the run is.
        run_id: which run.
        shown: trials whose results carry their samples.

    Raises:
        StoreError: there is no such run, or the store cannot be read.
    """
    record, meter = store.run(run_id), store.meter(run_id)
    observed: dict[Trial, Sequence[RawSample | ClockCount]] = {
        **store.samples(run_id),
        **{trial: [count] for trial, count in store.clock_counts(run_id).items()},
    }
    return RawRun(
        study=record.study,
        study_digest=record.study_digest,
        loop=record.loop,
        meter=None if meter is None else plain(meter.as_dict()),
        energy_windows=[
            RawWindow(
                trial=None if stored.trial is None else _raw_trial(stored.trial),
                void=stored.void,
                window=window_as_json(stored.window),
            )
            for stored in store.energy_windows(run_id)
        ],
        withheld=[
            RawSeries(trial=_raw_trial(trial), samples=[each.as_dict() for each in series])
            for trial, series in sorted(observed.items(), key=lambda item: item[0])
            if series and trial not in shown
        ],
        failures=[
            ResultFailure(**asdict(failure))
            for failure in store.failures(run_id)
            if failure.implementation == ENERGY
        ],
    )


def _raw_trial(trial: Trial) -> RawTrial:
    return RawTrial(
        implementation=trial.implementation, target=trial.target, **asdict(trial.workload)
    )
