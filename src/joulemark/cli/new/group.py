# SPDX-License-Identifier: Apache-2.0
"""`joulemark new`: beginnings of code of your own."""

from __future__ import annotations

from typing import Final

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.table import Entry

NEW_COMMANDS: Final = {
    "plugin": Entry(
        "joulemark.cli.new.plugin",
        "Print a plugin in C for an algorithm, which compiles and can be measured at once.",
    )
}
COMMAND: Final = CommandGroup(
    NEW_COMMANDS,
    ("joulemark new plugin sha256 > mine.c", "joulemark new plugin hmac-sha256 > mine.c"),
    help_alone=True,
)
