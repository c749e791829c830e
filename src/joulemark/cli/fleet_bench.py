# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet bench`: the same study on every machine of a scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.command import SCHEDULER_OPTION, Command, TlsOptions
from joulemark.cli.shared.measuring_options import (
    DEFAULT_STORE,
    STORE_OPTION,
    EnergyOptions,
    TreeOptions,
)
from joulemark.cli.shared.progress import ProgressBar
from joulemark.cli.shared.terminal import print_text
from joulemark.cli.study_options import EffortOptions, WorkloadOptions, study_of
from joulemark.fleet import own_build
from joulemark.fleet.bench_child import StudyOrder, plugin_files
from joulemark.fleet.benching import MachineRun, bench_machines
from joulemark.fleet.serving import Tls, connected
from joulemark.store.local_first import store_to_measure

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


COMMAND: Final = Command(
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
