# SPDX-License-Identifier: Apache-2.0
"""Tables of kaps2006 about its own figures: every value, the cross-over, and firmware beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from joulemark.studies.kaps2006.claims import PAYLOADS_BYTES
from joulemark.studies.kaps2006.exact import (
    SERVICES,
    crossings,
    differing_payloads,
    neighbours,
    table_2,
)
from joulemark.studies.kaps2006.firmware import Firmware
from joulemark.studies.kaps2006.paper import Kaps2006, Service
from joulemark.studies.outcome import Table
from joulemark.units import format_joules

__all__ = ["TITLES", "exact_tables", "firmware_table", "ranges"]

TITLES: Final[dict[Service, str]] = {
    "mac": "authentication", "encryption": "encryption", "both": "both",
}  # fmt: skip


def ranges(numbers: Sequence[int]) -> str:
    """Whole numbers as ranges, as in "52 to 60"; "none" without any."""
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
    """Table 2 value by value, the cross-over on both sides, and where the two counts differ."""
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
    found = crossings(paper, PAYLOADS_BYTES)
    rows = [
        [
            "exact" if exact else "as published", str(neighbour.payload_bytes),
            str(neighbour.aes_blocks), str(neighbour.sha1_blocks),
            f"{neighbour.aes_j * 1e9:.2f} nJ", f"{neighbour.sha1_j * 1e9:.2f} nJ",
            "SHA-1" if neighbour.sha1_j < neighbour.aes_j else "AES",
        ]
        for exact in (False, True)
        for neighbour in neighbours(paper, exact=exact)
    ]  # fmt: skip
    ours = found["both", False]
    return Table(
        title="The cross-over of authentication and encryption",
        caption=f"The paper says {paper.packet.crossover_bytes} bytes; its own formula and "
        f"energies of a block give {ours}. Blocks and energies on both sides of each.",
        headings=["count", "payload", "AES blocks", "SHA-1 blocks", "AES", "SHA-1", "takes less"],
        rows=rows,
    )


def _differing(paper: Kaps2006) -> Table:
    found = crossings(paper, PAYLOADS_BYTES)
    differing = differing_payloads(paper, PAYLOADS_BYTES)

    def place(service: Service, *, exact: bool) -> str:
        at = found[service, exact]
        return "nowhere" if at is None else f"from {at} bytes"

    rows = [
        [TITLES[service], place(service, exact=False), place(service, exact=True),
         ranges(differing[service])]
        for service in SERVICES
    ]  # fmt: skip
    return Table(
        title="Where the formula and the exact count differ",
        caption=f"Payloads of {PAYLOADS_BYTES[0]} to {PAYLOADS_BYTES[-1]} bytes. SHA-1 takes less "
        "from the payload named to the end of that range. The exact count has one block of SHA-1 "
        "more where its padding of 9 bytes does not fit the last block.",
        headings=["service", "SHA-1 less, as published", "exact", "payloads that differ"],
        rows=rows,
    )


def firmware_table(paper: Kaps2006, firmware: Firmware) -> Table:
    """The longest packet in firmware, and the sides of the cross-over."""
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
            firmware_packet = firmware.packet(paper, service, payload)
            if firmware_packet is not None:
                yield [
                    TITLES[service],
                    str(payload),
                    f"{firmware_packet.aes_core_cycles:.0f}",
                    f"{firmware_packet.sha1_core_cycles:.0f}",
                    format_joules(firmware_packet.aes_j),
                    format_joules(firmware_packet.sha1_j),
                    f"{firmware_packet.sha1_j / firmware_packet.aes_j:.2f}",
                ]
