# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet scheduler`: a Dask scheduler that listens where it is told."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from joulemark.cli.cluster.cluster_options import TlsOptions
from joulemark.cli.shared.command import Command
from joulemark.fleet.cluster import LOOPBACK, Tls
from joulemark.fleet.serving import is_loopback, serve_scheduler

__all__ = ["COMMAND"]

_USUAL_PORT: Final = 8786


def scheduler(
    *,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where it listens; other machines reach no "
                          "scheduler on loopback.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = _USUAL_PORT,
    tls: TlsOptions,
) -> None:  # fmt: skip
    """Run a scheduler, on loopback alone unless asked, until Ctrl-C.

    Whoever reaches a scheduler can run code on all its workers: on another address than loopback
    give it TLS, and let no stranger into that network.
    """
    files = Tls(*tls.files)
    if not is_loopback(host) and files.ca_file is None:
        typer.echo(
            "joulemark: without TLS whoever reaches this address can run code on every worker",
            err=True,
        )
    serve_scheduler(host, port, files, lambda address: typer.echo(f"scheduler at {address}"))


COMMAND: Final = Command(
    scheduler,
    (
        "joulemark fleet scheduler",
        "joulemark fleet scheduler --host 192.0.2.7 --tls-ca-file ca.pem --tls-cert me.pem",
    ),
)
