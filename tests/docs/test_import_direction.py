# SPDX-License-Identifier: Apache-2.0
"""Imports go one way: from what users touch down to units and errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "joulemark"
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "units": {"errors"},
    "foreign": {"errors", "units"},
    "processes": {"errors"},
    "stats": {"units"},
    "catalogue": {"errors", "units"},
    "reference": {"errors", "units"},
    "mac": {"_core"},
    "meters": {"errors", "units", "foreign", "measure.records"},
    "store": {"errors", "units", "foreign", "measure.mixes", "measure.records",
              "measure.energy.records"},
    "hardware": {"errors", "units", "foreign", "processes", "catalogue", "reference"},
    "measure": {"errors", "units", "foreign", "processes", "catalogue", "reference", "meters",
                "store", "hardware", "_core"},
    "analyse": {"errors", "units", "catalogue", "stats", "store", "measure", "meters"},
    "report": {"errors", "units", "catalogue", "stats", "store", "measure", "analyse", "meters"},
    "studies": {"errors", "units", "catalogue", "stats", "store", "measure", "analyse", "report",
                "meters", "_core"},
    "cli": {"errors", "units", "foreign", "processes", "catalogue", "stats", "store", "measure",
            "analyse", "report", "studies", "reference", "meters", "hardware", "_core"},
}  # fmt: skip
"""Part of the package -> what it may import besides itself, as modules or parts of the package."""


def imports(path: Path) -> Iterator[str]:
    """Our own modules that a file imports, wherever in it, without the package's name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "joulemark":
            found = [f"joulemark.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found = [node.module or ""]
        else:
            continue
        for name in found:
            if name.startswith("joulemark."):
                yield name.removeprefix("joulemark.")


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def permitted(module: str, part: str) -> bool:
    """Whether a file of `part` may import `module`."""
    if module == "__version__" or module.split(".", maxsplit=1)[0] == part:
        return True
    return any(module == one or module.startswith(f"{one}.") for one in ALLOWED[part])


def test_every_part_has_a_rule() -> None:
    """A new folder or module of the package needs a line in ALLOWED."""
    parts = {part_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert parts == ALLOWED.keys()


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_go_down(part: str) -> None:
    """No file of a part imports anything that its rule does not name."""
    against = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if part_of(path) == part
        for module in imports(path)
        if not permitted(module, part)
    ]
    assert not against


def included(path: Path) -> Iterator[str]:
    """File names that a C or C++ file includes, without folders."""
    for line in path.read_text("utf-8").splitlines():
        if found := INCLUDE.match(line):
            yield Path(found[1]).name


@pytest.mark.parametrize("folder", ["kernels", "harness", "providers"])
def test_native_code_goes_down(folder: str) -> None:
    """Nothing below the binding knows Python, and kernels and providers know no harness."""
    root = PACKAGE.parents[1]
    forbidden = {"Python.h", "nanobind.h"}
    if folder != "harness":
        forbidden |= {path.name for path in (root / "harness").rglob("*.h")}
    against = [
        f"{path.relative_to(root)} includes {name}"
        for path in sorted((root / folder).rglob("*.*"))
        if path.suffix in {".c", ".h", ".cpp"}
        for name in included(path)
        if name in forbidden
    ]
    assert not against
