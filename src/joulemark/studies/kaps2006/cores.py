# SPDX-License-Identifier: Apache-2.0
"""Figures of the flow: the two cores that are compared, and the memory that one leaves outside."""

from __future__ import annotations

from dataclasses import dataclass, replace

from joulemark.studies.core_figures import CoreFigures, MemoryFigures
from joulemark.studies.kaps2006.firmware import Firmware

__all__ = ["Cores", "Findings", "with_memory"]


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
class Findings:
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
