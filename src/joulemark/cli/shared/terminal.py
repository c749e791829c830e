# SPDX-License-Identifier: Apache-2.0
"""What commands print: aligned text for people, JSON for programs.

Text that is not for a terminal is never cut or coloured, so that `grep` finds what is there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import typer

from joulemark.cli.shared.declared import examples

__all__ = ["columns", "examples", "heading", "print_json"]

_GAP = "  "


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def heading(text: str) -> None:
    """A line that stands out on a terminal."""
    typer.secho(text, bold=sys.stdout.isatty() or None)


def columns(rows: Sequence[Sequence[str]], *, indent: int = 2, right: Sequence[int] = ()) -> None:
    """Rows of cells, each column as wide as its widest cell.

    Args:
        rows: cells; all rows equally long.
        indent: spaces before the first column.
        right: columns whose cells stand at the right edge (numbers).
    """
    if not rows:
        return
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        typer.echo((" " * indent + _GAP.join(cells)).rstrip())
