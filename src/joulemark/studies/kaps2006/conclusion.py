# SPDX-License-Identifier: Apache-2.0
"""The paper's packets as published and exact, and its conclusion judged by our designs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.studies.kaps2006.measurement import Cores
from joulemark.studies.kaps2006.paper import (
    SERVICES,
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
from joulemark.studies.study import ClaimAnswer, Ground, by_its_figures, either
from joulemark.units import format_joules

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


# The conclusion of kaps2006: judged by its two designs, rebuilt, beside our other designs.

_SERVICES: Final[dict[Service, str]] = {
    "mac": "authentication",
    "encryption": "encryption",
    "both": "both together",
}


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The algorithm that takes less energy, service by service."""

    sha1_wins: dict[Service, bool | None]
    """Whether SHA-1 takes less at every payload; None if that depends on the payload."""
    longest: dict[Service, PacketEnergy]
    """Energies at the longest payload."""

    def figures(self) -> str:
        """Writes the energies, as in "authentication 8.1 nJ with AES and 10.7 nJ with SHA-1"."""
        return ", ".join(
            f"{_SERVICES[service]} {format_joules(packet.aes_j)} with AES and "
            f"{format_joules(packet.sha1_j)} with SHA-1"
            for service, packet in self.longest.items()
        )

    @property
    def at_longest(self) -> dict[Service, bool | None]:
        """Whether SHA-1 takes less at the longest payload."""
        return {service: packet.sha1_j < packet.aes_j for service, packet in self.longest.items()}


def _winners(sha1_wins: dict[Service, bool | None]) -> str:
    """Writes the winners, as in "AES takes less energy for authentication and encryption"."""
    parts = []
    for wins, words in (
        (False, "AES takes less energy for {}"),
        (True, "SHA-1 takes less energy for {}"),
        (None, "for {} it depends on the payload"),
    ):
        services = [_SERVICES[service] for service, known in sha1_wins.items() if known is wins]
        if wins is not None and len(services) == len(_SERVICES):
            return f"{'SHA-1' if wins else 'AES'} takes less energy in all {len(services)} services"
        if services:
            parts.append(words.format(" and ".join(services)))
    return ", ".join(parts)


def _outcome(paper: Kaps2006, block_j: tuple[float, float], *, exact: bool) -> _Outcome:
    """Computes the outcome from the energies of a block of AES and of SHA-1."""
    packet = paper.packet
    payloads = range(packet.crossover_bytes, packet.payload_bytes_max + 1)
    wins: dict[Service, bool | None] = {}
    longest: dict[Service, PacketEnergy] = {}
    for service in _SERVICES:
        energies = packet_energies(packet, service, payloads, *block_j, exact=exact)
        better = [energy.sha1_j < energy.aes_j for energy in energies]
        wins[service] = better[0] if len(set(better)) == 1 else None
        longest[service] = energies[-1]
    return _Outcome(wins, longest)


def _published(paper: Kaps2006) -> _Outcome:
    return _outcome(paper, paper.block_energies_j, exact=False)


def conclusion(paper: Kaps2006, rebuilt: Cores, others: Cores) -> ClaimAnswer:
    """Judges that SHA-1 takes less for longer payloads by the paper's two designs, rebuilt.

    Without them the paper is held against itself. Our other designs for the same clock stand
    beside the verdict, since the conclusion speaks of the algorithms.
    """
    packet = paper.packet
    where = f"for payloads of {packet.crossover_bytes} to {packet.payload_bytes_max} bytes"
    at_longest = f"at {packet.payload_bytes_max} bytes"
    blocks = rebuilt.block_energies_j
    judged = _published(paper) if blocks is None else _outcome(paper, blocks, exact=True)
    whose = "the paper's own figures" if blocks is None else "its two designs, rebuilt (modelled),"
    why = f"By {whose} {_winners(judged.sha1_wins)} {where}; {at_longest}: {judged.figures()}."
    if others.block_energies_j is not None:
        other = _outcome(paper, others.block_energies_j, exact=True)
        assert others.sha1 is not None
        assert others.aes is not None
        why = (
            f"{why} By our own designs for the same clock ({others.sha1.point.core} and "
            f"{others.aes.point.core}, modelled) {_winners(other.sha1_wins)} {where}; "
            f"{at_longest}: {other.figures()}."
        )
        if other.sha1_wins != judged.sha1_wins:
            why = f"{why} So the conclusion is one of two designs, not of two algorithms."
    holds = all(judged.sha1_wins.values())
    return (
        by_its_figures(why, agrees=holds)
        if blocks is None
        else either(Ground.MODELLED, why, holds=holds)
    )


def conclusion_words(paper: Kaps2006, block_j: tuple[float, float]) -> str:
    """Writes the conclusion by the energies of a block of our own cores, for the summary."""
    here, published = _outcome(paper, block_j, exact=True), _published(paper)
    same = here.at_longest == published.at_longest
    beside = "the same" if same else f"that {_winners(published.at_longest)}"
    return (
        f"By our own cores {_winners(here.at_longest)} at {paper.packet.payload_bytes_max} bytes "
        f"of payload ({here.figures()}); the paper concludes {beside}."
    )
