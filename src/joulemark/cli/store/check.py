# SPDX-License-Identifier: Apache-2.0
"""`joulemark store check`: whether a store is whole."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, STORE_OPTION
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.stored import opened
from joulemark.foreign.text import visible
from joulemark.store.reading import damages

EXIT_DAMAGED: Final = 1


def check_store(store: Annotated[str, STORE_OPTION] = DEFAULT_STORE) -> None:
    """Read everything in a store, and say what is damaged.

    Nothing is repaired. Exit code 1: something is damaged, a line each.
    """
    with opened(store) as found:
        with ProgressBar(Console(stderr=True), "reading", "runs") as bar:
            wrong = list(damages(found, bar.move))
        for fault in wrong:
            typer.echo(visible(" ".join(fault.split())))
        if wrong:
            raise typer.Exit(EXIT_DAMAGED)
        typer.echo(f"{found.location} is whole: every run in it can be read")


COMMAND: Final = Command(check_store, ("joulemark store check",))
