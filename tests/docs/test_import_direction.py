# SPDX-License-Identifier: Apache-2.0
"""Imports go one way: from what users touch down to units and errors, without a circle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tool_scripts import tool

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "joulemark"
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')


@pytest.fixture(scope="module")
def rooms() -> ModuleType:
    """The tool that reads the imports."""
    return tool("draw_architecture")


def test_every_room_has_a_floor(rooms: ModuleType) -> None:
    """FLOORS has a place for each folder and module of the package."""
    placed = [room for floor in rooms.FLOORS for room in floor]
    assert sorted(placed) == sorted(rooms.room_graph())


def test_imports_go_down(rooms: ModuleType) -> None:
    """No room imports from its own floor or a higher one."""
    floor_of = {room: number for number, floor in enumerate(rooms.FLOORS) for room in floor}
    upward = [
        f"{room} imports {need}"
        for room, needs in rooms.room_graph().items()
        for need in needs
        if floor_of[need] <= floor_of[room]
    ]
    assert upward == []


def test_no_circle_of_folders(rooms: ModuleType) -> None:
    """No folder, however deep, imports itself through others."""
    assert rooms.cycles(rooms.folder_graph()) == []


def test_a_circle_is_seen(rooms: ModuleType) -> None:
    """The finder of circles finds a circle among other imports."""
    graph = {"top": {"a"}, "a": {"b"}, "b": {"c"}, "c": {"a", "ground"}, "ground": set()}
    assert rooms.cycles(graph) == [["b", "c", "a"]]
    assert rooms.cycles({**graph, "c": {"ground"}}) == []


def test_statistics_know_nothing_of_ours(rooms: ModuleType) -> None:
    """The room `stats` imports `units` alone, so that it can be checked and taken alone."""
    assert rooms.room_graph()["stats"] <= {"units"}


def test_no_relative_import(rooms: ModuleType) -> None:
    """No module has a relative import, since the tool reads absolute imports."""
    relative = re.compile(r"^\s*from \.", re.MULTILINE)
    assert [path for path in rooms.modules().values() if relative.search(path.read_text())] == []


def test_the_drawing_is_of_this_source(rooms: ModuleType) -> None:
    """docs/architecture.md is what tools/draw_architecture.py would write now."""
    assert rooms.PAGE.read_text("utf-8") == rooms.page()


def included(path: Path) -> Iterator[str]:
    """File names that a C or C++ file includes, without folders."""
    for line in path.read_text("utf-8").splitlines():
        if found := INCLUDE.match(line):
            yield Path(found[1]).name


@pytest.mark.parametrize("folder", ["kernels", "harness", "providers"])
def test_native_code_goes_down(folder: str) -> None:
    """No native code below the binding knows Python; kernels and providers know no harness."""
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
