# SPDX-License-Identifier: Apache-2.0
"""westermann2010 from end to end: every candidate in one run, the audit, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.study import Study
from joulemark.studies.westermann2010.claims import answers
from joulemark.studies.westermann2010.findings import Findings
from joulemark.studies.westermann2010.measurement import Work, measure
from joulemark.studies.westermann2010.page import page
from joulemark.studies.westermann2010.paper import Westermann2010, westermann2010

__all__ = ["STUDY"]

_MOST_ROUNDS: Final = 1000
_EXIT_CODES: Final = """\
  0    measured, whatever the verdicts are
  2    refused, or a part that was asked for could not be done: a meter that was
       named and is not there, a function that computes something wrong, a full
       disk (all samples that were taken are kept, and the same command goes on)
  130  interrupted; the same command goes on
"""


@dataclass(frozen=True, slots=True)
class _Extent:
    """How much is measured."""

    scale: Annotated[
        float,
        typer.Option(
            help="Share of the paper's work, above 0 and at most 1: 1 takes hours, 0.01 minutes."
        ),
    ] = 1.0
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Measurements of each function; the paper's 10 unless given.", show_default=False
        ),
    ] = None
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Take power as the paper did: samples of a gauge, idle before each run.",
        ),
    ] = False
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Measure everything again instead of going on with what is there."
        ),
    ] = False


def _check(asked: _Extent) -> None:
    """Refuses work that no figure can come of."""
    if not 0 < asked.scale <= 1:
        raise UsageError(f"--scale {asked.scale:g}: give more than 0 and at most 1, as in 0.01")
    if asked.rounds is not None and not 2 <= asked.rounds <= _MOST_ROUNDS:
        raise UsageError(f"--rounds {asked.rounds}: give a number from 2 to {_MOST_ROUNDS}")


def _measure(paper: Westermann2010, asked: _Extent, equipment: CpuEquipment) -> Findings:
    rounds = paper.experiment.rounds if asked.rounds is None else asked.rounds
    work = Work(
        scale=asked.scale,
        rounds=rounds,
        as_published=asked.as_published,
        energy=equipment.energy,
        fresh=asked.fresh,
    )
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=westermann2010,
    asked=_Extent,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=_EXIT_CODES,
    examples=(
        "joulemark reproduce westermann2010 --scale 0.01",
        "joulemark reproduce westermann2010 --meter battery --as-published",
        "joulemark reproduce westermann2010 --scale 0.001 --rounds 4 --output first-look",
    ),
)
