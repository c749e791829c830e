# SPDX-License-Identifier: Apache-2.0
"""How well a figure repeats: the medians of the same trial in earlier runs of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from joulemark.analyse.derive import seconds_per_message
from joulemark.analyse.results import Repeatability
from joulemark.environment import IDENTITY_KEYS
from joulemark.judging.standing import standing
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.stats.location import median
from joulemark.store.repository import RunRecord, Store

__all__ = ["earlier_medians", "repeatability"]

MOST_RUNS: Final = 9
"""Earlier runs that are read, the newest first: a machine of last year is another machine."""
MOST_SAMPLES: Final = 400_000
"""Samples of earlier runs that are read, beyond the first such run: a page of results waits 1.5 s
for 100 000 of them, which is one run of the default set."""


def earlier_medians(store: Store, run: RunRecord) -> dict[Trial, list[float]]:
    """Medians of seconds per message of each trial of `run` in earlier runs, newest first.

    An earlier run counts if it is finished and is of the same environment and the same version of
    Joulemark, and only for implementations whose facts are the same as now.
    """
    facts = store.implementations(run.id)
    wanted = {key: run.environment.get(key) for key in IDENTITY_KEYS}
    medians: dict[Trial, list[float]] = {}
    read = 0
    for looked, earlier in enumerate(store.earlier_runs(run.id, wanted)[:MOST_RUNS]):
        samples_there = sum(store.sample_counts(earlier).values())
        if looked and read + samples_there > MOST_SAMPLES:
            break
        read += samples_there
        then = store.implementations(earlier)
        for trial, samples in standing(store.samples(earlier)).items():
            name = trial.implementation
            if samples and name in facts and then.get(name) == facts[name]:
                medians.setdefault(trial, []).append(_median(samples))
    return medians


def repeatability(
    trial: Trial, samples: Sequence[RawSample], earlier: Mapping[Trial, Sequence[float]]
) -> Repeatability | None:
    """How much the median of a trial moved; None without an earlier one, or without samples."""
    then = earlier.get(trial)
    if not then or not samples:
        return None
    now = _median(samples)
    if now <= 0:
        return None
    every = [now, *then]
    return Repeatability(runs=len(every), half_range=(max(every) - min(every)) / 2 / now)


def _median(samples: Sequence[RawSample]) -> float:
    return median([seconds_per_message(sample) for sample in samples])
