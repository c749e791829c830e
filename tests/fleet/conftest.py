# SPDX-License-Identifier: Apache-2.0
"""Fixtures that start fleets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from small_fleet import SmallFleet

from package_copies import copy_package


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[SmallFleet]:
    """A scheduler without workers."""
    made = SmallFleet(tmp_path)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture
def other_build(tmp_path: Path) -> Path:
    """A folder with a copy of the package in which one comment differs."""
    package = copy_package(tmp_path / "other")
    units = (package / "units.py").read_text("utf-8")
    (package / "units.py").unlink()
    (package / "units.py").write_text(f"{units}# another build\n", "utf-8")
    return package.parent
