# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet workers`: who is there, with which build."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from joulemark.cli.cluster.cluster_options import SCHEDULER_OPTION, TlsOptions
from joulemark.cli.shared.command import Command
from joulemark.errors import UnavailableError
from joulemark.fleet.build import own_build, short_build
from joulemark.fleet.dispatch import Dispatch
from joulemark.fleet.serving import Tls, connected
from joulemark.foreign.text import visible

_WAIT_S: Final = 60.0


def workers(
    *,
    scheduler: Annotated[str, SCHEDULER_OPTION],
    tls: TlsOptions,
    wait: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Wait until so many may take part, at most a minute; 0: list at once.",
            show_default=False,
        ),
    ] = 0,
) -> None:
    """List a scheduler's workers: machine, build, and who may take part."""
    with connected(scheduler, Tls(*tls.files)) as client:
        dispatch = Dispatch(client, lambda _sentence: None)
        members = dispatch.members(_WAIT_S, wait) if wait else dispatch.members()
        refused, mute = dispatch.refused, dispatch.mute
    table = Table(box=None, pad_edge=False)
    for title in ("machine", "worker", "measures", "threads", "address"):
        table.add_column(title, overflow="fold")
    for member in members:
        table.add_row(
            visible(member.machine),
            visible(member.name),
            "yes" if member.measures else "no",
            str(member.threads),
            member.address,
        )
    Console().print(table)
    typer.echo(f"{len(members)} of this build, {short_build(own_build())}")
    for sentence in refused:
        typer.echo(f"refused: {visible(sentence)}")
    for address in mute:
        typer.echo(f"no answer from the worker at {address}")
    if len(members) < wait:
        raise UnavailableError(
            f"--wait {wait}: {len(members)} may take part after {_WAIT_S:.0f} s; 'joulemark fleet "
            "worker ADDRESS' starts one"
        )


COMMAND: Final = Command(
    workers,
    (
        "joulemark fleet workers --scheduler tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet workers --scheduler tls://lab:8786 --fleet-keys fleet.pem --wait 3",
    ),
)
