# SPDX-License-Identifier: Apache-2.0
"""Opening stores: to read a run, and to measure into."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from joulemark.cli.shared.measuring_options import DEFAULT_STORE
from joulemark.errors import StoreError, UsageError
from joulemark.foreign.text import say, shortened
from joulemark.store.local_first import MOST_AWAY_S, open_to_measure
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


WAIT_VARIABLE: Final = "JOULEMARK_STORE_WAIT"
_LONGEST_S: Final = 86_400.0


def store_to_measure(location: str) -> Store:
    """Opens the store, or makes it. Standard error says when its server is away and back."""
    return open_to_measure(location, say, most_away_s=_most_away_s())


@contextmanager
def place_of_samples(store_location: str | None) -> Iterator[str]:
    """Location of the store for samples; without one, of a store that is deleted at the end."""
    if store_location is not None:
        yield store_location
        return
    with TemporaryDirectory(prefix="joulemark-") as folder:
        yield str(Path(folder) / DEFAULT_STORE)


def _most_away_s() -> float:
    given = os.environ.get(WAIT_VARIABLE)
    if not given:
        return MOST_AWAY_S
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_S:
        raise UsageError(
            f"{WAIT_VARIABLE} is '{shortened(given, 30)}', and must be a number of seconds from 0 "
            f"to {_LONGEST_S:.0f}"
        )
    return seconds
