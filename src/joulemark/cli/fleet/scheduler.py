# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet scheduler`: a Dask scheduler that listens where it is told."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.cluster.cluster_options import TlsOptions
from joulemark.cli.shared.command import Command
from joulemark.fleet.serving import LOOPBACK, Tls, serve_scheduler

_USUAL_PORT: Final = 8786


def scheduler(
    *,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where it listens; other machines reach no scheduler on loopback.",
        ),
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = _USUAL_PORT,
    tls: TlsOptions,
) -> None:
    """Run a scheduler, on loopback alone unless asked, until Ctrl-C.

    Whoever takes part can run code on all workers and in all commands that ask. So a scheduler, its
    workers and these commands prove by keys who they are, on loopback too, which every user of the
    machine reaches.
    """
    serve_scheduler(
        host, port, Tls(*tls.files), lambda address: typer.echo(f"scheduler at {address}")
    )


COMMAND: Final = Command(
    scheduler,
    (
        "joulemark fleet scheduler --fleet-keys fleet.pem",
        "joulemark fleet scheduler --host 192.0.2.7 --tls-ca-file ca.pem --tls-cert me.pem",
    ),
)
