# SPDX-License-Identifier: Apache-2.0
"""`joulemark providers`: the outside libraries that can be measured, and plugins for them."""

from __future__ import annotations

from typing import Final

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.providers.listing import list_providers
from joulemark.cli.table import Entry

PROVIDER_COMMANDS: Final = {
    "list": Entry(
        "joulemark.cli.providers.listing",
        "List the outside libraries that have a plugin, and why the others have none.",
    ),
    "build": Entry(
        "joulemark.cli.providers.build",
        "Compile a plugin for every outside library that is on this machine.",
    ),
}
COMMAND: Final = CommandGroup(
    PROVIDER_COMMANDS, ("joulemark providers", "joulemark providers build"), alone=list_providers
)
