# SPDX-License-Identifier: Apache-2.0
"""Fixed core cycles for sums by hand, independent of the shipped catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.budget import changes, counts
from joulemark.budget.counts import CountSeries, series_of_sheet
from joulemark.catalogue.protocols import CoreCycles
from joulemark.foreign.records import read_record

DATA = Path(__file__).with_name("data")


def series(core: str) -> list[CountSeries]:
    """Counts of the file of a core beside these tests."""
    path = DATA / f"{core}.toml"
    return series_of_sheet(read_record(CoreCycles, path)) if path.exists() else []


@pytest.fixture
def fixed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts of `data` in place of those that are shipped."""
    for module in (counts, changes):
        monkeypatch.setattr(module, "shipped_series", series)
    monkeypatch.setattr(
        changes, "shipped_cores", lambda: sorted(path.stem for path in DATA.iterdir())
    )
