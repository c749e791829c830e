# SPDX-License-Identifier: Apache-2.0
"""`joulemark store prune`: which runs newer ones replace."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.shared.command import Command
from joulemark.cli.shared.measuring_options import DEFAULT_STORE, STORE_OPTION
from joulemark.cli.shared.stored import opened
from joulemark.cli.shared.terminal import columns
from joulemark.foreign.text import visible
from joulemark.store.reading import superfluous
from joulemark.store.repository import RunRecord, Store
from joulemark.units import format_count

_HEADINGS = ("run", "started (UTC)", "state", "CPU")


def prune(
    keep: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Finished runs that stay, the newest, of each study on each machine.",
        ),
    ],
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the runs; without it they are only listed.")
    ] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
) -> None:
    """List the runs that newer ones replace, and with --delete delete them.

    A run goes if the store holds N newer finished runs of the same study on the same machine.
    """
    if not delete:
        with opened(store) as found:
            gone = superfluous(found, keep)
            _list(gone)
            typer.echo(
                f"{format_count(len(gone), 'run')} of {found.location} would be deleted"
                + ("; --delete deletes them" if gone else "")
            )
        return
    with Store.open(store, create=False) as found:
        gone = superfluous(found, keep)
        _list(gone)
        for run in gone:
            found.delete_run(run.id)
        typer.echo(
            f"{format_count(len(gone), 'run')} deleted from {found.location}; their space is used "
            "again"
        )


def _list(gone: list[RunRecord]) -> None:
    rows = [
        (
            str(run.id),
            run.started_at.isoformat()[:16].replace("T", " "),
            "finished" if run.finished_at else "unfinished",
            visible(str(run.environment.get("cpu_model") or "unknown")),
        )
        for run in gone
    ]
    if rows:
        columns([_HEADINGS, *rows], indent=0, right=(0,))


COMMAND: Final = Command(
    prune, ("joulemark store prune --keep 20", "joulemark store prune --keep 5 --delete")
)
