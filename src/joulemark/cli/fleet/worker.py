# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet worker`: this machine, offered to a scheduler."""

from __future__ import annotations

import os
import secrets
from typing import Annotated, Final

import typer

from joulemark.cli.cluster.cluster_options import SCHEDULER_METAVAR, TlsOptions
from joulemark.cli.shared.command import Command
from joulemark.environment import checked_name
from joulemark.fleet.build import own_build, short_build
from joulemark.fleet.members import own_machine
from joulemark.fleet.serving import Tls, serve_worker


def worker(
    *,
    address: Annotated[
        str,
        typer.Argument(
            metavar=SCHEDULER_METAVAR, help="Address of the scheduler, as it printed it."
        ),
    ],
    machine: Annotated[
        str | None,
        typer.Option(
            help="Name of this machine, in the fleet and in its runs; in the fleet the host's "
            "unless given. Workers of one name measure a study once."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the worker; the machine's name with a number unless given."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Reports of cores made at a time; one per CPU unless given."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address of this machine at which the worker listens; loopback unless given.",
        ),
    ] = None,
    tls: TlsOptions,
) -> None:
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
        address,
        name=shown,
        machine=machine,
        threads=threads or len(os.sched_getaffinity(0)),
        host=host,
        tls=Tls(*tls.files),
        ready=ready,
    )


COMMAND: Final = Command(
    worker,
    (
        "joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet worker tls://lab:8786 --host node8 --tls-ca-file ca.pem --tls-cert me.pem",
    ),
)
