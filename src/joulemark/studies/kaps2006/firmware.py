# SPDX-License-Identifier: Apache-2.0
"""The same packets in firmware on an ATmega128L, as TinySec ran: core cycles and joules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from joulemark.budget.counts import CountSeries, FirmwareStore, cycles_of, known_series, target_of
from joulemark.budget.inputs import Inputs, nominal
from joulemark.budget.parts import Parts, assemble
from joulemark.studies.kaps2006.packets import authenticated_bytes
from joulemark.studies.kaps2006.paper import Service, TinySecPacket

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
