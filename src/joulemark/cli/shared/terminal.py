# SPDX-License-Identifier: Apache-2.0
"""What commands print: aligned text for people, JSON for programs.

Text that is not for a terminal is never cut or coloured, so that `grep` finds what is there.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import typer

_GAP = "  "
_NARROWEST_PROSE = 10
"""Signs. Where the other columns leave less room, lines are longer than the terminal."""


def print_json(value: Any) -> None:
    """Prints one JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def heading(text: str) -> None:
    """Prints a line that stands out on a terminal."""
    room = terminal_width()
    shown = text if room is None else "\n  ".join(_folded(text, room - 2))
    typer.secho(shown, bold=sys.stdout.isatty() or None)


def terminal_width() -> int | None:
    """Signs in a line of the terminal; None if the output goes elsewhere, which is never cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


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
    if not rows:
        return
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    room = terminal_width()
    if room is not None:
        for place in prose:
            excess = indent + sum(widths) + len(_GAP) * (len(widths) - 1) - room
            longest = max((len(word) for row in rows for word in row[place].split()), default=0)
            least = min(widths[place], max(longest, _NARROWEST_PROSE))
            widths[place] = max(widths[place] - max(excess, 0), least)
    for row in rows:
        folded = [
            _folded(cell, width) if place in prose else [cell]
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for line in zip_longest(*folded, fillvalue=""):
            cells = [
                cell.rjust(width) if place in right else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            typer.echo((" " * indent + _GAP.join(cells)).rstrip())


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


def _folded(sentence: str, width: int) -> list[str]:
    if len(sentence) <= width:
        return [sentence]
    return textwrap.wrap(sentence, width, break_long_words=False, break_on_hyphens=False)
