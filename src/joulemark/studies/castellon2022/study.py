# SPDX-License-Identifier: Apache-2.0
"""castellon2022 from end to end: options, three regimes on this machine's CPU, verdicts, page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.records.trial import Trial
from joulemark.studies.castellon2022.charts import charts
from joulemark.studies.castellon2022.claims import BOUNDS, answers
from joulemark.studies.castellon2022.compilers import compilers_named
from joulemark.studies.castellon2022.findings import CastellonFindings
from joulemark.studies.castellon2022.measurement import CastellonWork, Measurement, measure
from joulemark.studies.castellon2022.paper import Castellon2022, MemoryModel, castellon2022
from joulemark.studies.castellon2022.regimes import RIVALS, VisitEffort
from joulemark.studies.castellon2022.savings import Saving, extremes, percent
from joulemark.studies.castellon2022.tables import tables
from joulemark.studies.castellon2022.through_ctypes import CastellonLibrary
from joulemark.studies.equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.study import PaperStudy, StudyPage, done_words

# The page of castellon2022: its first sentences, its notes and its figures.


def page(paper: Castellon2022, measurement: Measurement) -> StudyPage:
    """Returns the page beside the claims."""
    findings = measurement.findings
    return StudyPage(
        done=_done(findings),
        summary=_summary(findings),
        notes=[*_notes(paper, findings, measurement.subjects), *measurement.warnings],
        tables=tables(paper, findings, measurement.clock, measurement.work.model),
        charts=charts(paper, findings),
        data={
            "run": measurement.run_id,
            "asked": asdict(measurement.work),
            "published": paper.model_dump(mode="json", exclude={"claims"}),
            **findings.model_dump(mode="json"),
        },
        missing=measurement.missing,
    )


def _done(findings: CastellonFindings) -> str:
    """What was measured here and what was not."""
    measured = ["the time of both programs, alone and through ctypes"]
    absent = []
    if findings.energy is None:
        absent.append(f"their energy ({findings.energy_reason})")
    else:
        measured.append(f"their energy ({findings.energy.evidence})")
    if findings.memory is None:
        absent.append(f"visits of memory banks ({findings.memory_reason or 'not asked for'})")
    else:
        measured.append("visits of memory banks")
    if findings.compilers:
        names = " and ".join(each.compiler for each in findings.compilers)
        measured.append(f"the programs as {names} build them")
    return done_words(measured, absent)


def _summary(findings: CastellonFindings) -> str:
    by, rows = findings.decisive
    kernel = findings.kernel
    order = _medians(
        [row.order_saving for row in kernel] + [row.chunks_order_saving for row in kernel]
    )
    equal = _medians([row.saving for row in rows] + [row.chunks_saving for row in rows])
    mixed = _medians([row.mixed_saving for row in rows])
    source = findings.cycles or findings.seconds
    base = source["standard"]
    others = [name for name in ("engine", "shani", "portable") if name in source]
    better = ""
    if others:
        best = others[0]
        shares = [1 - source[best][size].median / base[size].median for size in base]
        better = f" Beside the same program, Joulemark's {best} costs {extremes(shares)}."
    copying = ""
    if mixed:
        copying = (
            " If it copies whole chunks and the standard program is filled byte by byte, it costs "
            f"{extremes(mixed)}, "
        ) + _explained(mixed, castellon2022().saving_of("exception").low)
    return (
        f"The order of the chunks alone makes an HMAC cost {extremes(order)} (the kernel alone). "
        f"The paper reports 12 to 17 % less; by {by} the engineered program costs "
        f"{extremes(equal)} if both programs are filled in one way.{copying}"
        f"{better}"
    )


def _explained(savings: Sequence[float], least: float) -> str:
    """How far savings at several sizes explain the paper's, the least of which is given."""
    many = sum(saving >= least for saving in savings)
    if not many:
        return "which does not explain what the paper says."
    at_some = f" at {many} of {len(savings)} sizes, and less at others"
    where = "" if many == len(savings) else at_some
    return (
        f"as much as the paper says or near it{where}, without a memory bank in it. That is a "
        "hypothesis: the paper's programs were not published."
    )


def _medians(savings: Sequence[Saving | None]) -> list[float]:
    return [saving.median for saving in savings if saving is not None]


def _notes(
    paper: Castellon2022, findings: CastellonFindings, subjects: Mapping[str, Trial]
) -> list[str]:
    notes = []
    if findings.energy is None:
        notes.append(
            f"Without joules ({findings.energy_reason}), claims about energy are judged by time, "
            "as if both programs drew the same power."
        )
    elif findings.energy.kind == "gross":
        notes.append(
            "Joules are gross for all programs, since idle power could not be subtracted for "
            "every one of them."
        )
    crossing = [
        row.programs["nothing"].median / row.programs["standard"].median for row in findings.ctypes
    ]
    programs = (
        "The programs are ours, written from the paper's text, since its own were not published: "
        "one compression function, and both fillings of both programs; with one filling, only the "
        "place of the chunks differs. The engineered program keeps its page tables, as section "
        "II-C.2 of the paper says."
    )
    call = (
        f"Crossing from Python to C and back is {percent(min(crossing))} to "
        f"{percent(max(crossing))} of an event through ctypes (a function that does nothing). "
        "Events in whose turn another thread took the CPU are taken again, as windows of the "
        "harness are."
    )
    meters = (
        "A meter of joules is updated about once in a millisecond, an HMAC takes microseconds: no "
        "meter resolves one event, the paper's included. Energy is metered over many messages."
    )
    experiment = paper.experiment
    notes += [
        f"The paper measured on: {experiment.machine}.",
        f"Chunks of {experiment.chunk_bytes} bytes: {experiment.chunk_interpretation}.",
        programs,
        call,
        meters,
    ]
    notes += [
        f"{each.compiler} is {each.version}, with {each.flags}." for each in findings.compilers
    ]
    absent = [name for name in RIVALS if name not in subjects]
    if absent:
        notes.append(f"Not available here, so not in the last chart: {', '.join(absent)}.")
    engine = subjects.get("engine")
    if engine is not None and engine.workload.batch == 1:
        notes.append("The engine was measured with one message at a time.")
    return notes


_MOST_REPETITIONS: Final = 100_000
_QUICK_REPETITIONS: Final = 100
_QUICK_ROUNDS: Final = 8
_MOST_BANKS: Final = 1024
_MOST_CHUNK_BYTES: Final = 65536


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
    compiler: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROGRAM",
            help="gcc, clang or another, which builds the programs too; may be given several "
            "times.",
        ),
    ] = None
    fresh: Annotated[bool, FRESH_OPTION] = False
    banks: Annotated[
        int | None,
        typer.Option(
            help="P of the paper's model of memory, which the last table shows; 8 unless given.",
            metavar="P",
            show_default=False,
        ),
    ] = None
    chunk_bytes: Annotated[
        int | None,
        typer.Option(help="B of that model; 64 unless given.", metavar="B", show_default=False),
    ] = None
    index: Annotated[
        float | None,
        typer.Option(
            help="I of that model, 1 to P; that of Algorithm 1 unless given.",
            metavar="I",
            show_default=False,
        ),
    ] = None


def _check(options: _Options) -> None:
    """Refuses a number of repetitions that gives no figure, and a build without programs."""
    count = options.repetitions
    if count is not None and not 2 <= count <= _MOST_REPETITIONS:
        raise UsageError(f"--repetitions {count}: give a number from 2 to {_MOST_REPETITIONS}")
    for option, value, most in (
        ("--banks", options.banks, _MOST_BANKS),
        ("--chunk-bytes", options.chunk_bytes, _MOST_CHUNK_BYTES),
        ("--index", options.index, options.banks or castellon2022().experiment.banks),
    ):
        if value is not None and not 1 <= value <= most:
            raise UsageError(f"{option} {value:g}: give a number from 1 to {most}")
    CastellonLibrary()
    compilers_named(options.compiler or ())


_USUAL_S: Final = 300.0
"""Time of the usual work."""
_COMPILER_S: Final = 75.0
"""Time of the programs that one compiler builds."""


def _seconds(options: _Options) -> float:
    repetitions = _QUICK_REPETITIONS if options.quick else castellon2022().experiment.repetitions
    share = (options.repetitions or repetitions) / castellon2022().experiment.repetitions
    return 30.0 + share * (_USUAL_S + _COMPILER_S * len(options.compiler or ()))


def _measure(paper: Castellon2022, options: _Options, equipment: CpuEquipment) -> Measurement:
    usual = _QUICK_REPETITIONS if options.quick else paper.experiment.repetitions
    effort = VisitEffort(rounds=_QUICK_ROUNDS) if options.quick else VisitEffort()
    work = CastellonWork(
        repetitions=usual if options.repetitions is None else options.repetitions,
        memory=effort if options.memory else None,
        energy=equipment.energy,
        fresh=options.fresh,
        model=MemoryModel(options.banks, options.chunk_bytes, options.index),
        compilers=tuple(dict.fromkeys(options.compiler or ())),
    )
    return measure(paper, work, equipment)


STUDY: Final = PaperStudy(
    paper=castellon2022,
    options=_Options,
    equipment="metered cpu",
    check=_check,
    measure=_measure,
    judge=lambda paper, measurement: answers(paper, measurement.findings),
    page=page,
    seconds=_seconds,
    bounds=BOUNDS,
    exit_codes=exit_codes(
        "a meter that was named and is not there, too little memory for the buffer, no programs of "
        "the paper, a program that computes something wrong, a full disk (all parts that were "
        "finished are kept, and the same command goes on)"
    ),
    examples=(
        "joulemark reproduce castellon2022",
        "joulemark reproduce castellon2022 --quick --output first-look",
        "joulemark reproduce castellon2022 --compiler gcc --compiler clang",
        "joulemark reproduce castellon2022 --repetitions 5000 --json > castellon2022.json",
    ),
)
