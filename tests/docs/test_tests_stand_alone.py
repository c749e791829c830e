# SPDX-License-Identifier: Apache-2.0
"""No module of tests imports from another: shared code lies in modules without tests.

Modules of tests and of test benches stand in folders that Python searches before its own library.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
MODULES = sorted(TESTS.rglob("test_*.py"))
NEWER = {"annotationlib", "compression"}
"""Modules that Python's library has from 3.14 on, which an older Python does not list."""


def imported(source: str) -> set[str]:
    """Names of all modules that a source imports, in functions too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_no_test_imports_another() -> None:
    """No test imports another, so that a module can be moved or removed alone."""
    names = {path.stem for path in MODULES}
    wrong = {
        str(path.relative_to(TESTS)): shared
        for path in MODULES
        if (shared := imported(path.read_text("utf-8")) & names)
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "source", ["from test_void import window", "def f():\n    import test_void as here"]
)
def test_such_an_import_is_seen(source: str) -> None:
    """Imports at the top and in a function are seen."""
    assert imported(source) == {"test_void"}


def test_no_module_hides_one_of_python() -> None:
    """A child of a test finds Python's own module, whatever folders the test searches first."""
    benches = (TESTS.parent / "hdl").glob("*/tb/*.py")
    names = {path.stem for path in [*TESTS.rglob("*.py"), *benches]}
    assert names & (sys.stdlib_module_names | NEWER) == set()


def test_each_room_has_its_tests() -> None:
    """Each folder of the source has tests, or tests/README.md says how it is tested."""
    rooms = {
        path.parent.name for path in (TESTS.parent / "src" / "joulemark").glob("*/__init__.py")
    }
    missing = {room for room in rooms if not list((TESTS / room).rglob("test_*.py"))}
    readme = (TESTS / "README.md").read_text("utf-8")
    assert {room for room in missing if f"`src/joulemark/{room}`" not in readme} == set()
