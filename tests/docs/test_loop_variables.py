# SPDX-License-Identifier: Apache-2.0
"""A variable is named after the thing that it holds: `one` stands only beside `other`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from page_text import REPOSITORY

FILES = sorted(
    path for room in ("src", "tools", "tests", "hdl") for path in (REPOSITORY / room).rglob("*.py")
)
PARTNERS = {"other", "several", "two"}
"""Names of variables beside which `one` says which of the pair it is."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def bound_names(node: ast.AST) -> Iterator[str]:
    """Names that a part of a program, inner parts included, gives to values."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg


def lines_without_partner(source: str) -> list[int]:
    """Lines that name a value `one` outside a function with a partner of that name."""
    tree = ast.parse(source)
    named = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "one")
        or (isinstance(node, ast.arg) and node.arg == "one")
    ]
    if not named:
        return []
    paired = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and PARTNERS & set(bound_names(node))
        for part in ast.walk(node)
    }
    return [node.lineno for node in named if id(node) not in paired]


def test_variables_say_what_they_hold() -> None:
    """No file of the source has a variable `one` without a partner."""
    wrong = {
        str(path.relative_to(REPOSITORY)): lines
        for path in FILES
        if (lines := lines_without_partner(path.read_text("utf-8")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("names = [one.name for one in trials]", [1]),
        ("def f(trials):\n    for one in trials:\n        print(one)", [2]),
        ("key = lambda one: one.name", [1]),
        ("def nearer(one, other): return one < other", []),
        ("def f(runs):\n    one, other = runs\n    return one == other", []),
    ],
)
def test_a_name_without_partner_is_seen(source: str, lines: list[int]) -> None:
    """`one` alone is seen in a comprehension, a loop and a function; pairs may have it."""
    assert lines_without_partner(source) == lines
