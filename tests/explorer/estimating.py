# SPDX-License-Identifier: Apache-2.0
"""A store with all its estimates, as the explorer holds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from joulemark.explorer.estimates.holdings import Holdings, fill
from joulemark.explorer.estimates.kept import KeptEstimates, cache_file
from joulemark.store.reading import open_for_reading


def estimate(location: str) -> None:
    """Keep all estimates of a store at the place that `explore` and `publish` use."""
    with estimated(location):
        pass


@contextmanager
def estimated(location: str, kept_path: Path | None = None) -> Iterator[Holdings]:
    """The store of a place, read alone, while the block runs.

    Args:
        location: file or address of the store.
        kept_path: file of the estimates; None means the one of `explore` and `publish`.
    """
    with (
        open_for_reading(location) as store,
        nullcontext(kept_path) if kept_path else cache_file(store.location) as path,
    ):
        kept = KeptEstimates(path)
        try:
            fill(store, kept, Holdings(store, kept).known())
            yield Holdings(store, kept)  # this looks at the store at once
        finally:
            kept.close()
