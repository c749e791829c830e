# SPDX-License-Identifier: Apache-2.0
"""Code of a user who knows nothing of Joulemark, and an empty folder for plugins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joulemark.measure.workers.sources import installed_sources
from joulemark.own_code import checking

OWN = Path(__file__).resolve().parents[2] / "plugins" / "own"
FAST = ("--flags", "-O1")
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiler: str) -> Path:
    """The folder of plugins, empty; one pass of all cases; none of the outside libraries."""
    folder = tmp_path / "kept"
    monkeypatch.setenv("JOULEMARK_PLUGINS", str(folder))
    monkeypatch.setattr(checking, "_CPU_S", 0.0)
    own = [one for one in installed_sources() if one.kind == "builtin"]
    monkeypatch.setattr("joulemark.cli.shared.inventory.installed_sources", lambda: list(own))
    return folder


@pytest.fixture
def mine(tmp_path: Path) -> Callable[..., Path]:
    """`mine(HASH)`: a file with that function over the hash or the MAC of `tests/plugins/own`."""

    def make(text: str, base: str = "sha256", name: str = "mine.c") -> Path:
        path = tmp_path / name
        path.write_text(f'#include "{OWN / base}.c"\n{text}\n', "utf-8")
        return path

    return make


@pytest.fixture
def add(run: Run) -> Run:
    """`add(path, ...)`: adds its function `mine` as SHA-256, unless told otherwise."""

    def call(*words: object, function: str = "mine", algorithm: str = "sha256") -> Any:
        fast = () if "--flags" in words else FAST
        return run("add", *words, "--function", function, "--algorithm", algorithm, *fast)

    return call
