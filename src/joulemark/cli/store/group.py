# SPDX-License-Identifier: Apache-2.0
"""`joulemark store`: stores as a whole."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.shared.terminal import examples

__all__ = ["STORE_COMMANDS", "register"]

_STORE: Final = "joulemark.cli.store"
STORE_COMMANDS: Final = {
    "copy": Entry(f"{_STORE}.copying", "Copy all runs of one store into another, each once."),
    "check": Entry(f"{_STORE}.check", "Read everything in a store, and say what is damaged."),
    "size": Entry(f"{_STORE}.size", "Say how much a store holds, and how large it is."),
    "prune": Entry(
        f"{_STORE}.prune", "List the runs that newer ones replace, and with --delete delete them."
    ),
}


class _Store(LazyGroup):
    """Commands about stores."""

    TABLE = STORE_COMMANDS


def register(app: typer.Typer) -> None:
    """Adds the group."""
    stores = typer.Typer(
        name="store",
        cls=_Store,
        rich_markup_mode=None,
        help="Look after stores: copy, check, measure and thin out.",
        epilog=examples(
            "joulemark store size",
            "joulemark store copy joulemark.db postgresql+psycopg://lab@db.example.org/joulemark",
            "joulemark store prune --keep 20",
        ),
    )
    app.add_typer(stores)
