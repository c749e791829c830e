# SPDX-License-Identifier: Apache-2.0
"""Opening the store and finding a run in it, for every command that reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from joulemark.errors import StoreError

if TYPE_CHECKING:
    from joulemark.records.failure import Failure
    from joulemark.records.sample import RawSample
    from joulemark.records.trial import Trial
    from joulemark.store.repository import RunRecord, Store

__all__ = ["broken_in", "opened", "run_in", "trusted_samples"]


@contextmanager
def opened(location: str) -> Iterator[Store]:
    """An existing store, which may be one that cannot be written; none is made by reading.

    Raises:
        StoreError: it is not there or cannot be read.
    """
    from joulemark.store.repository import Store  # noqa: PLC0415 - SQLAlchemy is slow

    with Store.open(location, create=False, reading=True) as store:
        yield store


def run_in(store: Store, number: int | None) -> RunRecord:
    """The run of that number, or the latest.

    Raises:
        StoreError: there is none.
    """
    if number is not None:
        return store.run(number)
    latest = store.latest_run()
    if latest is None:
        raise StoreError(f"{store.location} holds no run; measure something with 'joulemark bench'")
    return latest


def broken_in(store: Store, number: int) -> list[Failure]:
    """What crashed, hung or computed something wrong in a run; not what was merely unavailable."""
    return [one for one in store.failures(number) if one.broken]


def trusted_samples(store: Store, number: int) -> dict[Trial, list[RawSample]]:
    """Samples of a run, without those of implementations that failed in it.

    A wrong answer may well be a fast one.
    """
    broken = {one.implementation for one in broken_in(store, number)}
    samples = store.samples(number)
    return {one: taken for one, taken in samples.items() if one.implementation not in broken}
