# SPDX-License-Identifier: Apache-2.0
"""Estimates one share of a store: `python -m joulemark.explorer.estimates.fill FILE SHARE SHARES`.

The store is the one that the variable JOULEMARK_STORE names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from joulemark.explorer.estimates.filling import fill
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.known.index import Index
from joulemark.store.reading import open_for_reading

__all__: list[str] = []

_NICENESS = 10
"""Pages come first."""


def _main() -> None:
    os.nice(_NICENESS)
    path, share, shares = sys.argv[1:]
    kept = KeptEstimates(Path(path))
    with open_for_reading(os.environ["JOULEMARK_STORE"]) as store:
        for _ in fill(store, kept, Index(store).known(), int(share), int(shares)):
            pass
    kept.close()


if __name__ == "__main__":
    _main()
