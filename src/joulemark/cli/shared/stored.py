# SPDX-License-Identifier: Apache-2.0
"""Opening the store and finding a run in it, for every command that reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joulemark.errors import StoreError
from joulemark.store.repository import RunRecord, Store


@contextmanager
def opened(location: str) -> Iterator[Store]:
    """Opens an existing store for reading, even one that cannot be written. None is made."""
    with Store.open(location, create=False, reading=True) as store:
        yield store


def run_in(store: Store, number: int | None) -> RunRecord:
    """The run of that number, or the latest."""
    if number is not None:
        return store.run(number)
    latest = store.latest_run()
    if latest is None:
        raise StoreError(f"{store.location} holds no run; measure something with 'joulemark bench'")
    return latest
