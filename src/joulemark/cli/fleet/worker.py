# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet worker`: this machine, offered to a scheduler."""

from __future__ import annotations

import os
import secrets
from typing import Annotated

import typer

from joulemark.cli.shared.cluster_options import SCHEDULER_METAVAR, TlsOptions
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.terminal import examples
from joulemark.environment.identity import checked_name
from joulemark.fleet.build import own_build, short_build
from joulemark.fleet.members import own_machine
from joulemark.fleet.serving import serve_worker

__all__ = ["register", "worker"]


@with_option_groups
def worker(
    *,
    address: Annotated[
        str,
        typer.Argument(metavar=SCHEDULER_METAVAR, help="Of the scheduler, as it printed it."),
    ],
    machine: Annotated[
        str | None,
        typer.Option(
            help="Name of this machine, in the fleet and in its runs; in the fleet the host's "
            "unless given. Workers of one name measure a study once.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Of the worker; the machine's with a number unless given.",
                     show_default=False),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, help="Reports of cores made at a time; one per CPU unless given.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address of this machine at which the worker listens; loopback unless given.",
            show_default=False,
        ),
    ] = None,
    tls: TlsOptions,
) -> None:  # fmt: skip
    """Offer this machine to a scheduler, until Ctrl-C.

    The worker has the resource bench=1: it measures one thing at a time. Should its process die,
    another one takes its place.
    """
    if machine is not None:
        checked_name(machine)
    called = machine or own_machine()

    def ready(_address: str) -> None:
        typer.echo(
            f"worker {shown} of machine {called}, build {short_build(own_build())}, is ready"
        )

    shown = name or f"{called}-{secrets.token_hex(2)}"
    serve_worker(
        address, name=shown, machine=machine, threads=threads or len(os.sched_getaffinity(0)),
        host=host, tls=tls.tls(), ready=ready,
    )  # fmt: skip


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=examples(
            "joulemark fleet worker tcp://127.0.0.1:8786",
            "joulemark fleet worker tls://lab:8786 --host node8 --tls-ca-file ca.pem "
            "--tls-cert me.pem",
        )
    )(worker)
