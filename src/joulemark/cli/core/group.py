# SPDX-License-Identifier: Apache-2.0
"""`joulemark core`: hardware cores, ours and anybody's: run them, test them, weigh them."""

from __future__ import annotations

from typing import Final

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.table import Entry

_CORE: Final = "joulemark.cli.core"
CORE_COMMANDS: Final = {
    "list": Entry(
        f"{_CORE}.listing",
        "List the cores that come with Joulemark and their named configurations.",
    ),
    "test": Entry(
        f"{_CORE}.test",
        "Lint a core, run its own tests, and hold its results and clocks to what it promises.",
    ),
    "run": Entry(
        f"{_CORE}.run",
        "Run a message, or a file of anybody's test vectors, through the simulated RTL of a core.",
    ),
    "report": Entry(
        f"{_CORE}.report",
        "Say what a core occupies, how fast it can be clocked, and what a block costs in energy.",
    ),
    "compare": Entry(
        f"{_CORE}.compare",
        "Set cores, configurations and targets side by side, with ratios to the first.",
    ),
    "sweep": Entry(
        f"{_CORE}.sweep", "Make a report for every combination of parameter values, on all CPUs."
    ),
}
COMMAND: Final = CommandGroup(
    CORE_COMMANDS,
    (
        "joulemark core list",
        "joulemark core report siphash",
        "joulemark core compare siphash:small siphash:fast",
    ),
)
