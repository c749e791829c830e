# SPDX-License-Identifier: Apache-2.0
"""Fixtures: small cores of our own, as a user would bring them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

TOYS = Path(__file__).parent / "cores"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def toy(tmp_path: Path):
    """`toy("toy_mac")`: the manifest of a copy that a test may change."""

    def copy(name: str) -> Path:
        folder = tmp_path / name
        if not folder.exists():
            shutil.copytree(TOYS / name, folder)
        return folder / f"{name}.toml"

    return copy


@pytest.fixture(scope="session")
def open_library() -> Path:
    """A real library, where the folder of open libraries is present."""
    folder = Path(os.environ.get("JOULEMARK_LIBERTY", ROOT.parent / "shared" / "liberty"))
    path = folder / "sg13g2_stdcell_typ_1p20V_25C.lib"
    if not path.is_file():
        pytest.skip(f"no open cell libraries in {folder}; name their folder in JOULEMARK_LIBERTY")
    return path
