# SPDX-License-Identifier: Apache-2.0
"""Estimates a share of the runs: `python -m joulemark.explorer.estimates.fill FILE SHARE SHARES`.

FILE keeps the estimates. The variable JOULEMARK_STORE names the store.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from joulemark.explorer.estimates.holdings import fill
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.estimates.known import Index
from joulemark.store.reading import open_for_reading

__all__: list[str] = []


def _main() -> None:
    os.nice(10)  # the server that makes pages comes first
    path, share, shares = sys.argv[1:]
    estimates = KeptEstimates(Path(path))
    with open_for_reading(os.environ["JOULEMARK_STORE"]) as store:
        fill(store, estimates, Index(store).known(), int(share), int(shares))
    estimates.close()


if __name__ == "__main__":
    _main()
