# SPDX-License-Identifier: Apache-2.0
"""A variable is named after the thing that it holds: `one` stands only beside `other`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from page_text import REPOSITORY

FILES = sorted(
    path for room in ("src", "tools", "tests", "hdl") for path in (REPOSITORY / room).rglob("*.py")
)
PARTNERS = {"other", "several", "two"}
"""Names of variables beside which `one` says which of the pair it is."""
C_PARTNERS = PARTNERS | {"four", "zero"}
"""As `PARTNERS`; in C also the other numbers of a product."""
C_WORDS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
"""Comments and literals of C, in which words are no names."""
C_FILES = sorted(
    path
    for room in ("bindings", "firmware", "harness", "kernels", "providers", "tests", "tools")
    for kind in ("*.c", "*.h", "*.cpp")
    for path in (REPOSITORY / room).rglob(kind)
)
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


def c_units_without_partner(source: str) -> list[str]:
    """First lines of the functions and declarations of C that have a name `one` and no partner."""
    code = C_WORDS.sub(" ", source)
    return [
        unit.strip().partition("\n")[0]
        for unit in re.split(r"(?<=\n)(?=\}|\w)", code)
        if (names := set(re.findall(r"[A-Za-z_]\w*", unit))) >= {"one"} and not names & C_PARTNERS
    ]


def test_variables_of_c_say_what_they_hold() -> None:
    """No file of C has a name `one` without a partner; comments may have the word."""
    wrong = {
        str(path.relative_to(REPOSITORY)): units
        for path in C_FILES
        if (units := c_units_without_partner(path.read_text("utf-8")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("source", "units"),
    [
        ("int f(int one) {\n    return one;\n}\n", ["int f(int one) {"]),
        ("int f(int one, int other) {\n    return one + other;\n}\n", []),
        ("/* one */\nint f(int x) {\n    return x; // one\n}\n", []),
        ("int other;\nint one;\n", ["int one;"]),
    ],
)
def test_a_unit_of_c_needs_a_partner(source: str, units: list[str]) -> None:
    """The rule sees one function or declaration at a time."""
    assert c_units_without_partner(source) == units
