# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet`: the members of a fleet, and the same study on every machine of a scheduler."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from joulemark.cli.shared.command import SCHEDULER_METAVAR, SCHEDULER_OPTION, Command, TlsOptions
from joulemark.cli.shared.measuring_options import (
    DEFAULT_STORE,
    STORE_OPTION,
    EnergyOptions,
    TreeOptions,
)
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import print_text
from joulemark.cli.study_options import EffortOptions, WorkloadOptions, study_of
from joulemark.cli.table import InterruptedRunError
from joulemark.environment import checked_name
from joulemark.errors import UnavailableError
from joulemark.fleet import own_build, own_machine, short_build
from joulemark.fleet.bench_child import StudyOrder, plugin_files
from joulemark.fleet.benching import MachineRun, bench_machines
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
from joulemark.store.local_first import store_to_measure

# `fleet keys`, `scheduler`, `worker` and `workers`: the members of a fleet.


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


# `fleet bench`: the same study on every machine of a scheduler.

# Live progress of a study on many machines: one bar over the visits of all.


class FleetProgress(ProgressBar):
    """A `FleetObserver` with a bar, or a line each minute where there is no terminal.

    The bar counts visits of all machines. Machines that have not said how many they will make are
    taken to make as many as the others do on average.
    """

    def __init__(self) -> None:
        super().__init__("waiting for the machines", "visits", speed_over_s=60.0)
        self._visits: dict[str, tuple[int, int]] = {}
        self._machines: tuple[str, ...] = ()

    def began(self, machines: tuple[str, ...]) -> None:
        """Prints which machines take part."""
        self._machines = machines
        self.tell(f"{len(machines)} machines take part: {', '.join(machines)}")

    def said(self, sentence: str) -> None:
        """Prints the sentence at once."""
        self.tell(sentence)

    def moved(self, machine: str, done: int, total: int) -> None:
        """Moves the bar by the visits of a machine."""
        self._visits[machine] = (done, total)
        known = list(self._visits.values())
        whole = sum(total for _, total in known)
        silent = max(0, len(self._machines) - len(known))
        self.move(
            sum(done for done, _ in known),
            whole + silent * whole // len(known),
            f"machine {machine}"[:42],
        )

    def finished(self, run: MachineRun) -> None:
        """Prints that a machine is done, or why it has no run."""
        self.tell(
            f"machine {run.machine} is done"
            if run.reason is None
            else f"machine {run.machine} has no run: {run.reason}"
        )


EXIT_INCOMPLETE: Final = 2
_EXIT_CODES: Final = """\b
Exit codes:
  0    every machine's run is in the store, and nothing in them failed
  2    a machine has no run, or no joules that were asked for, or an
       implementation failed on one (all else stands), or refused
  130  interrupted; machines keep what they measured, and the same command
       goes on
"""


@dataclass(frozen=True, slots=True)
class FleetStoreOptions:
    """The store that gets the runs."""

    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Begin new runs instead of going on with unfinished ones."),
    ] = False


def bench(
    *,
    workload: WorkloadOptions,
    effort: EffortOptions,
    scheduler: Annotated[str, SCHEDULER_OPTION],
    tls: TlsOptions,
    store: FleetStoreOptions,
    energy: EnergyOptions,
    trees: TreeOptions,
) -> None:
    """Measure the same study on every machine of a scheduler, all runs into one store.

    A worker measures one thing at a time, and nothing else of the fleet runs on its machine then.
    Joules are those of each machine's own meter. A plugin must be the same file at the same path on
    each machine.
    """
    study = study_of(workload, effort, energy, trees)
    study.workloads()
    plugins = plugin_files(workload.plugin or ())
    order = StudyOrder(study, effort.hang_limit, effort.cpu, effort.wait_s(), plugins, own_build())
    with (
        store_to_measure(store.store) as kept,
        connected(scheduler, Tls(*tls.files)) as client,
        FleetProgress() as progress,
    ):
        try:
            runs = bench_machines(client, order, kept, progress, fresh=store.fresh)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                "stopped; each machine keeps what it measured, and the same command goes on"
            ) from None
    for run in runs:
        print_text(_line(run))
    if any(run.reason is not None or run.failures or run.no_energy for run in runs):
        raise typer.Exit(EXIT_INCOMPLETE)


def _line(run: MachineRun) -> str:
    if run.reason is not None:
        return f"{run.machine}: no run: {run.reason}"
    failed = f", {run.failures} failures" if run.failures else ""
    if run.no_energy is not None:
        failed += f", no joules: {run.no_energy}"
    if not run.run_ids:
        return f"{run.machine}: the store has this run already{failed}"
    return f"{run.machine}: run {', '.join(map(str, run.run_ids))}{failed}"


BENCH: Final = Command(
    bench,
    (
        "joulemark fleet bench --scheduler tls://127.0.0.1:8786 --fleet-keys fleet.pem",
        "joulemark fleet bench cmac-aes128 --size 1KiB --scheduler tls://lab:86 --fleet-keys f.pem",
        "joulemark fleet bench siphash --energy --scheduler tls://lab:8786 --fleet-keys fleet.pem",
        (
            "joulemark fleet bench --quick --scheduler tls://lab:8786 --tls-ca-file ca.pem "
            "--tls-cert me.pem"
        ),
    ),
    notes=(_EXIT_CODES,),
)
