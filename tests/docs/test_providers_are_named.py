# SPDX-License-Identifier: Apache-2.0
"""Every provider of `providers/CMakeLists.txt` is named wherever a reader or a machine looks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LINE = re.compile(r"^jm_provider\((\w+) TITLE \"[^\"]+\" .*PACKAGE ([a-z0-9+-]+)\)$", re.MULTILINE)
PROVIDERS = LINE.findall((REPOSITORY / "providers/CMakeLists.txt").read_text("utf-8"))
NOT_IN_DEBIAN_12 = {"libblake3-dev"}
"""Packages that `.ci/run` must not name, since each run would ask for new lists of packages."""


def test_every_line_is_read() -> None:
    """The pattern reads every provider, so that the test below leaves none out."""
    text = (REPOSITORY / "providers/CMakeLists.txt").read_text("utf-8")
    assert len(PROVIDERS) == text.count("\njm_provider(")


@pytest.mark.parametrize(("name", "package"), PROVIDERS)
def test_a_provider_is_named(name: str, package: str) -> None:
    """README.md and `.ci/run` name the package; providers/README.md has a row; sources exist."""
    assert f"`{package}`" in (REPOSITORY / "README.md").read_text("utf-8")
    assert f"\n| `{name}` |" in (REPOSITORY / "providers/README.md").read_text("utf-8")
    installed = re.findall(
        r'^packages="([^"]*)"$', (REPOSITORY / ".ci/run").read_text(), re.MULTILINE
    )
    assert (package in installed[0].split()) != (package in NOT_IN_DEBIAN_12)
    folder = REPOSITORY / "providers"
    assert any((folder / each).exists() for each in (f"{name}.c", f"{name}.cpp", name))
