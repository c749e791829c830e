# SPDX-License-Identifier: Apache-2.0
"""Options of every study that measures on this machine's CPU, and what it measures with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from joulemark.cli.endings import InterruptedRunError
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.measuring_options import (
    DEFAULT_PROC,
    DEFAULT_STORE,
    DEFAULT_SYSFS,
    ENERGY_ROUNDS_OPTION,
    ENERGY_WINDOW_OPTION,
    FOREIGN_LIMIT_OPTION,
    JSON_OPTION,
    METER_OPTION,
    PROC_OPTION,
    STORE_OPTION,
    SYSFS_OPTION,
    EnergyOptions,
    TreeOptions,
)
from joulemark.cli.shared.measuring_store import store_to_measure
from joulemark.cli.shared.progress import RunProgress
from joulemark.environment.facts import Environment
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.files import prepare_folder


@dataclass(frozen=True, slots=True)
class CpuStudyOptions:
    """Where files and samples go; the meter and its windows."""

    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, the figures and the raw series; named as the paper "
            "unless given.",
        ),
    ] = None
    json_: Annotated[bool, JSON_OPTION] = False
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE
    meter: Annotated[str | None, METER_OPTION] = None
    energy_rounds: Annotated[int, ENERGY_ROUNDS_OPTION] = 5
    energy_window: Annotated[float | None, ENERGY_WINDOW_OPTION] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"
    sysfs: Annotated[Path, SYSFS_OPTION] = DEFAULT_SYSFS
    proc: Annotated[Path, PROC_OPTION] = DEFAULT_PROC

    @contextmanager
    def equipment(self, folder: Path, environment: Environment) -> Iterator[CpuEquipment]:
        """What this machine can run, the opened store, and the progress on the terminal.

        Args:
            folder: for the files of the study; it is made.
            environment: this machine.
        """
        metering = EnergyOptions(
            meter=self.meter,
            energy_rounds=self.energy_rounds,
            energy_window=self.energy_window,
            foreign_limit=self.foreign_limit,
        )
        energy = metering.metering(TreeOptions(self.sysfs, self.proc))
        prepare_folder(folder)
        console = Console(stderr=True)
        with store_to_measure(self.store) as store, RunProgress(console) as progress:
            try:
                yield CpuEquipment(
                    inventory=inventory_of(),
                    store=store,
                    environment=environment,
                    folder=folder,
                    energy=energy,
                    observer=progress,
                    say=lambda text: console.print(f"measuring: {text}"),
                )
            except KeyboardInterrupt:
                raise InterruptedRunError(
                    f"stopped; finished parts are in {folder} and samples in {store.keep()}, and "
                    "the same command goes on"
                ) from None


OPTIONS: Final = CpuStudyOptions
"""Looked up by `study_command` for a study whose equipment this is."""
