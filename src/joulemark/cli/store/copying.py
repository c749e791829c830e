# SPDX-License-Identifier: Apache-2.0
"""`joulemark store copy`: all runs of one store into another."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import checked_address
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.stored import opened
from joulemark.store.merging import copy_store
from joulemark.store.repository import Store
from joulemark.units import format_count


def copy(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FROM", callback=checked_address, help="An SQLite file, or a database's URL."
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO",
            callback=checked_address,
            help="Where the runs go; the store is made if there is none.",
        ),
    ],
) -> None:
    """Copy all runs of one store into another, each once.

    Runs keep their numbers in an empty store and get the next ones in a store with other runs. A
    copy that was stopped goes on when the same command is given again.
    """
    with opened(source) as found, Store.open(target) as made:
        try:
            with ProgressBar(Console(stderr=True), "copying", "runs") as bar:
                added, there = copy_store(found, made, bar.move)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped; every run that was copied is in {made.location}, and the same command "
                "goes on"
            ) from None
        there_text = f", {there} were there already" if there else ""
        typer.echo(
            f"{format_count(added, 'run')} copied from {found.location} to {made.location}"
            f"{there_text}"
        )


COMMAND: Final = Command(
    copy,
    (
        "joulemark store copy joulemark.db postgresql+psycopg://lab@db.example.org/joulemark",
        "joulemark store copy postgresql+psycopg://lab@db.example.org/joulemark copy.db",
    ),
)
