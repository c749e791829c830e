# SPDX-License-Identifier: Apache-2.0
"""The facts of kaps2006: its cores, its packet, and the figures it printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from typing import Final, Literal

from joulemark.budget import Inputs, nominal
from joulemark.budget.counts import CountSeries, FirmwareStore, cycles_of, known_series, target_of
from joulemark.budget.parts import Parts, assemble
from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper

Service = Literal["mac", "encryption", "both"]
SERVICES: Final[tuple[Service, ...]] = ("mac", "encryption", "both")


class KapsExperiment(PaperFacts):
    """Facts of section 5."""

    process: str
    clock_hz: Positive


class KapsCore(PaperFacts):
    """A column of Table 1."""

    core: Literal["sha1", "aes"]
    clocks: Count
    area_ge: Positive
    critical_path_s: Positive
    static_w: Positive
    dynamic_w: Positive
    total_w: Positive

    def block_j(self, clock_hz: float) -> float:
        """Returns the energy of a block at a clock: total power times the time of its clocks."""
        return self.total_w * self.clocks / clock_hz


class OtherAes(PaperFacts):
    """A design of others, as the paper quotes it."""

    what: str
    area_ge: Positive
    clocks: Count


class PowerSupply(PaperFacts):
    """Power that a tag or a scavenger gives to digital circuits, as the paper has it."""

    what: str
    watts: Positive


class TinySecPacket(PaperFacts):
    """TinySec's packet, as the paper counts it."""

    payload_bytes_max: Count
    authentication_header_bytes: Count
    both_header_bytes: Count
    aes_block_bytes: Count
    sha1_block_bytes: Count
    sha1_padding_bytes: Count
    padding_interpretation: str
    shacal_block_bytes: Count
    crossover_bytes: Count


class KapsEnergy(PaperFacts):
    """A column of Table 2."""

    service: Service
    payload_bytes: Count
    aes_j: Positive
    sha1_j: Positive
    aes_s: Positive
    sha1_s: Positive
    aes_w: Positive
    sha1_w: Positive
    aes_j_per_bit: Positive
    """Energy of a bit of payload; printed with two digits."""
    sha1_j_per_bit: Positive


class BlockMemory(PaperFacts):
    """The memory outside that holds SHA-1's block, and the accesses of one block of 80 rounds."""

    words: Count
    word_bits: Count
    reads: Count
    writes: Count
    reads_needed: Count
    writes_needed: Count
    interpretation: str


class Kaps2006(Paper):
    """`catalogue/papers/kaps2006.toml`."""

    experiment: KapsExperiment
    published_core: list[KapsCore]
    other_aes: list[OtherAes]
    supplies: list[PowerSupply]
    packet: TinySecPacket
    published_energy: list[KapsEnergy]
    block_memory: BlockMemory

    def core(self, name: str) -> KapsCore:
        """Returns the printed column of a core, `sha1` or `aes`."""
        return next(column for column in self.published_core if column.core == name)

    @property
    def smallest_other(self) -> OtherAes:
        """The smallest design of others."""
        return min(self.other_aes, key=lambda design: design.area_ge)

    @property
    def block_energies_j(self) -> tuple[float, float]:
        """Energies of a block of AES and of SHA-1, at the paper's clock."""
        clock_hz = self.experiment.clock_hz
        return self.core("aes").block_j(clock_hz), self.core("sha1").block_j(clock_hz)

    @property
    def block_clocks(self) -> tuple[float, float]:
        """Clocks of a block of AES and of SHA-1."""
        return float(self.core("aes").clocks), float(self.core("sha1").clocks)


kaps2006 = cache(partial(read_paper, Kaps2006, "kaps2006"))
"""The facts of the paper, read once."""


# Blocks and energy of a TinySec packet (kaps2006, sections 2 and 5), as published and exact.
#
# The paper counts ceil(length / 64) + 1 operations of SHA-1 for an HMAC whose two key blocks are
# kept. It leaves out the hash's own padding of at least 9 bytes. So if a message has more than 55
# bytes in its last block, the real count is one higher (`exact`).


@dataclass(frozen=True, slots=True)
class PacketEnergy:
    """Blocks and energy of one packet with either algorithm."""

    service: Service
    payload_bytes: int
    aes_blocks: int
    sha1_blocks: int
    aes_j: float
    sha1_j: float


def _blocks(length_bytes: int, block_bytes: int) -> int:
    return -(-length_bytes // block_bytes)


def authenticated_bytes(packet: TinySecPacket, service: Service, payload_bytes: int) -> int:
    """Returns the bytes that the tag covers: payload and header of that kind of packet."""
    header = packet.both_header_bytes if service == "both" else packet.authentication_header_bytes
    return payload_bytes + header


def aes_blocks(packet: TinySecPacket, service: Service, payload_bytes: int) -> int:
    """Returns the AES operations of a packet: CBC-MAC of covered bytes, CBC over the payload."""
    covered = authenticated_bytes(packet, service, payload_bytes)
    tag = _blocks(covered, packet.aes_block_bytes)
    encrypted = _blocks(payload_bytes, packet.aes_block_bytes)
    return {"mac": tag, "encryption": encrypted, "both": tag + encrypted}[service]


def sha1_blocks(packet: TinySecPacket, service: Service, payload_bytes: int, *, exact: bool) -> int:
    """Returns the SHA-1 operations of a packet: HMAC with kept midstates, SHACAL-1 of the payload.

    Args:
        packet: TinySec's sizes.
        service: the service that the packet gets.
        payload_bytes: 0 or more.
        exact: whether to count the hash's padding, which the paper leaves out.
    """
    covered = authenticated_bytes(packet, service, payload_bytes)
    padding = packet.sha1_padding_bytes if exact else 0
    tag = _blocks(covered + padding, packet.sha1_block_bytes) + 1
    encrypted = _blocks(payload_bytes, packet.shacal_block_bytes)
    return {"mac": tag, "encryption": encrypted, "both": tag + encrypted}[service]


def packet_energy(
    packet: TinySecPacket,
    service: Service,
    payload_bytes: int,
    aes_block_j: float,
    sha1_block_j: float,
    *,
    exact: bool,
) -> PacketEnergy:
    """Returns the energy of a packet, from the energy of one block of either core."""
    aes = aes_blocks(packet, service, payload_bytes)
    sha1 = sha1_blocks(packet, service, payload_bytes, exact=exact)
    return PacketEnergy(service, payload_bytes, aes, sha1, aes * aes_block_j, sha1 * sha1_block_j)


def packet_energies(
    packet: TinySecPacket,
    service: Service,
    payloads_bytes: range,
    aes_block_j: float,
    sha1_block_j: float,
    *,
    exact: bool,
) -> list[PacketEnergy]:
    """Returns the energy of a packet over its payload."""
    return [
        packet_energy(packet, service, payload, aes_block_j, sha1_block_j, exact=exact)
        for payload in payloads_bytes
    ]


def crossover_bytes(energies: list[PacketEnergy]) -> int | None:
    """Returns the smallest payload from which on, to the end, SHA-1 takes less than AES.

    Payloads ascend. None if SHA-1 does not take less at the end.
    """
    less = takewhile(lambda packet: packet.sha1_j < packet.aes_j, reversed(energies))
    return min((packet.payload_bytes for packet in less), default=None)


# The same packets in firmware on an ATmega128L, as TinySec ran: core cycles and joules.

ALGORITHMS: Final = ("cbc-mac-aes128", "aes128", "hmac-sha1", "shacal1")
"""MAC and cipher of AES, then MAC and cipher of SHA-1."""
_NODE: Final = "mica2"
COMMAND: Final = (
    "joulemark bench cbc-mac-aes128 aes128 hmac-sha1 shacal1 --target mcu:atmega128 "
    "--size 5,16,20,33,37,40,64,68"
)


@dataclass(frozen=True, slots=True)
class FirmwarePacket:
    """One packet with either algorithm."""

    payload_bytes: int
    aes_core_cycles: float
    sha1_core_cycles: float
    aes_j: float
    sha1_j: float


@dataclass(frozen=True, slots=True)
class Firmware:
    """Core cycles of firmware on the node's core, and the joules of a core cycle."""

    parts: Parts
    chosen: dict[str, CountSeries]
    """Algorithm -> counts of the implementation that takes fewest core cycles."""

    @property
    def from_store(self) -> bool:
        """Whether every count is of the store."""
        return all(series.run is not None for series in self.chosen.values())

    @property
    def cycle_j(self) -> float:
        """Joules of a core cycle, by the data sheet's current."""
        return nominal(self.parts.cycle_j)

    @property
    def sources(self) -> list[str]:
        """Sources of the counts with their evidence, each once."""
        words = (f"{series.source} ({series.evidence})" for series in self.chosen.values())
        return list(dict.fromkeys(words))

    def _core_cycles(self, algorithm: str, message_bytes: int) -> float | None:
        if message_bytes == 0 and algorithm in {"aes128", "shacal1"}:
            return 0.0
        cycles = cycles_of(self.chosen[algorithm], message_bytes)
        return None if cycles is None else nominal(cycles.number)

    def packet(
        self, packet: TinySecPacket, service: Service, payload_bytes: int
    ) -> FirmwarePacket | None:
        """Returns a packet by exact counts of blocks; None if the counts lack its length."""
        covered = authenticated_bytes(packet, service, payload_bytes)
        wanted: list[tuple[str, str, int]] = []
        if service != "encryption":
            wanted.append(("cbc-mac-aes128", "hmac-sha1", covered))
        if service != "mac":
            wanted.append(("aes128", "shacal1", payload_bytes))
        aes = sha1 = 0.0
        for aes_algorithm, sha1_algorithm, size in wanted:
            more_aes = self._core_cycles(aes_algorithm, size)
            more_sha1 = self._core_cycles(sha1_algorithm, size)
            if more_aes is None or more_sha1 is None:
                return None
            aes += more_aes
            sha1 += more_sha1
        return FirmwarePacket(payload_bytes, aes, sha1, aes * self.cycle_j, sha1 * self.cycle_j)


def firmware_of(store: FirmwareStore | None = None) -> Firmware | str:
    """Returns the counts of the store, else those that are shipped, or why there are none."""
    parts = assemble(_NODE, Inputs())
    core = parts.microcontroller.core
    every = known_series(core, store)
    chosen: dict[str, CountSeries] = {}
    for algorithm in ALGORITHMS:
        known = [series for series in every if series.algorithm == algorithm]
        if not known:
            return f"no core cycles of {algorithm} on {target_of(core)} are known; run '{COMMAND}'"
        chosen[algorithm] = min(known, key=_cycles_per_byte)
    return Firmware(parts, chosen)


def _cycles_per_byte(series: CountSeries) -> float:
    """Returns the core cycles per byte of 32 bytes, or of the nearest length that was counted."""
    size = min(series.counts, key=lambda count: abs(count - 32))
    return series.counts[size] / max(size, 1)
