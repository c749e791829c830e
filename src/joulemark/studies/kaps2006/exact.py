# SPDX-License-Identifier: Apache-2.0
"""The paper's packets twice: as published and exact, value by value and payload by payload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.packets import (
    PacketEnergy,
    crossover_bytes,
    packet_energies,
    sha1_blocks,
)
from joulemark.studies.kaps2006.paper import Kaps2006, PublishedEnergy, Service
from joulemark.studies.kaps2006.times import packet_times_s

__all__ = ["SERVICES", "TableValue", "crossings", "differing_payloads", "neighbours", "table_2"]

SERVICES: Final[tuple[Service, ...]] = ("mac", "encryption", "both")
_BITS: Final = 8


@dataclass(frozen=True, slots=True)
class TableValue:
    """One value of Table 2 and what Table 1 gives for it."""

    service: Service
    quantity: str
    unit: str
    algorithm: str
    scale: float
    """Of the printed unit."""
    digits: int
    """Behind the point, as printed."""
    printed: float
    published: float
    """By the paper's count of blocks."""
    exact: float
    """SHA-1's padding counted."""

    @property
    def off(self) -> float:
        """Of the recomputed value from the printed one, over the printed one."""
        return self.published / self.printed - 1

    @property
    def rounds_to_printed(self) -> bool:
        """Whether the recomputed value has the printed digits."""
        return round(self.published / self.scale, self.digits) == round(
            self.printed / self.scale, self.digits
        )


def table_2(paper: Kaps2006) -> list[TableValue]:
    """Every value of Table 2."""
    return [
        value
        for published_energy in paper.published_energy
        for value in _values(paper, published_energy)
    ]


def _values(paper: Kaps2006, printed: PublishedEnergy) -> Iterator[TableValue]:
    service, payload = printed.service, printed.payload_bytes
    clocks = (float(paper.core("aes").clocks), float(paper.core("sha1").clocks))
    energies = {exact: _at(paper, service, payload, exact=exact) for exact in (False, True)}
    seconds = {
        exact: packet_times_s(paper, service, payload, clocks, exact=exact)
        for exact in (False, True)
    }
    for place, name in enumerate(("aes", "sha1")):
        title = "AES" if name == "aes" else "SHA-1"
        joules = {exact: getattr(packet, f"{name}_j") for exact, packet in energies.items()}
        watts = paper.core(name).total_w
        rows = (
            ("energy", "nJ", 1e-9, 2, getattr(printed, f"{name}_j"), joules[False], joules[True]),
            ("power", "µW", 1e-6, 2, getattr(printed, f"{name}_w"), watts, watts),
            ("time", "ms", 1e-3, 2, getattr(printed, f"{name}_s"), seconds[False][place],
             seconds[True][place]),
            ("energy of a bit", "nJ", 1e-9, 2, getattr(printed, f"{name}_j_per_bit"),
             joules[False] / payload / _BITS, joules[True] / payload / _BITS),
        )  # fmt: skip
        for quantity, unit, scale, digits, value, published, exact_value in rows:
            yield TableValue(
                service, quantity, unit, title, scale, digits, value, published, exact_value
            )


def _at(paper: Kaps2006, service: Service, payload: int, *, exact: bool) -> PacketEnergy:
    (found,) = packet_energies(
        paper.packet, service, range(payload, payload + 1), *paper.block_energies_j, exact=exact
    )
    return found


def crossings(paper: Kaps2006, payloads: range) -> dict[tuple[Service, bool], int | None]:
    """Service and whether the padding is counted -> payload from which on SHA-1 takes less."""
    return {
        (service, exact): crossover_bytes(
            packet_energies(paper.packet, service, payloads, *paper.block_energies_j, exact=exact)
        )
        for service in SERVICES
        for exact in (False, True)
    }


def neighbours(paper: Kaps2006, *, exact: bool) -> list[PacketEnergy]:
    """Authentication and encryption on both sides of the two cross-overs: ours and the paper's."""
    found = crossings(paper, range(1, 65))["both", exact]
    stated = paper.packet.crossover_bytes
    payloads = sorted(
        {payload_bytes for at in (found, stated) if at for payload_bytes in (at - 1, at)}
    )
    return [_at(paper, "both", payload, exact=exact) for payload in payloads]


def differing_payloads(paper: Kaps2006, payloads: range) -> dict[Service, list[int]]:
    """Service -> payloads for which the formula has fewer blocks of SHA-1 than there are."""
    packet = paper.packet
    return {
        service: [
            payload
            for payload in payloads
            if sha1_blocks(packet, service, payload, exact=True)
            != sha1_blocks(packet, service, payload, exact=False)
        ]
        for service in SERVICES
    }
