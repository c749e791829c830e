# SPDX-License-Identifier: Apache-2.0
"""The page of claims of constant time is what the kernels say, and no claim of ours is missing."""

from __future__ import annotations

import importlib.util
import platform
from pathlib import Path
from types import ModuleType

import pytest

from joulemark import _core

NOT_CONSTANT = {"aes", "twofish", "whirlpool"}
"""Primitives with table look-ups; of AES the variants for small registers alone."""


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    """The program that writes the page."""
    path = repository / "tools" / "list_constant_time.py"
    spec = importlib.util.spec_from_file_location("list_constant_time", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the page lists kernels of x86-64")
def test_the_page_is_what_the_kernels_say(tool: ModuleType) -> None:
    """A new kernel, or another claim, needs the page written again."""
    assert tool.PAGE.read_text("utf-8") == tool.render(), "run tools/list_constant_time.py"


def test_every_kernel_of_ours_says_yes_or_no() -> None:
    """None leaves open whether its time depends on secrets; those that say no have tables."""
    for implementation in _core.builtin_plugin().implementations():
        name = f"{implementation.algorithm}/{implementation.variant}"
        assert implementation.constant_time is not None, name
        if implementation.constant_time is False:
            assert any(primitive in implementation.algorithm for primitive in NOT_CONSTANT), name
            assert "aes" not in implementation.algorithm or implementation.variant.startswith(
                "mcu8"
            ), name
