# SPDX-License-Identifier: Apache-2.0
"""rashwan2012 from end to end: options, sessions on one core and on all cores, verdicts, page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from joulemark.catalogue.hmac_over import every_algorithm
from joulemark.errors import UsageError
from joulemark.measure.sessions.work import Lengths, require_sessions
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.rashwan2012.claims import answers
from joulemark.studies.rashwan2012.findings import Findings
from joulemark.studies.rashwan2012.libraries import LIBRARIES, OWN
from joulemark.studies.rashwan2012.measurement import Work, measure
from joulemark.studies.rashwan2012.page import page
from joulemark.studies.rashwan2012.paper import Rashwan2012, rashwan2012
from joulemark.studies.study import Study

__all__ = ["STUDY"]

_MOST_SCALE: Final = 10.0
_MOST_ROUNDS: Final = 100


@dataclass(frozen=True, slots=True)
class _Options:
    """How much is measured."""

    scale: Annotated[
        float,
        typer.Option(
            help="Length of the windows, by the usual 0.1 s: above 0 and at most 10. The usual "
            "study takes less than ten minutes."
        ),
    ] = 1.0
    rounds: Annotated[int, typer.Option(help="Windows of each point.")] = 3
    sessions: Annotated[
        int | None,
        typer.Option(help="Sessions at once; the paper's 100 unless given.", show_default=False),
    ] = None
    library: Annotated[
        str,
        typer.Option(
            help=f"Where the functions come from, the same library in both builds: "
            f"{', '.join(LIBRARIES)}."
        ),
    ] = OWN
    also: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="MACs of the catalogue to measure beside, as in kmac128,blake3-keyed.",
            show_default=False,
        ),
    ] = None
    fresh: Annotated[bool, FRESH_OPTION] = False

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms of `--also`, each once."""
        words = (self.also or "").split(",")
        return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))


def _check(options: _Options) -> None:
    """Refuses work that gives no figure."""
    scale, rounds = options.scale, options.rounds
    if not 0 < scale <= _MOST_SCALE:
        raise UsageError(
            f"--scale {scale:g}: give more than 0 and at most {_MOST_SCALE:g}, as in 0.1"
        )
    if not 2 <= rounds <= _MOST_ROUNDS:
        raise UsageError(f"--rounds {rounds}: give a number from 2 to {_MOST_ROUNDS}")
    if options.library not in LIBRARIES:
        raise UsageError(f"--library {options.library}: name one of {', '.join(LIBRARIES)}")
    for name in options.algorithms:
        facts = every_algorithm().get(name)
        if facts is None or facts.kind != "mac" or facts.one_time_key:
            raise UsageError(
                f"--also {name}: name MACs whose keys serve many messages; see 'joulemark list'"
            )
    if options.sessions is not None:
        require_sessions(options.sessions, Lengths(rashwan2012().experiment.largest_bytes))


def _measure(paper: Rashwan2012, options: _Options, equipment: CpuEquipment) -> Findings:
    work = Work(
        scale=options.scale, rounds=options.rounds, sessions=options.sessions, fresh=options.fresh,
        library=options.library, also=options.algorithms,
    )  # fmt: skip
    return measure(paper, work, equipment)


STUDY: Final = Study(
    paper=rashwan2012,
    options=_Options,
    equipment="cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    exit_codes=exit_codes(
        "a meter that was named, a function that computes something wrong, a full disk (functions "
        "that were finished are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce rashwan2012",
        "joulemark reproduce rashwan2012 --scale 0.1 --rounds 2 --output first-look",
        "joulemark reproduce rashwan2012 --library cryptopp --output with-cryptopp",
        "joulemark reproduce rashwan2012 --sessions 1000 --fresh",
    ),
)
