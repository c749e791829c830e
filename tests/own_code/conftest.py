# SPDX-License-Identifier: Apache-2.0
"""Fixtures: code of users who know nothing of Joulemark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.own_code import Code, source_files
from joulemark.own_code.building import Compiler, find_compiler
from joulemark.processes.tool import Limits

OWN = Path(__file__).resolve().parents[1] / "plugins" / "own"


@pytest.fixture(scope="session")
def gcc(compiler: str) -> Compiler:
    """The C compiler of this machine."""
    return find_compiler(compiler, Limits())


@pytest.fixture
def code_of(tmp_path: Path) -> Callable[..., Code]:
    """`code_of("void mine(...) {...}")`: a file with that text, and the function `mine`."""

    def made(text: str, function: str = "mine") -> Code:
        path = tmp_path / "mine.c"
        path.write_text(text, "utf-8")
        return Code(source_files([str(path)]), (OWN,), function)

    return made
