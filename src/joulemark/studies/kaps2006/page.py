# SPDX-License-Identifier: Apache-2.0
"""The tables and charts of kaps2006: Table 1 and 2, as printed and by our flow, and Fig. 3 to 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from joulemark.report import NONE, Chart, Table, text_table
from joulemark.report.drawing import Spec, channel, chart_part, mark, palette_colour
from joulemark.report.words import core_figure_text
from joulemark.studies.kaps2006.conclusion import (
    PAYLOADS_BYTES,
    TableValue,
    crossings,
    differing_payloads,
    milliseconds,
    neighbours,
    packet_times_s,
    table_2,
)
from joulemark.studies.kaps2006.measurement import Cores, KapsFindings, with_memory
from joulemark.studies.kaps2006.paper import (
    SERVICES,
    Firmware,
    Kaps2006,
    KapsCore,
    Service,
    packet_energies,
    packet_energy,
)
from joulemark.studies.papers import CoreFigures
from joulemark.studies.study import beside
from joulemark.units import format_joules, format_seconds, format_si


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
        NONE,
        format_seconds(core.critical_path_s),
        *(format_si(watts, "W", digits=4) for watts in powers),
        format_joules(core.block_j(paper.experiment.clock_hz), digits=4),
    ]


def _here(core: CoreFigures) -> list[str]:
    def number(value: float | None) -> str:
        return NONE if value is None else f"{value:.0f}"

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


# Tables about the paper's own figures: every value, the cross-over, and firmware.

TITLES: Final[dict[Service, str]] = {
    "mac": "authentication",
    "encryption": "encryption",
    "both": "both",
}


def ranges(numbers: Sequence[int]) -> str:
    """Writes whole numbers as ranges, as in "52 to 60"; "none" without any."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return (
        ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
        or "none"
    )


def exact_tables(paper: Kaps2006) -> list[Table]:
    """Returns Table 2 value by value, both sides of the cross-over, and where the counts differ."""
    return [_table_values(paper), _crossover(paper), _differing(paper)]


def _table_values(paper: Kaps2006) -> Table:
    def value(figure: float, row: TableValue, digits: int) -> str:
        return f"{figure / row.scale:.{digits}f} {row.unit}"

    return beside(
        "Table 2, every value",
        "Computed from powers and clocks of Table 1. Table 2 prints powers that are up to "
        "0.08 % higher than those of Table 1, and its energies follow from them. An energy of a "
        "bit has two digits, so its difference is one of rounding. At 29 bytes the exact count of "
        "blocks is the paper's.",
        table_2(paper),
        {
            "service": lambda row: TITLES[row.service],
            "quantity": lambda row: row.quantity,
            "core": lambda row: row.algorithm,
            "printed": lambda row: value(row.printed, row, row.digits),
            "as published": lambda row: value(row.published, row, row.digits + 1),
            "off by": lambda row: f"{100 * row.off:+.2f} %",
            "same digits": lambda row: "yes" if row.rounds_to_printed else "no",
            "exact": lambda row: value(row.exact, row, row.digits + 1),
        },
    )


def _crossover(paper: Kaps2006) -> Table:
    return beside(
        "The cross-over of authentication and encryption",
        f"The paper says {paper.packet.crossover_bytes} bytes; its own formula and "
        f"energies of a block give {crossings(paper)['both', False]}. Blocks and energies on both "
        "sides of each.",
        [
            (count, packet)
            for count in ("as published", "exact")
            for packet in neighbours(paper, exact=count == "exact")
        ],
        {
            "count": lambda row: row[0],
            "payload": lambda row: str(row[1].payload_bytes),
            "AES blocks": lambda row: str(row[1].aes_blocks),
            "SHA-1 blocks": lambda row: str(row[1].sha1_blocks),
            "AES": lambda row: _nanojoules(row[1].aes_j),
            "SHA-1": lambda row: _nanojoules(row[1].sha1_j),
            "takes less": lambda row: "SHA-1" if row[1].sha1_j < row[1].aes_j else "AES",
        },
    )


def _differing(paper: Kaps2006) -> Table:
    differing = differing_payloads(paper.packet)
    places = {
        key: "nowhere" if at is None else f"from {at} bytes" for key, at in crossings(paper).items()
    }
    return beside(
        "Where the formula and the exact count differ",
        f"Payloads of {PAYLOADS_BYTES[0]} to {PAYLOADS_BYTES[-1]} bytes. SHA-1 takes less "
        "from the payload named to the end of that range. The exact count has one block of SHA-1 "
        "more where its padding of 9 bytes does not fit the last block.",
        SERVICES,
        {
            "service": lambda service: TITLES[service],
            "SHA-1 less, as published": lambda service: places[service, False],
            "exact": lambda service: places[service, True],
            "payloads that differ": lambda service: ranges(differing[service]),
        },
    )


def firmware_table(paper: Kaps2006, firmware: Firmware) -> Table:
    """Returns the table of firmware: the longest packet, and both sides of the cross-overs."""
    payloads = (8, 9, 16, 17, paper.packet.payload_bytes_max)
    packets = [
        (service, packet)
        for service in SERVICES
        for payload in payloads
        if (packet := firmware.packet(paper.packet, service, payload)) is not None
    ]
    return beside(
        "The same packets in firmware on an ATmega128L",
        f"Core cycles: {'; '.join(firmware.sources)}; those of other lengths follow from "
        "the number of blocks (modelled). Energies are modelled: "
        f"{format_joules(firmware.cycle_j)} a core cycle, by the data sheet's current at the clock "
        "of the MICA2. Implementations: "
        f"{', '.join(series.implementation for series in firmware.chosen.values())}.",
        packets,
        {
            "service": lambda row: TITLES[row[0]],
            "payload": lambda row: str(row[1].payload_bytes),
            "AES, core cycles": lambda row: f"{row[1].aes_core_cycles:.0f}",
            "SHA-1, core cycles": lambda row: f"{row[1].sha1_core_cycles:.0f}",
            "AES": lambda row: format_joules(row[1].aes_j),
            "SHA-1": lambda row: format_joules(row[1].sha1_j),
            "SHA-1 over AES": lambda row: f"{row[1].sha1_j / row[1].aes_j:.2f}",
        },
    )


# Fig. 3, 4 and 5: energy of a packet over its payload, published and ours.

_Row = dict[str, str | float]
_SERVICES: Final[tuple[tuple[str, str, Service], ...]] = (
    ("fig3_mac", "Fig. 3, authentication", "mac"),
    ("fig4_encryption", "Fig. 4, encryption", "encryption"),
    ("fig5_both", "Fig. 5, authentication and encryption", "both"),
)


def packet_charts(paper: Kaps2006, findings: KapsFindings) -> list[Chart]:
    """Returns one chart for each service of TinySec, and one of firmware if it was counted."""
    charts = [_chart(paper, findings, *service) for service in _SERVICES]
    if not isinstance(findings.firmware, str):
        charts.append(_firmware(paper, findings.firmware))
    return charts


def _sources(
    paper: Kaps2006, findings: KapsFindings
) -> Iterator[tuple[str, tuple[float, float] | None, bool]]:
    """Yields name, joules of a block of AES and of SHA-1, and whether the padding is counted."""
    yield "as published", paper.block_energies_j, False
    yield "exact, published energies", paper.block_energies_j, True
    yield "its designs here", findings.cores.block_energies_j, True
    yield "our designs", findings.ours.block_energies_j, True


def _chart(
    paper: Kaps2006, findings: KapsFindings, name: str, title: str, service: Service
) -> Chart:
    data: list[_Row] = []
    for source, blocks, exact in _sources(paper, findings):
        if blocks is None:
            continue
        for packet in packet_energies(paper.packet, service, PAYLOADS_BYTES, *blocks, exact=exact):
            data.extend(
                {
                    "payload": packet.payload_bytes,
                    "energy": joules * 1e9,
                    "core": core,
                    "source": source,
                }
                for core, joules in (("AES", packet.aes_j), ("SHA-1", packet.sha1_j))
            )
    caption = (
        "Blocks of a packet by the energy of a block. The lines as published count blocks as the "
        "paper does; all others count SHA-1's padding too."
    )
    return chart_part(name, title, caption, data, [_steps("nJ", "core:N", "source:N")])


def _firmware(paper: Kaps2006, firmware: Firmware) -> Chart:
    """Draws the same packets in core cycles of an ATmega128L."""
    data: list[_Row] = []
    for _, title, service in _SERVICES:
        for payload in PAYLOADS_BYTES:
            packet = firmware.packet(paper.packet, service, payload)
            if packet is not None:
                data.extend(
                    {
                        "payload": payload,
                        "energy": joules * 1e6,
                        "code": code,
                        "service": title.partition(", ")[2],
                    }
                    for code, joules in (("AES", packet.aes_j), ("SHA-1", packet.sha1_j))
                )
    caption = (
        "Core cycles of a packet by the energy of a core cycle of the MICA2. Exact counts of "
        f"blocks. Counts: {'; '.join(firmware.sources)}."
    )
    title = "The same in firmware on an ATmega128L"
    return chart_part("firmware", title, caption, data, [_steps("µJ", "code:N", "service:N")])


def _steps(unit: str, colour: str, dash: str) -> Spec:
    """Returns lines of AES and SHA-1 over the payload; `dash` is the field that dashes tell."""
    lines = {
        "x": channel("payload:Q", title="payload (bytes); a TinySec packet has at most 29"),
        "y": channel("energy:Q", title=f"{unit} per packet (modelled)"),
        "color": palette_colour(colour, ["AES", "SHA-1"]),
        "strokeDash": channel(dash, title=None),
    }
    return mark("line", lines, interpolate="step-before")
