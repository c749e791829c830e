# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce castellon2022`: the paper's measurement on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.reproduce.outcome import show_outcome
from joulemark.cli.shared.energy_options import (
    ENERGY_ROUNDS_OPTION,
    ENERGY_WINDOW_OPTION,
    FOREIGN_LIMIT_OPTION,
    METER_OPTION,
    TreeOptions,
    energy_plan,
)
from joulemark.cli.shared.inventory import inventory_of
from joulemark.cli.shared.option_groups import with_option_groups
from joulemark.cli.shared.options import DEFAULT_STORE, JSON_OPTION, STORE_OPTION
from joulemark.cli.shared.progress import RunProgress
from joulemark.cli.shared.terminal import examples
from joulemark.environment import capture
from joulemark.errors import UsageError
from joulemark.measure.planning.energy import EnergyPlan
from joulemark.store.repository import Store
from joulemark.studies.castellon2022.library import Library
from joulemark.studies.castellon2022.memory_bound import Effort
from joulemark.studies.castellon2022.paper import castellon2022 as facts
from joulemark.studies.castellon2022.reproduce import Asked
from joulemark.studies.castellon2022.reproduce import reproduce as study
from joulemark.studies.files import prepare_folder, write_files
from joulemark.studies.outcome import StudyOutcome

__all__ = ["register"]

PAPER = "castellon2022"
_MAX_REPETITIONS = 100_000
_QUICK_REPETITIONS = 100

_EXIT_CODES = """\b
Exit codes:
  0    measured, whatever the verdicts are
  2    refused, or a part that was asked for could not be done: a meter that was
       named and is not there, too little memory for the buffer, no programs of
       the paper, a program that computes something wrong, a full disk (all
       parts that were finished are kept, and the same command goes on)
  130  interrupted; the same command goes on
"""


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """How much is measured."""

    repetitions: Annotated[
        int | None,
        typer.Option(
            help="Events per size and program; the paper's 1000 unless given.", show_default=False
        ),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="A tenth of the work; wider intervals.")
    ] = False
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Whether to measure messages in DRAM too.")
    ] = True
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Measure everything again instead of going on with what is there."
        ),
    ] = False

    def check(self) -> None:
        """Refuses a number of repetitions that no figure can come of.

        Raises:
            UsageError: it is too small or too large.
        """
        if self.repetitions is not None and not 2 <= self.repetitions <= _MAX_REPETITIONS:
            raise UsageError(
                f"--repetitions {self.repetitions}: give a number from 2 to {_MAX_REPETITIONS}"
            )

    def asked(self, energy: EnergyPlan) -> Asked:
        """What the study is asked for."""
        usual = _QUICK_REPETITIONS if self.quick else facts().experiment.repetitions
        effort = Effort(rounds=8) if self.quick else Effort()
        return Asked(
            repetitions=usual if self.repetitions is None else self.repetitions,
            memory=effort if self.memory else None,
            energy=energy,
            fresh=self.fresh,
        )


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """The meter and its windows."""

    meter: Annotated[str | None, METER_OPTION] = None
    energy_rounds: Annotated[int, ENERGY_ROUNDS_OPTION] = 5
    energy_window: Annotated[float | None, ENERGY_WINDOW_OPTION] = None
    foreign_limit: Annotated[str, FOREIGN_LIMIT_OPTION] = "1%"


@with_option_groups
def castellon2022(
    *,
    work: WorkOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, the figures and the raw series; named as the paper "
            "unless given.",
            show_default=False,
        ),
    ] = None,
    json_: Annotated[bool, JSON_OPTION] = False,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    windows: WindowOptions,
    trees: TreeOptions,
) -> None:
    """HMAC-SHA-256 with its block order engineered: does it save energy on this machine?"""
    work.check()
    energy = energy_plan(
        trees,
        meter=windows.meter,
        rounds=windows.energy_rounds,
        window_s=windows.energy_window,
        foreign_limit=windows.foreign_limit,
    )
    outcome, paths = _done(work.asked(energy), output or Path(PAPER), store)
    show_outcome(outcome, paths, json_=json_)


def _done(asked: Asked, folder: Path, store_location: str) -> tuple[StudyOutcome, list[Path]]:
    library = Library()
    prepare_folder(folder)
    console = Console(stderr=True)
    with Store.open(store_location) as store:
        try:
            with RunProgress(console) as progress:
                outcome = study(
                    asked, inventory_of(), store, capture(), folder, library=library,
                    observer=progress, say=lambda text: console.print(f"measuring: {text}"),
                )  # fmt: skip
        except KeyboardInterrupt:
            raise InterruptedRunError(
                f"stopped; finished parts are in {folder} and samples in {store_location}, and "
                "the same command goes on"
            ) from None
    return outcome, write_files(outcome, folder)


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(
        epilog=_EXIT_CODES
        + "\n"
        + examples(
            "joulemark reproduce castellon2022",
            "joulemark reproduce castellon2022 --quick --output first-look",
            "joulemark reproduce castellon2022 --repetitions 5000 --json > castellon2022.json",
        )
    )(castellon2022)
