# SPDX-License-Identifier: Apache-2.0
"""The tables of the study: ours beside what the paper printed, with the word beside each."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.studies.castellon2022.claims import HEADLINE, chunks_of, percent
from joulemark.studies.castellon2022.findings import Comparison, Findings
from joulemark.studies.castellon2022.memory_model import (
    contiguous,
    energy_complexity,
    interleaved,
    parallelisation_index,
)
from joulemark.studies.castellon2022.page_table import page_table
from joulemark.studies.castellon2022.paper import Castellon2022
from joulemark.studies.castellon2022.savings import Saving, Spread
from joulemark.studies.outcome import Table
from joulemark.units import format_bytes, format_joules, format_percent, format_seconds, format_si

__all__ = ["interval", "tables"]


def tables(paper: Castellon2022, findings: Findings, clock: str | None) -> list[Table]:
    """Every table.

    Args:
        paper: its facts.
        findings: ours.
        clock: evidence of the core cycles, `measured` or `modelled`; None without any.
    """
    made = [
        _programs("Through ctypes, one HMAC per event", _CTYPES, paper, findings.ctypes),
        _programs("The kernel alone", _KERNEL, paper, findings.kernel),
    ]
    if findings.energy is not None:
        made.append(_programs("Energy, the kernel alone", _ENERGY, paper, findings.energy))
    if findings.memory is not None:
        made.append(_memory(findings))
    made += [_saved(findings, clock), _model(paper)]
    return made


_CTYPES = (
    "As the paper measured: a C function called from Python, one call per event, wall time. "
    "Mean and standard deviation as the paper reports; saving as the median ratio of neighbouring "
    "events with its 95 % interval."
)
_KERNEL = (
    "Joulemark's harness, the message in the first-level cache, key set up once. O is the standard "
    "program, E the engineered one (jump 8); order is jump 8 beside jump 1."
)
_ENERGY = (
    "Joules per HMAC, net of deep idle where it could be measured; the interval is the widest."
)


def interval(saving: Saving) -> str:
    """A saving and its interval, as in "-2.3 % [-2.4 %, -2.1 %]"."""
    return f"{percent(saving.median)} [{percent(saving.low)}, {percent(saving.high)}]"


def _spread_text(one: Spread, *, joules: bool) -> str:
    show = format_joules if joules else format_seconds
    deviation = "" if one.deviation is None else f" ± {show(one.deviation)}"
    return f"{show(one.mean)}{deviation}"


def _programs(title: str, caption: str, paper: Castellon2022, rows: Sequence[Comparison]) -> Table:
    joules = caption == _ENERGY
    lines = []
    for row in rows:
        printed = paper.energy_at(row.size_bytes)
        published = paper.saving_at(row.size_bytes)
        lines.append(
            [
                format_bytes(row.size_bytes),
                _spread_text(row.programs["standard"], joules=joules),
                _spread_text(row.programs["ecm_j8"], joules=joules),
                percent(row.saving.of_means),
                interval(row.saving),
                interval(row.order_saving),
                f"{format_percent(published.low)} to {format_percent(published.high)}",
                "-"
                if printed is None
                else f"{printed.standard_joules * 1e6:.0f} / {printed.engineered_joules * 1e6:.0f}",
            ]
        )
    return Table(
        title=title,
        caption=caption,
        headings=["Message", "O (measured)", "E (measured)", "E saves, of means",
                  "E saves, median", "order alone", "E saves (published)",
                  "O / E, µJ (published)"],
        rows=lines,
    )  # fmt: skip


def _memory(findings: Findings) -> Table:
    assert findings.memory is not None
    lines = [
        [
            format_bytes(one.size_bytes),
            one.order,
            format_seconds(one.programs["read"].median),
            format_seconds(one.programs["standard"].median),
            format_seconds(one.programs["ecm_j8"].median),
            interval(one.saving),
            "-" if one.reading_slower is None else percent(-one.reading_slower.median),
            "-"
            if one.slower_than_sequential is None
            else percent(-one.slower_than_sequential.median),
        ]
        for one in findings.memory
    ]
    return Table(
        title="Messages in DRAM",
        caption="CPU time per message (measured), in a buffer far beyond the last-level cache. Row "
        "by row and same bank are what the simplest mapping of addresses to banks would make of "
        "strides of 8 KiB and 128 KiB; the real mapping cannot be known from user space.",
        headings=["Message", "Order", "Read alone", "O", "E", "E saves, median",
                  "reading, over sequential", "O, over sequential"],
        rows=lines,
    )  # fmt: skip


def _saved(findings: Findings, clock: str | None) -> Table:
    source = findings.cycles or findings.seconds
    base = source["standard"]
    lines = []
    for size, baseline in base.items():
        for name, by_size in source.items():
            if name == "standard" or size not in by_size:
                continue
            saved = baseline.median - by_size[size].median
            amount = f"{saved:.0f}" if findings.cycles else format_si(saved, "s")
            lines.append([format_bytes(size), name, amount, percent(saved / baseline.median)])
        headline = HEADLINE * baseline.median
        text = f"{headline:.0f}" if findings.cycles else format_si(headline, "s")
        lines.append(
            [format_bytes(size), "castellon2022, headline (published)", text, percent(HEADLINE)]
        )
    unit = f"core cycles ({clock})" if findings.cycles else "time (measured)"
    return Table(
        title="Saved against the paper's standard program",
        caption=f"Medians of {unit} per HMAC, the kernel alone. The published line is 17 % of our "
        "own baseline.",
        headings=["Message", "Implementation", f"saved, {unit}", "share"],
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
            [format_bytes(size), str(chunks), *(f"{one:.2f}" for one in cells), f"{added:.0f}"]
        )
    return Table(
        title="The paper's model of memory",
        caption="Parallelisation index I of P = 8 banks (modelled), for the padded message's "
        "chunks in their own order and with jump 8: banks filled one after the other, as in "
        "Fig. 3, or with neighbours in neighbouring banks. The last column is P B / I of equation "
        "1, which the paper adds to a time; it has the unit of B, bytes.",
        headings=["Message", "Chunks", "filled, plain", "filled, jump 8", "interleaved, plain",
                  "interleaved, jump 8", "P B / I, filled, jump 8"],
        rows=lines,
    )  # fmt: skip
