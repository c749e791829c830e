# SPDX-License-Identifier: Apache-2.0
"""castellon2022 from end to end: options, three regimes on this machine's CPU, verdicts, page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer

from joulemark.errors import UsageError
from joulemark.records.trial import Trial
from joulemark.report.sheet import Table, text_table
from joulemark.studies.castellon2022.charts import charts
from joulemark.studies.castellon2022.claims import (
    HEADLINE,
    amount,
    answers,
    change,
    chunks_of,
    extremes,
    interval,
    percent,
)
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    CostSpread,
    Energies,
    ProgramComparison,
    RegimeVisit,
    Saving,
)
from joulemark.studies.castellon2022.kernel_alone import RIVALS
from joulemark.studies.castellon2022.measurement import CastellonWork, Measurement, measure
from joulemark.studies.castellon2022.memory_bound import VisitEffort
from joulemark.studies.castellon2022.paper import (
    Castellon2022,
    castellon2022,
    contiguous,
    energy_complexity,
    interleaved,
    page_table,
    parallelisation_index,
)
from joulemark.studies.castellon2022.through_ctypes import CastellonLibrary
from joulemark.studies.cpu_equipment import FRESH_OPTION, CpuEquipment, exit_codes
from joulemark.studies.study import PaperStudy, StudyPage, done_words
from joulemark.units import format_bytes, format_joules, format_percent, format_seconds, format_si

# The tables of the study: our figures beside those of the paper, each with its evidence.


def tables(paper: Castellon2022, findings: CastellonFindings, clock: str | None) -> list[Table]:
    """Returns every table.

    `clock` is the evidence of the core cycles, `measured` or `modelled`, and None without any.
    """
    energy, memory = findings.energy, findings.memory
    return [
        _programs("Through ctypes, one HMAC per event", _CTYPES, paper, findings.ctypes),
        _programs("The kernel alone", _KERNEL, paper, findings.kernel),
        *([] if energy is None else [_energy(paper, energy)]),
        *([] if memory is None else [_memory(memory)]),
        _saved(findings, clock),
        _model(paper),
    ]


_TOGETHER = (
    "The interval of a ratio counts each process once, and all sizes hold together with 95 %."
)
_CTYPES = (
    "As the paper measured: a C function called from Python, one call per event, wall time, in "
    "several processes. Mean and standard deviation as the paper reports; E against O as the "
    f"centre of the ratios of neighbouring events. {_TOGETHER}"
)
_KERNEL = (
    "Joulemark's harness, the message in the first-level cache, key set up once. O is the standard "
    "program, E the engineered one (jump 8); order alone is jump 8 beside jump 1. "
    f"{_TOGETHER}"
)
_ENERGY = {
    "net": "Joules per HMAC of all programs, net of deep idle; the interval is the widest that "
    "those of the two programs allow.",
    "gross": "Joules per HMAC of all programs, gross: idle power is in them, since it could not be "
    "subtracted for every one; the interval is the widest that those of the two programs allow.",
}


def _energy(paper: Castellon2022, energy: Energies) -> Table:
    title = f"Energy, the kernel alone ({energy.evidence}, {energy.kind})"
    return _programs(
        title, _ENERGY[energy.kind], paper, energy.rows, evidence=energy.evidence, joules=True
    )


def _spread_text(spread: CostSpread, *, joules: bool) -> str:
    show = format_joules if joules else format_seconds
    deviation = "" if spread.deviation is None else f" ± {show(spread.deviation)}"
    return f"{show(spread.mean)}{deviation}"


def _programs(
    title: str,
    caption: str,
    paper: Castellon2022,
    rows: Sequence[ProgramComparison],
    *,
    evidence: str = "measured",
    joules: bool = False,
) -> Table:
    lines = []
    for row in rows:
        published, printed = paper.saving_at(row.size_bytes), "-"
        energy = paper.energy_at(row.size_bytes)
        if energy is not None:
            printed = f"{energy.standard_joules * 1e6:.0f} / {energy.engineered_joules * 1e6:.0f}"
        lines.append(
            [
                format_bytes(row.size_bytes),
                _spread_text(row.programs["standard"], joules=joules),
                _spread_text(row.programs["ecm_j8"], joules=joules),
                change(row.saving.of_means),
                interval(row.saving),
                interval(row.order_saving),
                f"{100 * published.low:g} to {format_percent(published.high, digits=3)} less",
                printed,
            ]
        )
    return text_table(
        title=title,
        caption=caption,
        headings=[
            "Message",
            f"O ({evidence})",
            f"E ({evidence})",
            "E against O, of means",
            f"E against O ({evidence})",
            f"order alone ({evidence})",
            "E against O (published)",
            "O / E, µJ (published)",
        ],
        rows=lines,
    )


def _memory(visits: Sequence[RegimeVisit]) -> Table:
    def beside(saving: Saving | None) -> str:
        return "-" if saving is None else change(saving.median)

    columns = ("read", "standard", "ecm_j8")
    lines = [
        [
            format_bytes(visit.size_bytes),
            visit.order,
            *(format_seconds(visit.programs[name].median) for name in columns),
            interval(visit.saving),
            beside(visit.reading_slower),
            beside(visit.slower_than_sequential),
        ]
        for visit in visits
    ]
    return text_table(
        title="Messages in DRAM",
        caption="CPU time per message (measured), in a buffer far beyond the last-level cache. Row "
        "by row and same bank are what the simplest mapping of addresses to banks would make of "
        "strides of 8 KiB and 128 KiB; the real mapping cannot be known from user space. One "
        "process took them all, so the intervals leave its layout out.",
        headings=[
            "Message",
            "Order",
            "Read alone",
            "O",
            "E",
            "E against O",
            "reading, against sequential",
            "O, against sequential",
        ],
        rows=lines,
    )


def _saved(findings: CastellonFindings, clock: str | None) -> Table:
    source = findings.cycles or findings.seconds
    base = source["standard"]

    def shown(value: float) -> str:
        return f"{value:.0f}" if findings.cycles else format_si(value, "s")

    lines = []
    for size, baseline in base.items():
        for name, by_size in source.items():
            if name == "standard" or size not in by_size:
                continue
            saved = baseline.median - by_size[size].median
            share = change(saved / baseline.median)
            lines.append([format_bytes(size), name, amount(saved, shown(abs(saved))), share])
        headline = HEADLINE * baseline.median
        lines.append(
            [
                format_bytes(size),
                "castellon2022, headline (published)",
                amount(headline, shown(headline)),
                change(HEADLINE),
            ]
        )
    unit = f"core cycles ({clock})" if findings.cycles else "time (measured)"
    return text_table(
        title="Everything against the paper's standard program",
        caption=f"Medians of {unit} per HMAC, the kernel alone. The published line is 17 % of our "
        "own baseline.",
        headings=["Message", "Implementation", f"against O, {unit}", "share"],
        rows=lines,
    )


def _model(paper: Castellon2022) -> Table:
    experiment = paper.experiment
    lines = []
    for size in experiment.sizes_bytes:
        chunks = chunks_of(size, experiment.chunk_bytes)
        plain, jumped = list(range(chunks)), page_table(chunks, experiment.jump)
        cells = [
            parallelisation_index(order, experiment.banks, layout)
            for layout in (contiguous, interleaved)
            for order in (plain, jumped)
        ]
        added = energy_complexity(0.0, experiment.banks, experiment.chunk_bytes, cells[1])
        lines.append(
            [format_bytes(size), str(chunks), *(f"{cell:.2f}" for cell in cells), f"{added:.0f}"]
        )
    return text_table(
        title="The paper's model of memory",
        caption="Parallelisation index I of P = 8 banks (modelled), for the padded message's "
        "chunks in their own order and with jump 8: banks filled one after the other, as in "
        "Fig. 3, or with neighbours in neighbouring banks. The last column is P B / I of equation "
        "1, which the paper adds to a time; it has the unit of B, bytes.",
        headings=[
            "Message",
            "Chunks",
            "filled, plain",
            "filled, jump 8",
            "interleaved, plain",
            "interleaved, jump 8",
            "P B / I, filled, jump 8",
        ],
        rows=lines,
    )


# The page of castellon2022: its first sentences, its notes and its figures.


def page(paper: Castellon2022, measurement: Measurement) -> StudyPage:
    """Returns the page beside the claims."""
    findings = measurement.findings
    return StudyPage(
        done=_done(findings),
        summary=_summary(findings),
        notes=[*_notes(paper, findings, measurement.subjects), *measurement.warnings],
        tables=tables(paper, findings, measurement.clock),
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
    return done_words(measured, absent)


def _summary(findings: CastellonFindings) -> str:
    by, rows = findings.decisive
    savings = [row.saving.median for row in rows]
    order = [row.order_saving.median for row in findings.kernel]
    source = findings.cycles or findings.seconds
    base = source["standard"]
    others = [name for name in ("engine", "shani", "portable") if name in source]
    better = ""
    if others:
        best = others[0]
        shares = [1 - source[best][size].median / base[size].median for size in base]
        better = f" Beside the same program, Joulemark's {best} costs {extremes(shares)}."
    return (
        f"The paper reports 12 to 17 % less. Here the engineered program costs {extremes(savings)} "
        f"by {by}; the order of the chunks alone makes it cost {extremes(order)}.{better}"
    )


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
        "one compression function, one way of filling; only the place of the chunks differs."
    )
    call = (
        f"Crossing from Python to C and back is {percent(min(crossing))} to "
        f"{percent(max(crossing))} of an event through ctypes (a function that does nothing)."
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
    CastellonLibrary()


def _measure(paper: Castellon2022, options: _Options, equipment: CpuEquipment) -> Measurement:
    usual = _QUICK_REPETITIONS if options.quick else paper.experiment.repetitions
    effort = VisitEffort(rounds=_QUICK_ROUNDS) if options.quick else VisitEffort()
    work = CastellonWork(
        repetitions=usual if options.repetitions is None else options.repetitions,
        memory=effort if options.memory else None,
        energy=equipment.energy,
        fresh=options.fresh,
    )
    return measure(paper, work, equipment)


STUDY: Final = PaperStudy(
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
