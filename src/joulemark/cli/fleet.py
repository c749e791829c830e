# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet keys`, `scheduler`, `worker` and `workers`: the members of a fleet."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from joulemark.cli.shared.command import SCHEDULER_METAVAR, SCHEDULER_OPTION, Command, TlsOptions
from joulemark.cli.shared.terminal import print_text
from joulemark.environment import checked_name
from joulemark.errors import UnavailableError
from joulemark.fleet import own_build, own_machine, short_build
from joulemark.fleet.dispatch import Dispatch
from joulemark.fleet.serving import (
    LOOPBACK,
    Tls,
    connected,
    serve_scheduler,
    serve_worker,
    write_keys,
)
from joulemark.foreign import visible


def keys(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, in PEM form.")],
) -> None:
    """Make the file of keys by which members know one another.

    Scheduler, workers and the commands that ask them name it with --fleet-keys, each a copy of the
    same file. Whoever has the file takes part, and so runs code on every member: copy it to
    machines of yours alone, over encrypted connections. It serves for a year.
    """
    write_keys(file)
    print_text(f"{visible(str(file))} has the keys; name it with --fleet-keys on each machine")


KEYS: Final = Command(keys, ("joulemark fleet keys fleet.pem",))


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


SCHEDULER: Final = Command(
    scheduler,
    (
        "joulemark fleet scheduler --fleet-keys fleet.pem",
        "joulemark fleet scheduler --host 192.0.2.7 --tls-ca-file ca.pem --tls-cert me.pem",
    ),
)


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
        print_text(
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


WORKER: Final = Command(
    worker,
    (
        "joulemark fleet worker tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet worker tls://lab:8786 --host node8 --tls-ca-file ca.pem --tls-cert me.pem",
    ),
)


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
        refused, mute = list(dispatch.roll.refused.values()), dispatch.roll.mute
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
    print_text(f"{len(members)} of this build, {short_build(own_build())}")
    for sentence in refused:
        print_text(f"refused: {visible(sentence)}")
    for address in mute:
        print_text(f"no answer from the worker at {address}")
    if len(members) < wait:
        raise UnavailableError(
            f"--wait {wait}: {len(members)} may take part after {_WAIT_S:.0f} s; 'joulemark fleet "
            "worker ADDRESS' starts one"
        )


WORKERS: Final = Command(
    workers,
    (
        "joulemark fleet workers --scheduler tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet workers --scheduler tls://lab:8786 --fleet-keys fleet.pem --wait 3",
    ),
)
