# SPDX-License-Identifier: Apache-2.0
"""The tables of castellon2022: our figures beside those of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from joulemark.report import Table, text_table
from joulemark.studies.castellon2022.claims import HEADLINE
from joulemark.studies.castellon2022.findings import (
    CastellonFindings,
    Energies,
    ProgramComparison,
    RegimeVisit,
)
from joulemark.studies.castellon2022.paper import Castellon2022, MemoryModel, model_table
from joulemark.studies.castellon2022.regimes import OTHER_JUMPS
from joulemark.studies.castellon2022.savings import CostSpread, Saving, amount, change, interval
from joulemark.studies.study import beside
from joulemark.units import format_bytes, format_joules, format_percent, format_seconds, format_si


def tables(
    paper: Castellon2022, findings: CastellonFindings, clock: str | None, model: MemoryModel
) -> list[Table]:
    """Returns every table.

    `clock` is the evidence of the core cycles, `measured` or `modelled`, and None without any.
    """
    energy, memory = findings.energy, findings.memory
    return [
        _savings("The order alone, and E against O: the kernel alone", paper, findings.kernel),
        _savings("The order alone, and E against O: through ctypes", paper, findings.ctypes),
        _programs("Through ctypes, one HMAC per event", _CTYPES, paper, findings.ctypes),
        _programs("The kernel alone", _KERNEL, paper, findings.kernel),
        *([] if energy is None else _energy(paper, energy)),
        *([_compilers(findings)] if findings.compilers else []),
        *([] if memory is None else [_memory(memory)]),
        _saved(findings, clock),
        model_table(paper, model),
    ]


_FIELDS = {
    "order alone, by bytes": "order_saving",
    "order alone, by chunks": "chunks_order_saving",
    "both by bytes": "saving",
    "both by chunks": "chunks_saving",
    "O by bytes, E by chunks": "mixed_saving",
}
_TAGS = (
    "All programs that the compilers built gave the same tag, that of Python's hmac, at every size."
)
_SAVINGS = (
    "Order alone is jump 8 beside jump 1 of the engineered program. E against O by filling: both "
    "byte by byte, both with copies of whole chunks, or only E with copies. Centre of the ratios "
    "of neighbouring events; the interval counts each process once, and all sizes hold together "
    "with 95 %."
)
_CTYPES = (
    "As the paper measured: a C function called from Python, one call per event, wall time, in "
    "several processes. Mean and standard deviation as the paper reports."
)
_KERNEL = (
    "Joulemark's harness, the message in the first-level cache, key set up once. O is the standard "
    "program, E the engineered one (jump 8)."
)
_ENERGY = {
    "net": "Joules per HMAC of all programs, net of deep idle.",
    "gross": "Joules per HMAC of all programs, gross: idle power is in them, since it could not be "
    "subtracted for every one.",
}
_WIDEST = "The interval of a saving is the widest that those of the two programs allow."


def _energy(paper: Castellon2022, energy: Energies) -> list[Table]:
    title = f"Energy, the kernel alone ({energy.evidence}, {energy.kind})"
    evidence = energy.evidence
    return [
        _savings(f"E against O: {title}", paper, energy.rows, evidence=evidence, caption=_WIDEST),
        _programs(title, _ENERGY[energy.kind], paper, energy.rows, evidence=evidence, joules=True),
    ]


def _savings(
    title: str,
    paper: Castellon2022,
    rows: Sequence[ProgramComparison],
    *,
    evidence: str = "measured",
    caption: str = _SAVINGS,
) -> Table:
    """What the order saves and what the engineered program saves, by filling."""

    def stated(row: ProgramComparison) -> str:
        saving = paper.saving_at(row.size_bytes)
        return f"{100 * saving.low:g} to {format_percent(saving.high, digits=3)} less"

    def shown(field: str) -> Callable[[ProgramComparison], str]:
        def cell(row: ProgramComparison) -> str:
            saving = getattr(row, field)
            return "-" if saving is None else interval(saving)

        return cell

    return beside(
        f"{title} ({evidence})" if evidence == "measured" else title,
        caption,
        rows,
        {
            "Message": lambda row: format_bytes(row.size_bytes),
            **{heading: shown(field) for heading, field in _FIELDS.items()},
            "published": stated,
        },
    )


def _compilers(findings: CastellonFindings) -> Table:
    """E against O by size and compiler."""
    compilers = findings.compilers
    known = [each.energy for each in compilers if each.energy is not None]
    joules = known[0] if len(known) == len(compilers) else None
    rows = [
        (row, each.compiler)
        for at_size in zip(*(each.decisive for each in compilers), strict=True)
        for row, each in zip(at_size, compilers, strict=True)
    ]

    def shown(field: str) -> Callable[[tuple[ProgramComparison, str]], str]:
        def cell(pair: tuple[ProgramComparison, str]) -> str:
            saving = getattr(pair[0], field)
            return "-" if saving is None else interval(saving)

        return cell

    by = "time, measured" if joules is None else f"energy, {joules.evidence}, {joules.kind}"
    return beside(
        f"E against O by compiler: the kernel alone ({by})",
        f"{_TAGS} {_SAVINGS if joules is None else _WIDEST}",
        rows,
        {
            "Message": lambda pair: format_bytes(pair[0].size_bytes),
            "compiler": lambda pair: pair[1],
            **{heading: shown(field) for heading, field in _FIELDS.items()},
        },
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
    def cost(program: str) -> Callable[[ProgramComparison], str]:
        def cell(row: ProgramComparison) -> str:
            spread = row.programs.get(program)
            return "-" if spread is None else _spread_text(spread, joules=joules)

        return cell

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
            f"O, by bytes ({evidence})": cost("standard"),
            "O, by chunks": cost("standard_chunks"),
            "E, by bytes": cost("ecm_j8"),
            "E, by chunks": cost("ecm_chunks_j8"),
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
            if name in {"standard", *OTHER_JUMPS} or size not in by_size:
                continue
            saved = baseline.median - by_size[size].median
            share = change(saved / baseline.median)
            lines.append([format_bytes(size), name, amount(saved, shown(abs(saved))), share])
        headline, name = HEADLINE * baseline.median, "castellon2022, headline (published)"
        cost = amount(headline, shown(headline))
        lines.append([format_bytes(size), name, cost, change(HEADLINE)])
    unit = f"core cycles ({clock})" if findings.cycles else "time (measured)"
    return text_table(
        title="Everything against the paper's standard program",
        caption=f"Medians of {unit} per HMAC, the kernel alone. The published line is 17 % of our "
        "own baseline.",
        headings=["Message", "Implementation", f"against O, {unit}", "share"],
        rows=lines,
    )
