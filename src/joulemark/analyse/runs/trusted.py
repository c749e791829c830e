# SPDX-License-Identifier: Apache-2.0
"""Samples of a run that may be judged: those of implementations that did not fail in it."""

from __future__ import annotations

from joulemark.records import Failure
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.store.repository import Store


def broken_in(store: Store, number: int) -> list[Failure]:
    """Failures of a run by a crash, a hang or a wrong output; not those of absent code."""
    return [failure for failure in store.failures(number) if failure.broken]


def trusted_samples(store: Store, number: int) -> dict[Trial, list[RawSample]]:
    """Samples of a run, without those of implementations that failed in it.

    A wrong answer may well be a fast one.
    """
    broken = {failure.implementation for failure in broken_in(store, number)}
    samples = store.samples(number)
    return {trial: taken for trial, taken in samples.items() if trial.implementation not in broken}
