# SPDX-License-Identifier: Apache-2.0
"""What commands print: aligned text for people, JSON for programs.

Text that is not for a terminal is never cut or coloured, so that `grep` finds what is there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import typer

from joulemark.report.draw import RULE, StyledLine, aligned, folded_text
from joulemark.report.sheet import Table


def print_json(value: Any) -> None:
    """Prints one JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def heading(text: str) -> None:
    """Prints a line that stands out on a terminal."""
    room = terminal_width()
    shown = text if room is None else "\n  ".join(folded_text(text, room - 2))
    typer.secho(shown, bold=sys.stdout.isatty() or None)


def terminal_width() -> int | None:
    """Signs in a line of the terminal; None if the output goes elsewhere, which is never cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def screen_size() -> os.terminal_size:
    """Signs and lines of the terminal that any standard stream has; 80 by 25 without one."""
    found = os.terminal_size((80, 25))
    for stream in range(3):
        with suppress(OSError):
            found = os.get_terminal_size(stream)
            break
    sides = zip(("COLUMNS", "LINES"), found, strict=True)
    asked = [(os.environ.get(name, ""), side) for name, side in sides]
    return os.terminal_size([int(text) if text.isdigit() else side for text, side in asked])


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
    indent: int = 2,
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
    """Prints headings and rows; its title and notes are left to the caller.

    Args:
        table: without figures in parts, so that the texts of its cells say all.
        right: as of `columns`; None: the columns of figures.
        prose: as of `columns`.
    """
    headings = [heading.text for heading in table.headings]
    if right is None:
        right = [place for place, heading in enumerate(table.headings) if heading.number]
    columns([headings, *table.texts()], right=right, prose=prose)


def sentences(lines: Iterable[str], *, indent: int = 0) -> None:
    """Prints each sentence in lines of the terminal's width."""
    for line in lines:
        columns([(line,)], indent=indent, prose=(0,))


def paragraph(text: str, width: int, first: str = "", rest: str = "") -> None:
    """Prints text in lines of at most `width` signs.

    Args:
        text: words that are not broken.
        width: of a line, with what stands before it.
        first: stands before the first line.
        rest: stands before all others.
    """
    typer.echo(
        textwrap.fill(
            text,
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names with commas; of more than `most`, the first ones and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
