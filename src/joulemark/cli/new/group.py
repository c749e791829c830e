# SPDX-License-Identifier: Apache-2.0
"""`joulemark new`: beginnings of code of your own."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.shared.terminal import examples

__all__ = ["NEW_COMMANDS", "register"]

NEW_COMMANDS: Final = {
    "plugin": Entry(
        "joulemark.cli.new.plugin",
        "Print a plugin in C for an algorithm, which compiles and can be measured at once.",
    ),
}


class _New(LazyGroup):
    """Commands that print a beginning."""

    TABLE = NEW_COMMANDS


def register(app: typer.Typer) -> None:
    """Adds the group."""
    new = typer.Typer(
        name="new",
        cls=_New,
        rich_markup_mode=None,
        help="Print the beginning of code of your own.",
        epilog=examples(
            "joulemark new plugin sha256 > mine.c", "joulemark new plugin hmac-sha256 > mine.c"
        ),
        no_args_is_help=True,
    )
    app.add_typer(new)
