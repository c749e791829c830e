# SPDX-License-Identifier: Apache-2.0
"""rashwan2012 from end to end: sessions on one core and on all, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.measure.sessions.work import Lengths, require_sessions
from joulemark.studies.cpu_equipment import CpuEquipment
from joulemark.studies.rashwan2012.claims import answers
from joulemark.studies.rashwan2012.findings import Found
from joulemark.studies.rashwan2012.measurement import Work, measure
from joulemark.studies.rashwan2012.page import page
from joulemark.studies.rashwan2012.paper import Rashwan2012, rashwan2012
from joulemark.studies.study import Study

__all__ = ["STUDY"]

_MOST_SCALE: Final = 10.0
_MOST_ROUNDS: Final = 100
_EXIT_CODES: Final = """\
  0    measured, whatever the verdicts are
  2    refused, or a part that was asked for could not be done: a meter that was
       named, a function that computes something wrong, a full disk (functions
       that were finished are kept, and the same command goes on)
  130  interrupted; the same command goes on
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """How much is measured."""

    scale: Annotated[
        float,
        typer.Option(
            help="Length of the windows, by the usual 0.12 s: above 0 and at most 10. The usual "
            "study takes less than ten minutes."
        ),
    ] = 1.0
    rounds: Annotated[int, typer.Option(help="Windows of each point.")] = 3
    sessions: Annotated[
        int | None,
        typer.Option(help="Sessions at once; the paper's 100 unless given.", show_default=False),
    ] = None
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Measure everything again instead of going on with what is there."
        ),
    ] = False


def _check(asked: _Asked) -> None:
    """Refuses work that no figure can come of."""
    if not 0 < asked.scale <= _MOST_SCALE:
        raise UsageError(
            f"--scale {asked.scale:g}: give more than 0 and at most {_MOST_SCALE:g}, as in 0.1"
        )
    if not 2 <= asked.rounds <= _MOST_ROUNDS:
        raise UsageError(f"--rounds {asked.rounds}: give a number from 2 to {_MOST_ROUNDS}")
    if asked.sessions is not None:
        require_sessions(asked.sessions, Lengths(rashwan2012().experiment.largest_bytes))


def _measure(paper: Rashwan2012, asked: _Asked, equipment: CpuEquipment) -> Found:
    work = Work(scale=asked.scale, rounds=asked.rounds, sessions=asked.sessions, fresh=asked.fresh)
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=rashwan2012,
    asked=_Asked,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=_EXIT_CODES,
    examples=(
        "joulemark reproduce rashwan2012",
        "joulemark reproduce rashwan2012 --scale 0.1 --rounds 2 --output first-look",
        "joulemark reproduce rashwan2012 --sessions 1000 --fresh",
    ),
)
