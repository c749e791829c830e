# SPDX-License-Identifier: Apache-2.0
"""`joulemark store`: stores as a whole."""

from __future__ import annotations

from typing import Final

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.table import Entry

_STORE: Final = "joulemark.cli.store"
STORE_COMMANDS: Final = {
    "copy": Entry(f"{_STORE}.copying", "Copy all runs of one store into another, each once."),
    "check": Entry(f"{_STORE}.check", "Read everything in a store, and say what is damaged."),
    "size": Entry(f"{_STORE}.size", "Say how much a store holds, and how large it is."),
    "prune": Entry(
        f"{_STORE}.prune", "List the runs that newer ones replace, and with --delete delete them."
    ),
}
COMMAND: Final = CommandGroup(
    STORE_COMMANDS,
    (
        "joulemark store size",
        "joulemark store copy joulemark.db postgresql+psycopg://lab@db.example.org/joulemark",
        "joulemark store prune --keep 20",
    ),
)
