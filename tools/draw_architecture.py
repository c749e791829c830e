# SPDX-License-Identifier: Apache-2.0
"""Draws the rooms of the package and the imports of their source into docs/architecture.md.

python tools/draw_architecture.py            rewrites the drawing between its two marks
python tools/draw_architecture.py --check    ends with 1 if the drawing does not match this source
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "joulemark"
PAGE = REPOSITORY / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn by tools/draw_architecture.py -->\n", "<!-- end of the drawing -->\n"

FLOORS: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("studies", "explorer", "fleet"),
    ("report", "doctor", "own_code"),
    ("measure", "analyse", "budget"),
    ("firmware",),
    ("hardware", "meters", "store", "mac_files", "provider_builds"),
    ("judging", "stats", "catalogue", "reference", "environment", "processes", "mac"),
    ("foreign",),
    ("records",),
    ("units", "user_folders"),
    ("errors",),
)
"""Rooms from the top of the house to its ground: a room imports from lower floors alone."""

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """Dotted name of every module of ours, without the package's name -> its file."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Our modules, or names in them, that a file imports, without the package's name."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name.removeprefix("joulemark.") for name in found if "joulemark." in name)


def room_of(module: str) -> str:
    """The folder or module at the top of the package that a module lies in."""
    return module.split(".", maxsplit=1)[0]


def folder_graph() -> Graph:
    """Folder -> the other folders that its files import, without the package's top folder."""
    known = modules()
    graph: Graph = {}
    for path in known.values():
        folder = _folder(path)
        if folder:
            found = {
                _folder(known[module])
                for target in imported(path)
                for module in (target, target.rpartition(".")[0])
                if module in known
            }
            graph.setdefault(folder, set()).update(found - {"", folder})
    return graph


def room_graph() -> Graph:
    """Room -> the other rooms that it imports."""
    graph: Graph = {room_of(name): set() for name in modules() if name != "__init__"}
    for name, path in modules().items():
        if name != "__init__":
            graph[room_of(name)] |= {
                room_of(target) for target in imported(path) if room_of(target) in graph
            } - {room_of(name)}
    return graph


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Cycles of imports: for each folder that reaches itself one cycle, every cycle once."""
    found: dict[frozenset[str], list[str]] = {}
    for start in sorted(graph):
        path = _way_back(graph, start)
        if path:
            found.setdefault(frozenset(path), path)
    return list(found.values())


def drawing() -> str:
    """The table of rooms by floor with their purposes, and the chart of their imports."""
    graph = room_graph()
    direct = {room: needs - _through(graph, needs) for room, needs in graph.items()}
    lines = ["| floor | room | purpose |", "|---|---|---|"]
    for number, floor in enumerate(reversed(FLOORS)):
        lines += [f"| {number} | `{room}` | {_purpose(room)} |" for room in floor]
    lines += ["", "An arrow is an import; one that follows from others is left out.", ""]
    lines += ["```mermaid", "flowchart TD"]
    for floor in FLOORS:
        for room in floor:
            lines += [f"    {room} --> {need}" for need in sorted(direct[room])]
    return "\n".join([*lines, "```"]) + "\n"


def page() -> str:
    """The whole page with a new drawing."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return f"{before}{BEGIN}{drawing()}{END}{rest.partition(END)[2]}"


def _folder(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).parent.parts)


def _way_back(graph: Mapping[str, set[str]], start: str) -> list[str]:
    """A shortest way from a folder to itself; empty without one."""
    ways = [[need] for need in sorted(graph[start])]
    seen: set[str] = set()
    for way in ways:
        if way[-1] == start:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways.extend([*way, need] for need in sorted(graph.get(way[-1], ())))
    return []


def _through(graph: Graph, needs: set[str]) -> set[str]:
    """Rooms that are imported, directly or not, by any of these rooms."""
    reached: set[str] = set()
    waiting = [far for need in needs for far in graph[need]]
    while waiting:
        room = waiting.pop()
        if room not in reached:
            reached.add(room)
            waiting.extend(graph[room])
    return reached


def _purpose(room: str) -> str:
    """First sentence of the room's docstring."""
    path = PACKAGE / room / "__init__.py"
    source = path if path.is_file() else path.parent.with_suffix(".py")
    text = ast.get_docstring(ast.parse(source.read_text("utf-8")))
    first = " ".join((text or "").split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".") + "."


def main() -> int:
    """Rewrites or checks the page."""
    wanted = page()
    if "--check" in sys.argv[1:]:
        return int(wanted != PAGE.read_text("utf-8"))
    PAGE.write_text(wanted, "utf-8")
    print(f"{PAGE.relative_to(REPOSITORY)} written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
