# SPDX-License-Identifier: Apache-2.0
"""castellon2022 from end to end: three regimes on this machine's CPU, verdicts, page."""

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
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.study import Study

__all__ = ["STUDY"]

_MAX_REPETITIONS: Final = 100_000
_QUICK_REPETITIONS: Final = 100
_QUICK_ROUNDS: Final = 8

_EXIT_CODES: Final = """\
  0    measured, whatever the verdicts are
  2    refused, or a part that was asked for could not be done: a meter that was
       named and is not there, too little memory for the buffer, no programs of
       the paper, a program that computes something wrong, a full disk (all
       parts that were finished are kept, and the same command goes on)
  130  interrupted; the same command goes on
"""


@dataclass(frozen=True, slots=True)
class _Extent:
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


def _check(asked: _Extent) -> None:
    """Refuses a number of repetitions that no figure can come of, and a build without programs."""
    if asked.repetitions is not None and not 2 <= asked.repetitions <= _MAX_REPETITIONS:
        raise UsageError(
            f"--repetitions {asked.repetitions}: give a number from 2 to {_MAX_REPETITIONS}"
        )
    Library()


def _measure(paper: Castellon2022, asked: _Extent, equipment: CpuEquipment) -> Measurement:
    usual = _QUICK_REPETITIONS if asked.quick else paper.experiment.repetitions
    effort = Effort(rounds=_QUICK_ROUNDS) if asked.quick else Effort()
    work = Work(
        repetitions=usual if asked.repetitions is None else asked.repetitions,
        memory=effort if asked.memory else None,
        energy=equipment.energy,
        fresh=asked.fresh,
    )
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=castellon2022,
    asked=_Extent,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=lambda paper, measured: answers(paper, measured.findings),
    page=page,
    exit_codes=_EXIT_CODES,
    examples=(
        "joulemark reproduce castellon2022",
        "joulemark reproduce castellon2022 --quick --output first-look",
        "joulemark reproduce castellon2022 --repetitions 5000 --json > castellon2022.json",
    ),
)
