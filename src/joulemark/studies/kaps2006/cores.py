# SPDX-License-Identifier: Apache-2.0
"""What the flow gives: the two cores that are compared, and the memory that one leaves outside."""

from __future__ import annotations

from dataclasses import dataclass, replace

from joulemark.studies.core_figures import CoreFigures, MemoryFigures
from joulemark.studies.kaps2006.firmware import Firmware

__all__ = ["Cores", "Findings", "with_memory"]


@dataclass(frozen=True, slots=True)
class Cores:
    """A SHA-1 and an AES core in our flow; None where the flow gave nothing."""

    sha1: CoreFigures | None
    aes: CoreFigures | None
    reason: str
    """Why one is None; empty if neither is."""
    asked: bool = True
    """Whether cores were asked for at all."""

    @property
    def block_energies_j(self) -> tuple[float, float] | None:
        """Of a block of AES and of SHA-1, where both are known."""
        if self.sha1 is None or self.aes is None:
            return None
        aes, sha1 = self.aes.energy_per_block_j, self.sha1.energy_per_block_j
        return None if aes is None or sha1 is None else (aes, sha1)

    @property
    def block_clocks(self) -> tuple[float, float] | None:
        """Clocks of a block of AES and of SHA-1, where both are known."""
        if self.sha1 is None or self.aes is None:
            return None
        aes, sha1 = self.aes.clocks_per_block, self.sha1.clocks_per_block
        return None if aes is None or sha1 is None else (aes, sha1)


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that the claims are judged by, beside the paper's own figures."""

    cores: Cores
    """The paper's designs in our flow."""
    ours: Cores
    """Our designs for the same purpose, by which the paper's conclusion is judged."""
    outside: MemoryFigures | str
    """Of the memory that holds SHA-1's block, or why there are none."""
    missing: list[str]
    """Cores without figures, each with its reason."""
    firmware: Firmware | str
    """On an ATmega128L, or why there are no counts."""

    @property
    def memory(self) -> MemoryFigures | None:
        """Of the memory outside, where a library says what it takes."""
        return None if isinstance(self.outside, str) else self.outside


def with_memory(cores: Cores, memory: MemoryFigures | None) -> Cores | None:
    """The same with SHA-1's block memory counted; None where either has no energy."""
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
