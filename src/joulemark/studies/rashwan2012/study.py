# SPDX-License-Identifier: Apache-2.0
"""rashwan2012 from end to end: options, sessions on one core and on all cores, verdicts, page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.catalogue.algorithms import every_algorithm
from joulemark.errors import UsageError
from joulemark.measure.session_rounds import MessageLengths, require_sessions
from joulemark.stats import median
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.rashwan2012.claims import answers, ratios
from joulemark.studies.rashwan2012.measurement import RashwanWork, measure
from joulemark.studies.rashwan2012.page import charts, tables
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    OWN,
    Rashwan2012,
    RashwanFindings,
    rashwan2012,
)
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.units import format_bytes, format_seconds

# The page of rashwan2012: its first sentences, its notes and its figures.


def page(paper: Rashwan2012, findings: RashwanFindings) -> StudyPage:
    """Returns the page beside the claims."""
    return StudyPage(
        done=_done(findings),
        summary=_summary(findings),
        notes=_notes(paper, findings),
        tables=tables(findings),
        charts=charts(findings),
        data={**asdict(findings), "unit": findings.unit},
        missing=findings.missing,
    )


def _done(findings: RashwanFindings) -> str:
    """What was measured here and what was not."""
    functions = {cell.function for cell in findings.figures}
    return done_words([f"{len(functions)} functions"] if functions else [], [*findings.absent])


def _summary(findings: RashwanFindings) -> str:
    parts = []
    largest = max((cell.size_bytes for cell in findings.figures), default=0)
    for build in BUILDS:
        order = findings.order(build, findings.scopes[-1], largest)
        if order:
            parts.append(
                f"{build.capitalize()}, at {format_bytes(largest)}, {order[0].function} is the "
                f"cheapest ({findings.absolute(order[0]):.3g} {findings.unit} a byte) and "
                f"{order[-1].function} the dearest ({findings.absolute(order[-1]):.3g})."
            )
    if values := ratios(findings, "apparent"):
        spent = ratios(findings, "absolute")
        parts.append(
            f"On {len(findings.cores)} cores apparent processing is {median(values):.3f} of that "
            f"on one core, and absolute processing {median(spent):.3f} of it."
        )
    return " ".join(parts) or "No figure: no window counts."


def _notes(paper: Rashwan2012, findings: RashwanFindings) -> list[str]:
    experiment, cores = paper.experiment, findings.cores
    windows = [row for cell in findings.cells for row in cell.windows]
    bad = sum(bool(window.troubles) for window in windows)
    notes = [
        (
            f"{findings.sessions} sessions, each a thread with a separate key, message and tag, on "
            f"core {cores[0]} and on cores {', '.join(map(str, cores))}; {findings.rounds} rounds "
            f"of windows of {format_seconds(findings.window_s)}, longer where that was too short."
        ),
        f"{LIBRARIES[findings.library].note} The paper compiled Crypto++ in two ways.",
        f"Sizes: {experiment.sizes_interpretation}.",
        f"The paper: {experiment.machine}; {experiment.library}.",
        (
            "Per session, apparent is the window over n times the session's bytes; were all "
            "sessions alike, that were the apparent processing of all. This is our reading of "
            f"{experiment.per_thread_place}."
        ),
    ]
    lost = len(findings.cells) * findings.rounds - len(windows)
    if lost:
        notes.append(f"In {lost} windows no session tagged a message; no figure uses them.")
    if bad:
        notes.append(
            f"{bad} of {len(windows)} windows do not count after all attempts, and no figure "
            "stands on them: repeat the study with --fresh at a quiet moment."
        )
    if findings.beyond:
        notes.append(
            f"Beyond the paper, and so in no claim: {', '.join(findings.beyond)}. A MAC with "
            "nonces gets another nonce for each message."
        )
    if findings.absent:
        notes.append(f"Not here yet: {', '.join(findings.absent)}.")
    return notes


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
        require_sessions(options.sessions, MessageLengths(rashwan2012().experiment.largest_bytes))


def _measure(paper: Rashwan2012, options: _Options, equipment: CpuEquipment) -> RashwanFindings:
    work = RashwanWork(
        scale=options.scale,
        rounds=options.rounds,
        sessions=options.sessions,
        fresh=options.fresh,
        library=options.library,
        also=options.algorithms,
    )
    return measure(paper, work, equipment)


STUDY: Final = PaperStudy(
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
