# SPDX-License-Identifier: Apache-2.0
"""The tables of castellon2022: our figures beside those of the paper, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.report.sheet import Table, text_table
from joulemark.studies.castellon2022.claims import HEADLINE, amount, change, chunks_of, interval
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    CostSpread,
    Energies,
    ProgramComparison,
    RegimeVisit,
    Saving,
)
from joulemark.studies.castellon2022.paper import (
    Castellon2022,
    contiguous,
    energy_complexity,
    interleaved,
    page_table,
    parallelisation_index,
)
from joulemark.studies.study import beside
from joulemark.units import format_bytes, format_joules, format_percent, format_seconds, format_si


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
    def stated(row: ProgramComparison) -> str:
        saving = paper.saving_at(row.size_bytes)
        return f"{100 * saving.low:g} to {format_percent(saving.high, digits=3)} less"

    def printed(row: ProgramComparison) -> str:
        energy = paper.energy_at(row.size_bytes)
        if energy is None:
            return "-"
        return f"{energy.standard_joules * 1e6:.0f} / {energy.engineered_joules * 1e6:.0f}"

    return beside(
        title,
        caption,
        rows,
        {
            "Message": lambda row: format_bytes(row.size_bytes),
            f"O ({evidence})": lambda row: _spread_text(row.programs["standard"], joules=joules),
            f"E ({evidence})": lambda row: _spread_text(row.programs["ecm_j8"], joules=joules),
            "E against O, of means": lambda row: change(row.saving.of_means),
            f"E against O ({evidence})": lambda row: interval(row.saving),
            f"order alone ({evidence})": lambda row: interval(row.order_saving),
            "E against O (published)": stated,
            "O / E, µJ (published)": printed,
        },
    )


def _memory(visits: Sequence[RegimeVisit]) -> Table:
    def relative(saving: Saving | None) -> str:
        return "-" if saving is None else change(saving.median)

    def median_of(program: str) -> Callable[[RegimeVisit], str]:
        return lambda visit: format_seconds(visit.programs[program].median)

    return beside(
        "Messages in DRAM",
        "CPU time per message (measured), in a buffer far beyond the last-level cache. Row "
        "by row and same bank are what the simplest mapping of addresses to banks would make of "
        "strides of 8 KiB and 128 KiB; the real mapping cannot be known from user space. One "
        "process took them all, so the intervals leave its layout out.",
        visits,
        {
            "Message": lambda visit: format_bytes(visit.size_bytes),
            "Order": lambda visit: visit.order,
            "Read alone": median_of("read"),
            "O": median_of("standard"),
            "E": median_of("ecm_j8"),
            "E against O": lambda visit: interval(visit.saving),
            "reading, against sequential": lambda visit: relative(visit.reading_slower),
            "O, against sequential": lambda visit: relative(visit.slower_than_sequential),
        },
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
