# SPDX-License-Identifier: Apache-2.0
"""The paper's packets twice: as published and exact, value by value and payload by payload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from joulemark.report.sheet import Table, text_table
from joulemark.studies.kaps2006.paper import (
    SERVICES,
    Firmware,
    Kaps2006,
    KapsEnergy,
    PacketEnergy,
    Service,
    TinySecPacket,
    aes_blocks,
    crossover_bytes,
    packet_energies,
    packet_energy,
    sha1_blocks,
)
from joulemark.studies.papers import CoreFigures, MemoryFigures
from joulemark.studies.study import ClaimAnswer, Ground, by_its_figures, either
from joulemark.units import format_joules

# Figures of the flow: the two cores that are compared, and the memory that one leaves outside.


@dataclass(frozen=True, slots=True)
class Cores:
    """A SHA-1 and an AES core in our flow; None stands for a core without figures."""

    sha1: CoreFigures | None
    aes: CoreFigures | None
    reason: str
    """Why a core has no figures; empty if both have figures."""
    asked: bool = True
    """Whether cores were asked for at all."""

    def both(self, figure: str) -> tuple[float, float] | None:
        """Returns a figure of AES and of SHA-1; None if it is unknown of either."""
        aes, sha1 = (getattr(core, figure, None) for core in (self.aes, self.sha1))
        return None if aes is None or sha1 is None else (aes, sha1)

    @property
    def block_energies_j(self) -> tuple[float, float] | None:
        """Energies of a block of AES and of SHA-1; None if either is unknown."""
        return self.both("energy_per_block_j")

    @property
    def block_clocks(self) -> tuple[float, float] | None:
        """Clocks of a block of AES and of SHA-1; None if either is unknown."""
        return self.both("clocks_per_block")


@dataclass(frozen=True, slots=True)
class KapsFindings:
    """The figures, beside the paper's own, by which the claims are judged."""

    cores: Cores
    """The paper's designs in our flow."""
    ours: Cores
    """Our designs for the same purpose, by which the paper's conclusion is judged."""
    outside: MemoryFigures | str
    """Figures of the memory that holds SHA-1's block, or why there are none."""
    missing: list[str]
    """Cores without figures, each with its reason."""
    firmware: Firmware | str
    """Counts of firmware on an ATmega128L, or why there are none."""

    @property
    def memory(self) -> MemoryFigures | None:
        """Figures of the memory outside; None if the library gives none."""
        return None if isinstance(self.outside, str) else self.outside


def with_memory(cores: Cores, memory: MemoryFigures | None) -> Cores | None:
    """Returns the cores with SHA-1's block memory counted; None if either energy is unknown."""
    sha1 = cores.sha1
    if memory is None or sha1 is None or sha1.energy_per_block_j is None:
        return None
    energy_j = sha1.energy_per_block_j + memory.energy_j
    clocks = sha1.clocks_per_block
    leakage_w = None if sha1.leakage_w is None else sha1.leakage_w + memory.leakage_w
    total_w = None if clocks is None else energy_j * sha1.point.clock_hz / clocks
    dynamic_w = None if total_w is None or leakage_w is None else total_w - leakage_w
    counted = sha1.model_copy(
        update={
            "area_ge": None if sha1.area_ge is None else sha1.area_ge + memory.area_ge,
            "storage_ge": None,
            "leakage_w": leakage_w,
            "dynamic_w": dynamic_w,
            "energy_per_block_j": energy_j,
        }
    )
    return replace(cores, sha1=counted)


# The times of Table 2: how long a packet takes at the paper's clock.


def packet_times_s(
    paper: Kaps2006,
    service: Service,
    payload_bytes: int,
    clocks: tuple[float, float],
    *,
    exact: bool,
) -> tuple[float, float]:
    """Returns the seconds of a packet with AES and with SHA-1.

    Args:
        paper: has the packet and the clock.
        service: the service that the packet gets.
        payload_bytes: 0 or more.
        clocks: clocks of a block of AES and of SHA-1.
        exact: whether SHA-1's padding is counted.
    """
    aes = aes_blocks(paper.packet, service, payload_bytes)
    sha1 = sha1_blocks(paper.packet, service, payload_bytes, exact=exact)
    clock_hz = paper.experiment.clock_hz
    return aes * clocks[0] / clock_hz, sha1 * clocks[1] / clock_hz


def milliseconds(seconds: float) -> str:
    """Writes a time with the two decimals that the paper prints."""
    return f"{seconds * 1e3:.2f}"


def times(paper: Kaps2006, cores: Cores, ours: Cores) -> ClaimAnswer:
    """Judges the times of Table 2: blocks times clocks times the period, to the printed digits."""
    built = cores.block_clocks
    computed = _all(paper, built or paper.block_clocks)
    stated = [
        milliseconds(seconds)
        for row in paper.published_energy
        for seconds in (row.aes_s, row.sha1_s)
    ]
    whose = (
        "By the clocks of the cores that we built from its text (simulated)"
        if built
        else ("By the paper's own clocks")
    )
    own = ours.block_clocks
    beside = f" Our own cores take {_pairs(_all(paper, own))} (simulated)." if own else ""
    why = f"{whose} it is {_pairs(computed)} for AES and SHA-1 in each service.{beside}"
    if built is None:
        return by_its_figures(why, agrees=computed == stated)
    return either(Ground.SIMULATED, why, holds=computed == stated)


def _all(paper: Kaps2006, clocks: tuple[float, float]) -> list[str]:
    """Returns the milliseconds of AES and SHA-1 in turn, for each service of Table 2."""
    return [
        milliseconds(seconds)
        for row in paper.published_energy
        for seconds in packet_times_s(paper, row.service, row.payload_bytes, clocks, exact=True)
    ]


def _pairs(texts: Sequence[str]) -> str:
    return ", ".join(
        f"{aes} and {sha1} ms" for aes, sha1 in zip(texts[::2], texts[1::2], strict=True)
    )


PAYLOADS_BYTES: Final = range(1, 65)
"""Payloads of the charts; TinySec's payloads end at 29 bytes, the paper's charts go on."""


@dataclass(frozen=True, slots=True)
class TableValue:
    """One value of Table 2, and the value that follows from Table 1."""

    service: Service
    quantity: str
    unit: str
    algorithm: str
    scale: float
    """The printed unit in SI units."""
    digits: int
    """Number of printed decimals."""
    printed: float
    published: float
    """The value by the paper's count of blocks."""
    exact: float
    """The value if SHA-1's padding is counted."""

    @property
    def off(self) -> float:
        """Difference of the recomputed value from the printed value, over the printed value."""
        return self.published / self.printed - 1

    @property
    def rounds_to_printed(self) -> bool:
        """Whether the recomputed value has the printed digits."""
        return round(self.published / self.scale, self.digits) == round(
            self.printed / self.scale, self.digits
        )


def table_2(paper: Kaps2006) -> list[TableValue]:
    """Returns every value of Table 2."""
    return [value for column in paper.published_energy for value in _values(paper, column)]


def _values(paper: Kaps2006, printed: KapsEnergy) -> Iterator[TableValue]:
    service, payload = printed.service, printed.payload_bytes
    energies = {exact: _at(paper, service, payload, exact=exact) for exact in (False, True)}
    seconds = {
        exact: packet_times_s(paper, service, payload, paper.block_clocks, exact=exact)
        for exact in (False, True)
    }
    for place, name in enumerate(("aes", "sha1")):
        title = "AES" if name == "aes" else "SHA-1"
        joules = {exact: getattr(packet, f"{name}_j") for exact, packet in energies.items()}
        watts = paper.core(name).total_w
        rows = (
            ("energy", "nJ", 1e-9, 2, getattr(printed, f"{name}_j"), joules[False], joules[True]),
            ("power", "µW", 1e-6, 2, getattr(printed, f"{name}_w"), watts, watts),
            (
                "time",
                "ms",
                1e-3,
                2,
                getattr(printed, f"{name}_s"),
                seconds[False][place],
                seconds[True][place],
            ),
            (
                "energy of a bit",
                "nJ",
                1e-9,
                2,
                getattr(printed, f"{name}_j_per_bit"),
                joules[False] / payload / 8,
                joules[True] / payload / 8,
            ),
        )
        for quantity, unit, scale, digits, value, published, exact_value in rows:
            yield TableValue(
                service, quantity, unit, title, scale, digits, value, published, exact_value
            )


def _at(paper: Kaps2006, service: Service, payload: int, *, exact: bool) -> PacketEnergy:
    return packet_energy(paper.packet, service, payload, *paper.block_energies_j, exact=exact)


def crossings(paper: Kaps2006) -> dict[tuple[Service, bool], int | None]:
    """Service and whether the padding is counted -> payload from which on SHA-1 takes less."""
    packet, blocks_j = paper.packet, paper.block_energies_j
    return {
        (service, exact): crossover_bytes(
            packet_energies(packet, service, PAYLOADS_BYTES, *blocks_j, exact=exact)
        )
        for service in SERVICES
        for exact in (False, True)
    }


def neighbours(paper: Kaps2006, *, exact: bool) -> list[PacketEnergy]:
    """Returns packets of both services on both sides of two cross-overs: ours and the paper's."""
    places = (crossings(paper)["both", exact], paper.packet.crossover_bytes)
    payloads = sorted({payload for at in places if at for payload in (at - 1, at)})
    return [_at(paper, "both", payload, exact=exact) for payload in payloads]


def differing_payloads(
    packet: TinySecPacket, payloads: range = PAYLOADS_BYTES
) -> dict[Service, list[int]]:
    """Service -> payloads for which the formula has fewer blocks of SHA-1 than there are."""
    return {
        service: [
            payload
            for payload in payloads
            if sha1_blocks(packet, service, payload, exact=True)
            != sha1_blocks(packet, service, payload, exact=False)
        ]
        for service in SERVICES
    }


# Tables of kaps2006 about its own figures: every value, the cross-over, and firmware.

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
    return text_table(
        title="Table 2, every value",
        caption="Computed from powers and clocks of Table 1. Table 2 prints powers that are up to "
        "0.08 % higher than those of Table 1, and its energies follow from them. An energy of a "
        "bit has two digits, so its difference is one of rounding. At 29 bytes the exact count of "
        "blocks is the paper's.",
        headings=[
            "service",
            "quantity",
            "core",
            "printed",
            "as published",
            "off by",
            "same digits",
            "exact",
        ],
        rows=rows,
    )


def _crossover(paper: Kaps2006) -> Table:
    rows = [
        [
            "exact" if exact else "as published",
            str(packet.payload_bytes),
            str(packet.aes_blocks),
            str(packet.sha1_blocks),
            f"{packet.aes_j * 1e9:.2f} nJ",
            f"{packet.sha1_j * 1e9:.2f} nJ",
            "SHA-1" if packet.sha1_j < packet.aes_j else "AES",
        ]
        for exact in (False, True)
        for packet in neighbours(paper, exact=exact)
    ]
    return text_table(
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
    return text_table(
        title="Where the formula and the exact count differ",
        caption=f"Payloads of {PAYLOADS_BYTES[0]} to {PAYLOADS_BYTES[-1]} bytes. SHA-1 takes less "
        "from the payload named to the end of that range. The exact count has one block of SHA-1 "
        "more where its padding of 9 bytes does not fit the last block.",
        headings=["service", "SHA-1 less, as published", "exact", "payloads that differ"],
        rows=rows,
    )


def firmware_table(paper: Kaps2006, firmware: Firmware) -> Table:
    """Returns the table of firmware: the longest packet, and both sides of the cross-overs."""
    return text_table(
        title="The same packets in firmware on an ATmega128L",
        caption=f"Core cycles: {'; '.join(firmware.sources)}; those of other lengths follow from "
        "the number of blocks (modelled). Energies are modelled: "
        f"{format_joules(firmware.cycle_j)} a core cycle, by the data sheet's current at the clock "
        "of the MICA2. Implementations: "
        f"{', '.join(series.implementation for series in firmware.chosen.values())}.",
        headings=[
            "service",
            "payload",
            "AES, core cycles",
            "SHA-1, core cycles",
            "AES",
            "SHA-1",
            "SHA-1 over AES",
        ],
        rows=[*_firmware_rows(paper, firmware)],
    )


def _firmware_rows(paper: Kaps2006, firmware: Firmware) -> Iterator[list[str]]:
    payloads = (8, 9, 16, 17, paper.packet.payload_bytes_max)
    for service in SERVICES:
        for payload in payloads:
            packet = firmware.packet(paper.packet, service, payload)
            if packet is not None:
                yield [
                    TITLES[service],
                    str(payload),
                    f"{packet.aes_core_cycles:.0f}",
                    f"{packet.sha1_core_cycles:.0f}",
                    format_joules(packet.aes_j),
                    format_joules(packet.sha1_j),
                    f"{packet.sha1_j / packet.aes_j:.2f}",
                ]
