# SPDX-License-Identifier: Apache-2.0
"""The known answers of kernels/mac are what the readable references compute, for every kernel."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    """`tools/known_answers.py` as a module."""
    path = repository / "tools" / "known_answers.py"
    spec = importlib.util.spec_from_file_location("known_answers_tool", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_answers_are_those_of_the_references(tool: ModuleType) -> None:
    """Every algorithm of ours has an answer, the references' own; it takes two seconds."""
    rows = re.findall(r'\{"([\w-]+)", UINT64_C\(0x([0-9a-f]{16})\)\}', tool.TABLE.read_text())
    kept = {algorithm: int(answer, 16) for algorithm, answer in rows}
    assert kept == {
        algorithm: tool.known_answer(algorithm, key_bytes)
        for algorithm, key_bytes in tool.key_bytes_of().items()
    }
