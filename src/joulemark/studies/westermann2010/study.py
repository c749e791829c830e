# SPDX-License-Identifier: Apache-2.0
"""westermann2010 from end to end: options, every candidate in one run, audit, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.study import Study
from joulemark.studies.westermann2010.claims import answers
from joulemark.studies.westermann2010.findings import Findings
from joulemark.studies.westermann2010.measurement import Work, measure
from joulemark.studies.westermann2010.page import page
from joulemark.studies.westermann2010.paper import Westermann2010, westermann2010

__all__ = ["STUDY"]

_MOST_ROUNDS: Final = 1000


@dataclass(frozen=True, slots=True)
class _Options:
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
    fresh: Annotated[bool, FRESH_OPTION] = False


def _check(options: _Options) -> None:
    """Refuses work that gives no figure."""
    scale, rounds = options.scale, options.rounds
    if not 0 < scale <= 1:
        raise UsageError(f"--scale {scale:g}: give more than 0 and at most 1, as in 0.01")
    if rounds is not None and not 2 <= rounds <= _MOST_ROUNDS:
        raise UsageError(f"--rounds {rounds}: give a number from 2 to {_MOST_ROUNDS}")


def _measure(paper: Westermann2010, options: _Options, equipment: CpuEquipment) -> Findings:
    rounds = paper.experiment.rounds if options.rounds is None else options.rounds
    work = Work(options.scale, rounds, options.as_published, options.fresh)
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=westermann2010,
    options=_Options,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=exit_codes(
        "a meter that was named and is not there, a function that computes something wrong, a full "
        "disk (all samples that were taken are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce westermann2010 --scale 0.01",
        "joulemark reproduce westermann2010 --meter battery --as-published",
        "joulemark reproduce westermann2010 --scale 0.001 --rounds 4 --output first-look",
    ),
)
