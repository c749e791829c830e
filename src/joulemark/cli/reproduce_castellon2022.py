# SPDX-License-Identifier: Apache-2.0
"""`joulemark reproduce castellon2022`: the paper's measurement on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from joulemark.cli import energy_options, options
from joulemark.cli.inventory import inventory_of
from joulemark.cli.refusals import InterruptedRunError
from joulemark.cli.study_outcome import show_outcome
from joulemark.cli.terminal import examples
from joulemark.errors import UsageError

if TYPE_CHECKING:
    from joulemark.measure.planning.energy import EnergyPlan
    from joulemark.studies.castellon2022.reproduce import Asked
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


def castellon2022(
    repetitions: Annotated[
        int | None,
        typer.Option(
            help="Events per size and program; the paper's 1000 unless given.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the page, the figures and the raw series; named as the paper "
            "unless given.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A tenth of the work; wider intervals.")
    ] = False,
    memory: Annotated[
        bool, typer.Option("--memory/--no-memory", help="Whether to measure messages in DRAM too.")
    ] = True,
    json_: Annotated[bool, options.JSON_OPTION] = False,
    store: Annotated[str, options.STORE_OPTION] = options.DEFAULT_STORE,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure anew instead of going on with what is there.")
    ] = False,
    meter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Meter to use (see 'joulemark doctor'); the best that is usable unless given.",
            show_default=False,
        ),
    ] = None,
    energy_rounds: Annotated[int, energy_options.ENERGY_ROUNDS_OPTION] = 5,
    energy_window: Annotated[float | None, energy_options.ENERGY_WINDOW_OPTION] = None,
    foreign_limit: Annotated[str, energy_options.FOREIGN_LIMIT_OPTION] = "1%",
    sysfs: Annotated[Path, options.SYSFS_OPTION] = options.DEFAULT_SYSFS,
    proc: Annotated[Path, options.PROC_OPTION] = options.DEFAULT_PROC,
) -> None:
    """HMAC-SHA-256 with its block order engineered: does it save energy on this machine?"""
    if repetitions is not None and not 2 <= repetitions <= _MAX_REPETITIONS:
        raise UsageError(f"--repetitions {repetitions}: give a number from 2 to {_MAX_REPETITIONS}")
    folder = output or Path(PAPER)
    asked = _asked(
        repetitions,
        energy_options.energy_plan(
            {
                "energy": True, "meter": meter, "method": None,
                "rounds": energy_rounds, "window_s": energy_window, "precision": "1%",
                "foreign_limit": foreign_limit, "sysfs": sysfs, "proc": proc,
            }
        ),
        quick=quick, memory=memory, fresh=fresh,
    )  # fmt: skip
    outcome, paths = _done(asked, folder, store)
    show_outcome(outcome, paths, json_=json_)


def _asked(
    repetitions: int | None, energy: EnergyPlan | None, *, quick: bool, memory: bool, fresh: bool
) -> Asked:
    from joulemark.studies.castellon2022.memory_bound import Effort  # noqa: PLC0415
    from joulemark.studies.castellon2022.paper import castellon2022 as facts  # noqa: PLC0415
    from joulemark.studies.castellon2022.reproduce import Asked  # noqa: PLC0415

    usual = _QUICK_REPETITIONS if quick else facts().experiment.repetitions
    effort = Effort(rounds=8) if quick else Effort()
    return Asked(
        repetitions=usual if repetitions is None else repetitions,
        memory=effort if memory else None,
        energy=energy,
        fresh=fresh,
    )


def _done(asked: Asked, folder: Path, store_location: str) -> tuple[StudyOutcome, list[Path]]:
    from rich.console import Console  # noqa: PLC0415

    from joulemark.cli.progress import RunProgress  # noqa: PLC0415
    from joulemark.environment import capture  # noqa: PLC0415
    from joulemark.store.repository import Store  # noqa: PLC0415
    from joulemark.studies.castellon2022.library import Library  # noqa: PLC0415
    from joulemark.studies.castellon2022.reproduce import reproduce as study  # noqa: PLC0415
    from joulemark.studies.files import prepare_folder, write_files  # noqa: PLC0415

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
