# SPDX-License-Identifier: Apache-2.0
"""rashwan2012 from end to end: options, sessions on one core and on all cores, verdicts, page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.catalogue import every_algorithm
from joulemark.errors import UsageError
from joulemark.measure.session_rounds import MessageLengths, require_sessions
from joulemark.stats import median
from joulemark.studies.equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.rashwan2012.claims import BOUNDS, answers, ratios
from joulemark.studies.rashwan2012.measurement import measure
from joulemark.studies.rashwan2012.page import charts, tables
from joulemark.studies.rashwan2012.paper import (
    BUILDS,
    LIBRARIES,
    OWN,
    STAND_IN,
    Rashwan2012,
    RashwanFindings,
    rashwan2012,
)
from joulemark.studies.rashwan2012.workflow import RashwanWork
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.units import format_bytes, format_seconds, parse_sizes

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
    notes += [_adjusted(findings), _threads_of_cores(findings)]
    if our_aes := _our_aes(findings):
        notes.append(our_aes)
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


def _adjusted(findings: RashwanFindings) -> str:
    """Says what became of the number of sessions."""
    asked, sessions = findings.asked_sessions, findings.sessions
    last = findings.steps[-1] if findings.steps else None
    if last is None:
        return f"{asked} sessions, not adjusted: no function was measured session by session."
    if asked != sessions:
        return f"The number of sessions was adjusted from {asked} to {sessions}. {last.step}"
    if last.troubles:
        return f"{asked} sessions, and no other number helps. {last.step}"
    return f"{asked} sessions need no adjusting: the long windows count on every set of cores."


def _threads_of_cores(findings: RashwanFindings) -> str:
    """Names the cores that are hardware threads of one core."""
    groups = findings.hardware_threads
    if groups is None:
        return "Linux does not tell whether some of these cores are hardware threads of one core."
    if not groups:
        return "As far as Linux knows, no two of these cores are hardware threads of one core."
    named = "; ".join(" and ".join(map(str, group)) for group in groups)
    return (
        f"Hardware threads of one core each (SMT): {named}. One of each core is used before the "
        "second of any, and two of them together do less than two cores."
    )


def _our_aes(findings: RashwanFindings) -> str:
    """Says why our AES in plain C is dear, beside what others take; empty without it."""
    scope = findings.scopes[-1]
    largest = max((cell.size_bytes for cell in findings.figures), default=0)
    ours = findings.cell(STAND_IN, "software-only", scope, largest)
    if ours is None or not findings.reads_no_table(ours):
        return ""
    order = findings.order("software-only", scope, largest)
    dearest = " is the dearest function" if order[-1] is ours else ""
    others = [
        f"{LIBRARIES[row.library].title}, which reads tables, {findings.absolute(row.cell):.3g}"
        for row in findings.elsewhere
        if row.cell.good and (row.cell.build, row.cell.scope) == ("software-only", scope)
    ]
    assisted = findings.cell(STAND_IN, "hardware-assisted", scope, largest)
    if assisted is not None:
        others.append(f"{assisted.implementation} {findings.absolute(assisted):.3g}")
    beside = f" Beside it: {'; '.join(others)}." if others else ""
    return (
        f"{STAND_IN}{dearest or ' is dear'} in software alone "
        f"({findings.absolute(ours):.3g} {findings.unit} a byte at {format_bytes(largest)}), since "
        "our AES takes the same time for every key: it computes the S-box by gates, four blocks at "
        "once, and reads no table at a secret place; a chain of blocks, as in OMAC1, fills one of "
        f"the four.{beside}"
    )


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
        typer.Option(
            help="Sessions at once to begin with; the paper's 100 unless given. The study adjusts "
            "the number where windows do not count.",
            show_default=False,
        ),
    ] = None
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Message sizes, as in 64,1KiB or 16..65536; the paper's unless given.",
            show_default=False,
        ),
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

    @property
    def sizes_bytes(self) -> tuple[int, ...] | None:
        """The sizes of `--size`; None for the paper's."""
        return None if self.size is None else parse_sizes(self.size)


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
    experiment = rashwan2012().experiment
    for size in options.sizes_bytes or (experiment.largest_bytes,):
        require_sessions(options.sessions or experiment.sessions, MessageLengths(size))


_FUNCTION_S: Final = 25.0
"""Time of a function's windows at the usual length, with 13 sizes and three rounds."""
_LONG_S: Final = 25.0
"""Time of the long windows and of the numbers of cores, at the usual length."""
_OTHER_S: Final = 40.0
"""Time of checks, starts of processes and the set-up of keys."""


def _seconds(options: _Options) -> float:
    paper = rashwan2012()
    functions = len(paper.functions) + len(paper.beyond) + len(options.algorithms)
    sizes = len(options.sizes_bytes or paper.experiment.sizes_bytes)
    share = sizes / len(paper.experiment.sizes_bytes) * options.rounds / 3
    return _OTHER_S + max(options.scale, 0.1) * (_FUNCTION_S * functions * share + _LONG_S)


def _measure(paper: Rashwan2012, options: _Options, equipment: CpuEquipment) -> RashwanFindings:
    work = RashwanWork(
        scale=options.scale,
        rounds=options.rounds,
        sessions=options.sessions,
        sizes_bytes=options.sizes_bytes,
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
    seconds=_seconds,
    bounds=BOUNDS,
    exit_codes=exit_codes(
        "a function that computes something wrong, a full disk (functions "
        "that were finished are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce rashwan2012",
        "joulemark reproduce rashwan2012 --scale 0.1 --rounds 2 --output first-look",
        "joulemark reproduce rashwan2012 --library cryptopp --output with-cryptopp",
        "joulemark reproduce rashwan2012 --size 64,1KiB --sessions 1000 --fresh",
    ),
)
