# SPDX-License-Identifier: Apache-2.0
"""The tables of kaps2006: its Table 1 and Table 2, as printed and by our flow."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.report.figures import core_figure_text
from joulemark.report.sheet import Table, text_table
from joulemark.studies.kaps2006.exact import (
    Cores,
    KapsFindings,
    milliseconds,
    packet_times_s,
    with_memory,
)
from joulemark.studies.kaps2006.paper import Kaps2006, KapsCore, packet_energy
from joulemark.studies.papers import CoreFigures
from joulemark.units import format_joules, format_seconds, format_si

_NONE = "-"


def tables(paper: Kaps2006, findings: KapsFindings) -> list[Table]:
    """Returns every table.

    A core without figures has no row; "-" stands for a missing figure, whose reason is in the
    study's data.
    """
    built = (findings.cores, with_memory(findings.cores, findings.memory), findings.ours)
    return [_cores(paper, *built), _packets(paper, *built)]


def _cores(paper: Kaps2006, cores: Cores, with_block: Cores | None, ours: Cores) -> Table:
    rows = []
    whole = None if with_block is None else with_block.sha1
    for title, name, designs in (
        ("SHA-1", "sha1", (cores.sha1, whole, ours.sha1)),
        ("AES-128", "aes", (cores.aes, None, ours.aes)),
    ):
        rows.append([f"{title}, published", *_published(paper, paper.core(name))])
        words = ("its design here", "the same with its memory", "our design")
        for word, core in zip(words, designs, strict=True):
            if core is not None:
                rows.append([f"{title}, {word}", *_here(core)])
    return text_table(
        title="Table 1, the cores at 500 kHz",
        caption="Clocks are simulated; area, path and power of our rows are modelled from a cell "
        "library and simulated toggles, wire load and glitches included. GE are areas of the "
        "library's NAND2. Rows of different processes compare designs, not processes. For our rows "
        "the shortest clock period stands in place of the critical path: it counts latches too. "
        "SHA-1's design leaves its block in a memory outside: the row with its memory adds one of "
        "latches, estimated from the library's cells.",
        headings=[
            "core",
            "clocks",
            "GE",
            "of it storage",
            "critical path",
            "leakage",
            "dynamic",
            "total",
            "energy of a block",
        ],
        rows=rows,
    )


def _published(paper: Kaps2006, core: KapsCore) -> list[str]:
    powers = (core.static_w, core.dynamic_w, core.total_w)
    return [
        str(core.clocks),
        f"{core.area_ge:.0f}",
        _NONE,
        format_seconds(core.critical_path_s),
        *(format_si(watts, "W", digits=4) for watts in powers),
        format_joules(core.block_j(paper.experiment.clock_hz), digits=4),
    ]


def _here(core: CoreFigures) -> list[str]:
    def number(value: float | None) -> str:
        return _NONE if value is None else f"{value:.0f}"

    return [
        number(core.clocks_per_block),
        number(core.area_ge),
        number(core.storage_ge),
        core_figure_text("period_s", core.period_s),
        core_figure_text("leakage_w", core.leakage_w),
        *(core_figure_text("dynamic_w", watts) for watts in (core.dynamic_w, core.total_w)),
        core_figure_text("energy_per_block_j", core.energy_per_block_j),
    ]


def _nanojoules(joules: float) -> str:
    """Writes an energy with the two decimals that the paper prints."""
    return f"{joules * 1e9:.2f} nJ"


def _packets(paper: Kaps2006, cores: Cores, with_block: Cores | None, ours: Cores) -> Table:
    sources: Sequence[tuple[str, Kaps2006 | Cores | None, bool]] = (
        ("recomputed from Table 1", paper, False),
        ("recomputed, padding counted", paper, True),
        ("its designs here, padding counted", cores, True),
        ("its designs here, SHA-1's memory counted", with_block, True),
        ("our designs, padding counted", ours, True),
    )
    rows: list[list[str]] = []
    for published in paper.published_energy:
        service, payload = published.service, published.payload_bytes
        rows.append(
            [
                service,
                "as printed",
                *map(_nanojoules, (published.aes_j, published.sha1_j)),
                *map(_milliseconds, (published.aes_s, published.sha1_s)),
            ]
        )
        for name, source, exact in sources:
            energies, clocks = (
                (None, None) if source is None else (source.block_energies_j, source.block_clocks)
            )
            if energies is None or clocks is None:
                continue
            packet = packet_energy(paper.packet, service, payload, *energies, exact=exact)
            seconds = packet_times_s(paper, service, payload, clocks, exact=exact)
            rows.append(
                [
                    service,
                    name,
                    *map(_nanojoules, (packet.aes_j, packet.sha1_j)),
                    *map(_milliseconds, seconds),
                ]
            )
    return text_table(
        title="Table 2, a packet with 29 bytes of payload",
        caption="Published rows are the paper's; the others are modelled: blocks by the energy of "
        "a block. Times at 500 kHz follow from the clocks of a block, which are simulated.",
        headings=["service", "source", "AES", "SHA-1", "AES, time", "SHA-1, time"],
        rows=rows,
    )


def _milliseconds(seconds: float) -> str:
    return f"{milliseconds(seconds)} ms"
