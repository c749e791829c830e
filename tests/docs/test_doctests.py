# SPDX-License-Identifier: Apache-2.0
"""Every example with `>>>`, in docstrings of the package and in pages, gives the shown output."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from page_text import REPOSITORY, prose_pages

PACKAGE = REPOSITORY / "src" / "joulemark"
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)


def shows_examples(path: Path) -> bool:
    """Whether a file has a line that begins with the prompt."""
    return EXAMPLE.search(path.read_text("utf-8")) is not None


def name_of(path: Path) -> str:
    """The name under which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = [name_of(path) for path in sorted(PACKAGE.rglob("*.py")) if shows_examples(path)]
PAGES = [page for page in prose_pages() if shows_examples(REPOSITORY / page)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    """Examples of a module give the shown output after an import of its names alone."""
    found = doctest.testmod(importlib.import_module(name), report=True)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_pages(page: str) -> None:
    """Examples of a page give the shown output, run from top to bottom."""
    found = doctest.testfile(str(REPOSITORY / page), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0


def test_examples_are_found() -> None:
    """The tests above find modules and pages with examples."""
    assert {"joulemark.mac", "joulemark.units", "joulemark.reference"} <= set(MODULES)
    assert "docs/how-to/authenticate-from-python.md" in PAGES
