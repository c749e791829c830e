# SPDX-License-Identifier: Apache-2.0
"""`docs/reference/cli.md`, made from the help texts: `python -m joulemark.cli.reference FILE`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from joulemark.cli.app import app

WIDTH = 96
"""Columns of the help texts in the document, whatever the terminal."""

_HEAD = """\
# Command line

<!-- Made by: python -m joulemark.cli.reference docs/reference/cli.md - do not edit. -->

The same texts as `joulemark --help` and `joulemark COMMAND --help`. Exit codes of every command
that does not list its own: 0 done, 1 the answer is no, 2 refused with one sentence on standard
error, 70 a fault of Joulemark, 130 interrupted.
"""


def reference_text(width: int = WIDTH) -> str:
    """The whole document, with help texts of so many columns."""
    command = typer.main.get_command(app)
    with command.make_context("joulemark", [], resilient_parsing=True) as context:
        parts = [_HEAD, *_sections("joulemark", command, context, width)]
    return "\n".join(parts)


def _sections(title: str, command: Any, context: Any, width: int) -> Iterator[str]:
    """The command's own section, then those of its subcommands."""
    context.terminal_width = width
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield f"## {title}\n\n```text\n{text}\n```\n"
    for name, sub in getattr(command, "commands", {}).items():
        with sub.make_context(name, [], parent=context, resilient_parsing=True) as inner:
            yield from _sections(f"{title} {name}", sub, inner, width)


def main() -> None:
    """Writes the document to the file named on the command line, whose name ends in `.md`."""
    if len(sys.argv) != 2 or not sys.argv[1].endswith(".md"):
        sys.exit("usage: python -m joulemark.cli.reference FILE.md")
    Path(sys.argv[1]).write_text(reference_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
