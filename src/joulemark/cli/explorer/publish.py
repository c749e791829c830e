# SPDX-License-Identifier: Apache-2.0
"""`joulemark publish`: the whole store as files for any web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, STORE_OPTION
from joulemark.explorer.publish import publish as write_all


def publish(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Where the files go: a new folder, an empty one, or one that was published to.",
        ),
    ],
    *,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """Write the views of the explorer as files for any web server.

    An index, a page for each machine, run, algorithm, history and comparison, the data of each page
    beside it as CSV and JSON, and a feed of changes. Links are relative, so that the files open
    from a disk too. A second call writes what has changed, and removes pages of runs that are gone.
    """
    found = write_all(store, folder, lambda sentence: typer.echo(sentence, err=True))
    typer.echo(
        f"{folder}: {found.pages} pages; {found.written} files written, {found.unchanged} "
        f"unchanged, {found.removed} removed; begin at {folder / 'index.html'}",
        err=True,
    )


COMMAND: Final = Command(
    publish, ("joulemark publish site", "joulemark publish site --store ~/lab/nodes.db")
)
