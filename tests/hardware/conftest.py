# SPDX-License-Identifier: Apache-2.0
"""Fixtures: small cores of our own, as a user would bring them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

TOYS = Path(__file__).parent / "cores"


@pytest.fixture
def toy(tmp_path: Path):
    """`toy("toy_mac")`: the manifest of a copy that a test may change."""

    def copy(name: str) -> Path:
        folder = tmp_path / name
        if not folder.exists():
            shutil.copytree(TOYS / name, folder)
        return folder / f"{name}.toml"

    return copy
