# SPDX-License-Identifier: Apache-2.0
"""The same packets in firmware on an ATmega128L, as TinySec ran: core cycles and joules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.budget.counts import FirmwareStore, known_series, stored_series, target_of
from joulemark.budget.cycles import Cycles, Series, cycles_of
from joulemark.budget.inputs import Inputs, nominal
from joulemark.budget.parts import Parts, assemble
from joulemark.studies.kaps2006.paper import Kaps2006, Service

__all__ = ["ALGORITHMS", "COMMAND", "Firmware", "FirmwarePacket", "firmware_of"]

ALGORITHMS: Final = ("cbc-mac-aes128", "aes128", "hmac-sha1", "shacal1")
"""MAC and cipher of AES, then those of SHA-1."""
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
    """What is known of firmware on the node's core."""

    parts: Parts
    chosen: dict[str, Series]
    """Algorithm -> the implementation that takes fewest core cycles."""
    from_store: bool
    """Whether every count is of the store."""

    @property
    def cycle_j(self) -> float:
        """Of a core cycle, by the data sheet's current."""
        return nominal(self.parts.cycle_j)

    @property
    def sources(self) -> list[str]:
        """Whose counts they are, with their evidence, each once."""
        found = [f"{series.source} ({series.evidence})" for series in self.chosen.values()]
        return list(dict.fromkeys(found))

    def _cycles(self, algorithm: str, message_bytes: int) -> float | None:
        if message_bytes == 0 and algorithm in {"aes128", "shacal1"}:
            return 0.0
        found: Cycles | None = cycles_of(self.chosen[algorithm], message_bytes)
        return None if found is None else nominal(found.number)

    def packet(
        self, paper: Kaps2006, service: Service, payload_bytes: int
    ) -> FirmwarePacket | None:
        """A packet, by exact counts of blocks; None where the counts say nothing of its length."""
        layout = paper.packet
        covered = payload_bytes + (
            layout.both_header_bytes if service == "both" else layout.authentication_header_bytes
        )
        wanted = {
            "mac": (("cbc-mac-aes128", covered), ("hmac-sha1", covered)),
            "encryption": (("aes128", payload_bytes), ("shacal1", payload_bytes)),
        }  # fmt: skip
        services: Sequence[str] = ("mac", "encryption") if service == "both" else (service,)
        totals = [0.0, 0.0]
        for part in services:
            for place, (algorithm, size) in enumerate(wanted[part]):
                cycles = self._cycles(algorithm, size)
                if cycles is None:
                    return None
                totals[place] += cycles
        aes, sha1 = totals
        return FirmwarePacket(payload_bytes, aes, sha1, aes * self.cycle_j, sha1 * self.cycle_j)


def firmware_of(store: FirmwareStore | None = None) -> Firmware | str:
    """Counts of the store, else those that are shipped.

    Args:
        store: an open store, or None.

    Returns:
        Or why there are none.
    """
    parts = assemble(_NODE, Inputs())
    core = parts.microcontroller.core
    stored = stored_series(store, core) if store is not None else []
    chosen: dict[str, Series] = {}
    for algorithm in ALGORITHMS:
        found = [series for series in known_series(core, store) if series.algorithm == algorithm]
        if not found:
            return f"no core cycles of {algorithm} on {target_of(core)} are known; run '{COMMAND}'"
        chosen[algorithm] = min(found, key=_cycles_of_a_step)
    there = {series.implementation for series in stored}
    return Firmware(
        parts, chosen, from_store=all(series.implementation in there for series in chosen.values())
    )


def _cycles_of_a_step(series: Series) -> float:
    """Core cycles of 32 bytes, or of the nearest length, by which implementations are compared."""
    size = min(series.counts, key=lambda count: abs(count - 32))
    return series.counts[size] / max(size, 1)
