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
"""To name them would make every run of `.ci/run` ask for new lists of packages."""


def test_every_line_is_read() -> None:
    """So that none of the tests below passes over a provider."""
    text = (REPOSITORY / "providers/CMakeLists.txt").read_text("utf-8")
    assert len(PROVIDERS) == text.count("\njm_provider(")


@pytest.mark.parametrize(("name", "package"), PROVIDERS)
def test_a_provider_is_named(name: str, package: str) -> None:
    """Its package in README.md and `.ci/run`, its row in providers/README.md, its sources."""
    assert f"`{package}`" in (REPOSITORY / "README.md").read_text("utf-8")
    assert f"\n| `{name}` |" in (REPOSITORY / "providers/README.md").read_text("utf-8")
    installed = re.findall(
        r'^packages="([^"]*)"$', (REPOSITORY / ".ci/run").read_text(), re.MULTILINE
    )
    assert (package in installed[0].split()) != (package in NOT_IN_DEBIAN_12)
    folder = REPOSITORY / "providers"
    assert any((folder / each).exists() for each in (f"{name}.c", f"{name}.cpp", name))
