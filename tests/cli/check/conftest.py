# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a small C library in git, which knows nothing of Joulemark."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.own_code import checking

OWN = Path(__file__).resolve().parents[2] / "plugins" / "own"
HEADER = "#include <stddef.h>\n#include <stdint.h>\nvoid fastsip({});\n"
ORDER = "uint8_t *out, const uint8_t *in, size_t length, const uint8_t *key"
CALL = "whole_mac(key, in, length, out);"
WHO = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")


class Library:
    """A repository with `include/fastsip.h` and `src/fastsip.c`, whose first commit is `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, body: str = CALL, order: str = ORDER, *, name: str = "fastsip") -> None:
        """Writes header and source of a function with that body."""
        for below in ("include", "src"):
            (self.folder / below).mkdir(exist_ok=True)
        header = HEADER.format(order).replace("fastsip", name)
        (self.folder / "include/fastsip.h").write_text(header, "utf-8")
        text = (OWN / "siphash.c").read_text("utf-8")
        source = f'#include "fastsip.h"\n{text}\nvoid {name}({order}) {{ {body} }}\n'
        (self.folder / "src/fastsip.c").write_text(source, "utf-8")

    def git(self, *words: str) -> str:
        """The output of git."""
        done = subprocess.run(
            ["git", *WHO, *words], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self) -> None:
        """Commits all files."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "change")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str) -> Library:
    """The library with one commit. Checks of code take one pass."""
    if shutil.which("git") is None:
        pytest.skip("no git; on Debian or Ubuntu: apt-get install git")
    assert compiler
    monkeypatch.setattr(checking, "_CPU_S", 0.0)
    found = Library(tmp_path)
    found.git("init", "--quiet", "--initial-branch", "main")
    found.write()
    found.commit()
    return found


@pytest.fixture
def gate(run: Callable[..., object]) -> Callable[..., object]:
    """`gate("--size", 64)`: checks the function `fastsip` of the library against `main`."""

    def call(*words: object, files: tuple[object, ...] = ("src/fastsip.c",)) -> object:
        named = ("--function", "fastsip", "--algorithm", "siphash-2-4")
        named += () if "--flags" in words else ("-I", "include", "--flags", "-O1")
        quick = ("--size", "64", "--budget", "1")
        return run("check", "--old-rev", "main", *files, *named, *quick, *words)

    return call
