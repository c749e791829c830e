# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet`: many machines, as workers of a Dask scheduler."""

from __future__ import annotations

from typing import Final

from joulemark.cli.command_group import CommandGroup
from joulemark.cli.table import Entry

_FLEET: Final = "joulemark.cli.fleet"
FLEET_COMMANDS: Final = {
    "bench": Entry(
        f"{_FLEET}.bench",
        "Measure the same study on every machine of a scheduler, all runs into one store.",
    ),
    "workers": Entry(
        f"{_FLEET}.workers", "List a scheduler's workers: machine, build, and who may take part."
    ),
    "worker": Entry(f"{_FLEET}.worker", "Offer this machine to a scheduler, until Ctrl-C."),
    "keys": Entry(f"{_FLEET}.keys", "Make the file of keys by which members know one another."),
    "scheduler": Entry(
        f"{_FLEET}.scheduler", "Run a scheduler, on loopback alone unless asked, until Ctrl-C."
    ),
}
COMMAND: Final = CommandGroup(
    FLEET_COMMANDS,
    (
        "joulemark fleet keys fleet.pem",
        "joulemark fleet scheduler --fleet-keys fleet.pem",
        "joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet bench hmac-sha256 --scheduler tls://127.0.0.1:8786 --fleet-keys fleet.pem",
    ),
)
