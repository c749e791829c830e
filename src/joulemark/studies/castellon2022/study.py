# SPDX-License-Identifier: Apache-2.0
"""castellon2022 from end to end: options, three regimes on this machine's CPU, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.studies.castellon2022.claims import answers
from joulemark.studies.castellon2022.library import Library
from joulemark.studies.castellon2022.measurement import Measurement, Work, measure
from joulemark.studies.castellon2022.memory_bound import Effort
from joulemark.studies.castellon2022.page import page
from joulemark.studies.castellon2022.paper import Castellon2022, castellon2022
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.study import Study

__all__ = ["STUDY"]

_MOST_REPETITIONS: Final = 100_000
_QUICK_REPETITIONS: Final = 100
_QUICK_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class _Options:
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
    fresh: Annotated[bool, FRESH_OPTION] = False


def _check(options: _Options) -> None:
    """Refuses a number of repetitions that gives no figure, and a build without programs."""
    count = options.repetitions
    if count is not None and not 2 <= count <= _MOST_REPETITIONS:
        raise UsageError(f"--repetitions {count}: give a number from 2 to {_MOST_REPETITIONS}")
    Library()


def _measure(paper: Castellon2022, options: _Options, equipment: CpuEquipment) -> Measurement:
    usual = _QUICK_REPETITIONS if options.quick else paper.experiment.repetitions
    effort = Effort(rounds=_QUICK_ROUNDS) if options.quick else Effort()
    work = Work(
        repetitions=usual if options.repetitions is None else options.repetitions,
        memory=effort if options.memory else None,
        energy=equipment.energy,
        fresh=options.fresh,
    )
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=castellon2022,
    options=_Options,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=lambda paper, measurement: answers(paper, measurement.findings),
    page=page,
    exit_codes=exit_codes(
        "a meter that was named and is not there, too little memory for the buffer, no programs of "
        "the paper, a program that computes something wrong, a full disk (all parts that were "
        "finished are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce castellon2022",
        "joulemark reproduce castellon2022 --quick --output first-look",
        "joulemark reproduce castellon2022 --repetitions 5000 --json > castellon2022.json",
    ),
)
