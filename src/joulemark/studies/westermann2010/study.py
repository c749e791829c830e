# SPDX-License-Identifier: Apache-2.0
"""westermann2010 from end to end: options, every candidate in one run, audit, verdicts, page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.report import JsonObject
from joulemark.studies.equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.studies.westermann2010.claims import BOUNDS, answers
from joulemark.studies.westermann2010.measurement import (
    MeasuredFunction,
    WestermannFindings,
    WestermannWork,
    measure,
)
from joulemark.studies.westermann2010.page import charts, tables
from joulemark.studies.westermann2010.paper import (
    BITS,
    Bits,
    Westermann2010,
    correlations,
    rank_correlation,
    westermann2010,
)
from joulemark.units import format_seconds

# The page of westermann2010: its first sentences, its notes and its figures.


def page(paper: Westermann2010, findings: WestermannFindings) -> StudyPage:
    """Returns the page beside the claims."""
    return StudyPage(
        done=_done(findings),
        summary=_summary(paper, findings),
        notes=_notes(paper, findings),
        tables=tables(paper, findings),
        charts=charts(paper, findings),
        data=_data(paper, findings),
        missing=findings.missing,
    )


def _done(findings: WestermannFindings) -> str:
    """What was measured here and what was not."""
    timed = sum(function.seconds is not None for function in findings.functions)
    metered = sum(function.net_watts is not None for function in findings.functions)
    measured = [f"the time of {timed} functions"] if timed else []
    measured += [f"the energy of {metered}"] if metered else []
    absent = [] if findings.no_energy is None else [f"energy ({findings.no_energy})"]
    absent += [f"{len(findings.absent)} functions that are not here"] if findings.absent else []
    return done_words(measured, absent)


def _summary(paper: Westermann2010, findings: WestermannFindings) -> str:
    parts = []
    for bits in BITS:
        rows = findings.table(bits)
        if rows:
            fast, slow = rows[0], rows[-1]
            parts.append(
                f"With {bits} bits {fast.name} is the fastest of {len(rows)} functions "
                f"({_per_byte(fast)}) and {slow.name} the slowest ({_per_byte(slow)})"
            )
        if (likeness := _likeness(paper, findings, bits)) is not None:
            parts[-1] += f"; the paper's order and ours have a rank correlation of {likeness:.2f}"
    values = correlations(paper)
    audit = (
        "The paper's own rank correlations of power and time, 0.37 and 0.14, do not follow from "
        f"its tables, which give {values[256].all_rows:.2f} and {values[512].all_rows:.2f}; its "
        "energies do follow."
    )
    return " ".join([*(f"{part}." for part in parts), audit])


def _per_byte(function: MeasuredFunction) -> str:
    return f"{format_seconds(function.seconds_per_byte or 0.0)} a byte"


def _likeness(paper: Westermann2010, findings: WestermannFindings, bits: Bits) -> float | None:
    """Returns Spearman's coefficient of published and measured times of the candidates.

    None if fewer than three candidates were measured.
    """
    pairs = [
        (row.seconds, ours.seconds)
        for row in paper.table(bits, candidates=True)
        if (ours := findings.of(row.name, bits)) is not None and ours.seconds is not None
    ]
    return rank_correlation(*zip(*pairs, strict=True)) if len(pairs) >= 3 else None


def _notes(paper: Westermann2010, findings: WestermannFindings) -> list[str]:
    bytes_of = paper.experiment.bytes_interpretation
    notes = [
        (
            f"{findings.rounds} rounds, each function {format_seconds(findings.window_s)} in each; "
            "every round visits them in another order. Windows are equally long, not of equally "
            "many bytes, so that fast and slow functions are known equally well; the time of 16 "
            "GiB is 1024 times that of a message of 16 MiB."
        ),
        f"The paper: {paper.experiment.machine}. {bytes_of[0].upper()}{bytes_of[1:]}.",
        (
            "Each function is Joulemark's fastest implementation for this CPU, of the version that "
            "was a candidate in the second round."
        ),
    ]
    if findings.absent:
        notes.append(f"Not in this build: {', '.join(findings.absent)}.")
    if findings.no_energy:
        notes.append(f"No joules: {findings.no_energy}.")
    return [*notes, *findings.warnings]


def _data(paper: Westermann2010, findings: WestermannFindings) -> JsonObject:
    shown = (
        "name",
        "bits",
        "implementation",
        "seconds",
        "interval_s",
        "net_watts",
        "joules_per_byte",
    )
    return {
        "run": findings.run_id,
        "window_s": findings.window_s,
        "rounds": findings.rounds,
        "functions": [
            {key: getattr(function, key) for key in shown} for function in findings.functions
        ],
        "pairs": [asdict(pair) for pair in findings.pairs],
        "versions": [asdict(version) for version in findings.versions],
        "absent": findings.absent,
        "correlations": {
            str(bits): asdict(correlation) for bits, correlation in correlations(paper).items()
        },
    }


_MOST_ROUNDS: Final = 1000


@dataclass(frozen=True, slots=True)
class _Options:
    """How much is measured."""

    scale: Annotated[
        float,
        typer.Option(
            help="Share of the paper's work, above 0 and at most 1: 1 takes hours, 0.01 minutes."
        ),
    ] = 0.01
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


_OTHER_S: Final = 90.0
"""Time of checks and starts of processes, beside the visits."""
_VISIT_S: Final = 0.6
"""Time of a visit beside its window: calibration, and the process that starts."""


def _seconds(options: _Options) -> float:
    paper = westermann2010()
    rounds = options.rounds or paper.experiment.rounds
    window_s = WestermannWork(options.scale, rounds, options.as_published).window_s
    return _OTHER_S + (window_s + _VISIT_S) * rounds * len(paper.published)


def _measure(
    paper: Westermann2010, options: _Options, equipment: CpuEquipment
) -> WestermannFindings:
    rounds = paper.experiment.rounds if options.rounds is None else options.rounds
    work = WestermannWork(options.scale, rounds, options.as_published, options.fresh)
    return measure(paper, work, equipment)


STUDY: Final = PaperStudy(
    paper=westermann2010,
    options=_Options,
    equipment="metered cpu",
    check=_check,
    measure=_measure,
    judge=answers,
    page=page,
    seconds=_seconds,
    bounds=BOUNDS,
    exit_codes=exit_codes(
        "a meter that was named and is not there, a function that computes something wrong, a full "
        "disk (all samples that were taken are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce westermann2010",
        "joulemark reproduce westermann2010 --meter battery --as-published",
        "joulemark reproduce westermann2010 --scale 0.001 --rounds 4 --output first-look",
    ),
)
