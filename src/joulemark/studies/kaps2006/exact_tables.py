# SPDX-License-Identifier: Apache-2.0
"""Tables of kaps2006 about its own figures: every value, the cross-over, and firmware."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from joulemark.studies.kaps2006.exact import (
    PAYLOADS_BYTES,
    crossings,
    differing_payloads,
    neighbours,
    table_2,
)
from joulemark.studies.kaps2006.firmware import Firmware
from joulemark.studies.kaps2006.paper import SERVICES, Kaps2006, Service
from joulemark.studies.outcome import Table
from joulemark.units import format_joules

__all__ = ["TITLES", "exact_tables", "firmware_table", "ranges"]

TITLES: Final[dict[Service, str]] = {
    "mac": "authentication", "encryption": "encryption", "both": "both",
}  # fmt: skip


def ranges(numbers: Sequence[int]) -> str:
    """Writes whole numbers as ranges, as in "52 to 60"; "none" without any."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        f"{part[0]} to {part[-1]}" if len(part) > 1 else str(part[0]) for part in parts
    ) or "none"  # fmt: skip


def exact_tables(paper: Kaps2006) -> list[Table]:
    """Returns Table 2 value by value, both sides of the cross-over, and where the counts differ."""
    return [_values(paper), _crossover(paper), _differing(paper)]


def _values(paper: Kaps2006) -> Table:
    rows = [
        [
            TITLES[row.service],
            row.quantity,
            row.algorithm,
            f"{row.printed / row.scale:.{row.digits}f} {row.unit}",
            f"{row.published / row.scale:.{row.digits + 1}f} {row.unit}",
            f"{100 * row.off:+.2f} %",
            "yes" if row.rounds_to_printed else "no",
            f"{row.exact / row.scale:.{row.digits + 1}f} {row.unit}",
        ]
        for row in table_2(paper)
    ]
    return Table(
        title="Table 2, every value",
        caption="Computed from powers and clocks of Table 1. Table 2 prints powers that are up to "
        "0.08 % higher than those of Table 1, and its energies follow from them. An energy of a "
        "bit has two digits, so its difference is one of rounding. At 29 bytes the exact count of "
        "blocks is the paper's.",
        headings=["service", "quantity", "core", "printed", "as published", "off by",
                  "same digits", "exact"],
        rows=rows,
    )  # fmt: skip


def _crossover(paper: Kaps2006) -> Table:
    rows = [
        [
            "exact" if exact else "as published", str(packet.payload_bytes),
            str(packet.aes_blocks), str(packet.sha1_blocks),
            f"{packet.aes_j * 1e9:.2f} nJ", f"{packet.sha1_j * 1e9:.2f} nJ",
            "SHA-1" if packet.sha1_j < packet.aes_j else "AES",
        ]
        for exact in (False, True)
        for packet in neighbours(paper, exact=exact)
    ]  # fmt: skip
    return Table(
        title="The cross-over of authentication and encryption",
        caption=f"The paper says {paper.packet.crossover_bytes} bytes; its own formula and "
        f"energies of a block give {crossings(paper)['both', False]}. Blocks and energies on both "
        "sides of each.",
        headings=["count", "payload", "AES blocks", "SHA-1 blocks", "AES", "SHA-1", "takes less"],
        rows=rows,
    )


def _differing(paper: Kaps2006) -> Table:
    differing = differing_payloads(paper.packet)
    places = {
        key: "nowhere" if at is None else f"from {at} bytes" for key, at in crossings(paper).items()
    }
    rows = [
        [TITLES[service], places[service, False], places[service, True], ranges(differing[service])]
        for service in SERVICES
    ]
    return Table(
        title="Where the formula and the exact count differ",
        caption=f"Payloads of {PAYLOADS_BYTES[0]} to {PAYLOADS_BYTES[-1]} bytes. SHA-1 takes less "
        "from the payload named to the end of that range. The exact count has one block of SHA-1 "
        "more where its padding of 9 bytes does not fit the last block.",
        headings=["service", "SHA-1 less, as published", "exact", "payloads that differ"],
        rows=rows,
    )


def firmware_table(paper: Kaps2006, firmware: Firmware) -> Table:
    """Returns the table of firmware: the longest packet, and both sides of the cross-overs."""
    return Table(
        title="The same packets in firmware on an ATmega128L",
        caption=f"Core cycles: {'; '.join(firmware.sources)}; those of other lengths follow from "
        "the number of blocks (modelled). Energies are modelled: "
        f"{format_joules(firmware.cycle_j)} a core cycle, by the data sheet's current at the clock "
        "of the MICA2. Implementations: "
        f"{', '.join(series.implementation for series in firmware.chosen.values())}.",
        headings=["service", "payload", "AES, core cycles", "SHA-1, core cycles",
                  "AES", "SHA-1", "SHA-1 over AES"],
        rows=[*_firmware_rows(paper, firmware)],
    )  # fmt: skip


def _firmware_rows(paper: Kaps2006, firmware: Firmware) -> Iterator[list[str]]:
    payloads = (8, 9, 16, 17, paper.packet.payload_bytes_max)
    for service in SERVICES:
        for payload in payloads:
            packet = firmware.packet(paper.packet, service, payload)
            if packet is not None:
                yield [
                    TITLES[service], str(payload), f"{packet.aes_core_cycles:.0f}",
                    f"{packet.sha1_core_cycles:.0f}", format_joules(packet.aes_j),
                    format_joules(packet.sha1_j), f"{packet.sha1_j / packet.aes_j:.2f}",
                ]  # fmt: skip
