# SPDX-License-Identifier: Apache-2.0
"""Fleets for tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_fleet import SmallFleet

import joulemark


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
    package = tmp_path / "other" / "joulemark"
    shutil.copytree(Path(joulemark.__file__).parent, package)
    with (package / "units.py").open("a") as file:
        file.write("# another build\n")
    return package.parent
