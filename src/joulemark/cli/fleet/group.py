# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet`: many machines, as workers of a Dask scheduler."""

from __future__ import annotations

from typing import Final

import typer

from joulemark.cli.lazy import Entry, LazyGroup
from joulemark.cli.shared.terminal import examples

__all__ = ["FLEET_COMMANDS", "register"]

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
    "scheduler": Entry(
        f"{_FLEET}.scheduler", "Run a scheduler, on loopback alone unless asked, until Ctrl-C."
    ),
}


class _Fleet(LazyGroup):
    """Commands about many machines."""

    TABLE = FLEET_COMMANDS


def register(app: typer.Typer) -> None:
    """Adds the group."""
    fleet = typer.Typer(
        name="fleet",
        cls=_Fleet,
        rich_markup_mode=None,
        help="Many machines: measure the same on each, as workers of a Dask scheduler.",
        epilog=examples(
            "joulemark fleet scheduler",
            "joulemark fleet worker tcp://127.0.0.1:8786",
            "joulemark fleet workers --scheduler tcp://127.0.0.1:8786",
            "joulemark fleet bench hmac-sha256 --scheduler tcp://127.0.0.1:8786",
        ),
    )
    app.add_typer(fleet)
