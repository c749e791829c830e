# SPDX-License-Identifier: Apache-2.0
"""What commands print, and the files that their options name.

Text that is not for a terminal is never cut or coloured, so that `grep` finds what is there.
Files are looked at before work begins.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, TextIO

import typer

from joulemark.errors import UsageError
from joulemark.foreign import ForeignError, folded_text, screen_size
from joulemark.foreign.vector_files import read_vectors
from joulemark.foreign.vectors import VectorFile
from joulemark.report import Table
from joulemark.report.draw import RULE, StyledLine, aligned, line_width
from joulemark.user_folders import is_database

_INDENT: Final = 2
"""Spaces before the first column of a table."""


def print_json(value: Any) -> None:
    """Prints one JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def say_on_terminal(text: str) -> None:
    """Prints what is being done, on a terminal alone."""
    if sys.stderr.isatty():
        print_text(f"  {text}", err=True)


def heading(text: str) -> None:
    """Prints a line that stands out on a terminal."""
    room = terminal_width()
    shown = text if room is None else "\n  ".join(folded_text(text, room - 2))
    typer.secho(shown, bold=sys.stdout.isatty() or None)


def terminal_width(output: TextIO | None = None) -> int | None:
    """Signs in a line of the terminal; None if the output goes elsewhere, which is never cut."""
    if output in (None, sys.stdout):
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return screen_size().columns if output.isatty() else None


def print_lines(lines: Iterable[StyledLine]) -> None:
    """Prints lines with their styles, in signs that the output has, others by their codes."""
    encoding = sys.stdout.encoding
    dash = RULE if RULE.encode(encoding, "ignore") else "-"
    dumb = not sys.stdout.isatty() or os.environ.get("TERM") in {"dumb", "unknown"}
    coloured = not os.environ.get("NO_COLOR")
    for line in lines:
        shown = [
            text if dumb or not style else typer.style(text, **_look(style, coloured=coloured))
            for text, style in line
        ]
        whole = "".join(shown).replace(RULE, dash)
        typer.echo(whole.encode(encoding, "backslashreplace").decode(encoding))


def _look(style: str, *, coloured: bool) -> dict[str, Any]:
    if style in {"bold", "italic"}:
        return {style: True}
    return {"fg": style} if coloured else {}


def columns(
    rows: Sequence[Sequence[str]],
    *,
    indent: int = _INDENT,
    right: Sequence[int] = (),
    prose: Sequence[int] = (),
) -> None:
    """Prints rows of cells, each column as wide as its widest cell.

    Args:
        rows: cells; all rows equally long.
        indent: spaces before the first column.
        right: columns whose cells stand at the right edge (numbers).
        prose: columns of words. On a terminal that is too narrow their cells are folded between
            words: those of the first column named here as far as they must be, then the next.
    """
    for lines in aligned(rows, terminal_width(), indent=indent, right=right, prose=prose):
        for line in lines:
            typer.echo(line)


def print_table(
    table: Table, *, right: Sequence[int] | None = None, prose: Sequence[int] = ()
) -> None:
    """Prints headings and rows, without title and notes; `right` and `prose` are as of `columns`.

    The texts of the cells must say all: figures in parts have no place here. Columns of figures
    stand at the right edge unless `right` says otherwise. Where a terminal is too narrow, columns
    with one text in all rows are said once, above, and headings are folded between words.
    """
    headings = [heading.text for heading in table.headings]
    if right is None:
        right = [place for place, heading in enumerate(table.headings) if heading.number]
    rows = [headings, *table.texts()]
    kept = _kept_columns(rows)
    left_out = (place for place in range(len(headings)) if place not in kept)
    once = [f"{headings[place]} {rows[1][place]}" for place in left_out]
    if once:
        sentences([f"All rows: {', '.join(once)}."], indent=2)
    shown = [[row[place] for place in kept] for row in rows]
    columns(
        [*_folded_headings(shown), *shown[1:]],
        right=[number for number, place in enumerate(kept) if place in right],
        prose=[kept.index(place) for place in prose if place in kept],
    )


def _is_too_wide(rows: Sequence[Sequence[str]]) -> bool:
    room, widths = terminal_width(), [max(map(len, column)) for column in zip(*rows, strict=True)]
    return room is not None and line_width(widths, indent=_INDENT) > room


def _folded_headings(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The lines of the first row, whose cells are as narrow as those below where that is needed."""
    if not _is_too_wide(rows):
        return [rows[0]]
    folded = [
        folded_text(cells[0], max(map(len, (*cells[1:], *cells[0].split()))))
        for cells in zip(*rows, strict=True)
    ]
    return [*zip_longest(*folded, fillvalue="")]


def _kept_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns of a table that need not be left out for the terminal's width."""
    kept = list(range(len(rows[0])))
    same = [place for place in kept[1:] if len({row[place] for row in rows[1:]}) == 1]
    while len(rows) > 2 and same and _is_too_wide([[row[place] for place in kept] for row in rows]):
        kept.remove(same.pop())
    return kept


def sentences(lines: Iterable[str], *, indent: int = 0) -> None:
    """Prints each sentence as `print_text` does, behind so many spaces."""
    for line in lines:
        print_text(" " * indent + line)


def print_text(text: str, *, err: bool = False) -> None:
    """Prints words. A line wider than the terminal is folded between words, behind its indent."""
    room = terminal_width(sys.stderr if err else sys.stdout)
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" -"))
        folded = [line] if room is None else folded_text(line, room, rest=" " * indent)
        typer.echo("\n".join(folded), err=err)


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names with commas; of more than `most`, the first ones and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


# Files that options name: pages, JSON, test vectors.


def require_writable(path: Path) -> None:
    """Refuses a file that could not be written."""
    folder = path.parent if str(path.parent) else Path()
    if not folder.is_dir():
        raise UsageError(f"--report {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"--report {path}: the folder {folder} cannot be written to; name another place"
        )
    if path.is_dir():
        raise UsageError(f"--report {path}: this is a folder; name a file in it")


_OUTPUT: Final = Path("-")

JSON_FILE_OPTION: Final[Any] = typer.Option(
    "--json", metavar="FILE", help="Write JSON to this file too; - prints it instead of the table."
)


def require_writable_json(path: Path | None) -> None:
    """Refuses a file that could not be written, before any work is done."""
    if path is None or on_output(path):
        return
    if path.is_dir():
        raise UsageError(f"--json {path} is a folder; name a file in it")
    place = path if path.exists() else path.parent
    if not place.exists():
        raise UsageError(f"--json {path}: there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise UsageError(f"--json {path} cannot be written (Permission denied)")


def on_output(path: Path | None) -> bool:
    """Whether JSON goes to standard output, in place of the table."""
    return path == _OUTPUT


def write_json(path: Path | None, value: Any) -> None:
    """Writes or prints a document."""
    if path is None:
        return
    if on_output(path):
        print_json(value)
        return
    if is_database(path):
        raise UsageError(f"--json {path} holds a store of runs and is not replaced")
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        path.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise UsageError(f"--json {path} cannot be written ({error.strerror})") from error


def usable_vectors(path: Path, use: str) -> VectorFile:
    """Reads the vectors of a file; `use` says how one is used, as "that can be computed"."""
    try:
        file = read_vectors(path)
    except ForeignError as error:
        raise UsageError(f"--vectors {path}: {error}") from None
    if not file.vectors:
        reasons = "; ".join(file.passed_over) or "it has none"
        raise UsageError(f"--vectors {path} has no vector {use}: {reasons}")
    return file
