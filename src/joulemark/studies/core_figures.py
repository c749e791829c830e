# SPDX-License-Identifier: Apache-2.0
"""What the studies of hardware ask of the core flow, and what they get back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "CoreFigures", "CorePoint", "CoreReporter", "MemoryFigures", "MemoryPoint", "MemoryReporter",
]  # fmt: skip


class CorePoint(BaseModel):
    """One core, one set of parameters, one target."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    core: str
    configuration: str
    """Name of a configuration in the core's manifest."""
    target: Literal["asic", "ecp5"]
    liberty: Path | None = None
    """For `asic`; None takes none, and the point has no figure."""
    mapping: Literal["area", "speed"] = "area"
    wire: str = "library"
    """Model of wires: the library's own, or capacitance for each input, as `5fF`."""
    clock_hz: float = 500e3
    placer: Literal["heap", "static"] | None = None
    """For `ecp5`: nextpnr's. Clocks that are compared are of one."""
    power: bool = True
    """Whether power is wanted; without it a point takes seconds instead of a minute."""


class CoreFigures(BaseModel):
    """The figures of a point that studies use; None where there is none, with its reason.

    In cells they are medians over the report's mappings, without the clock and reset trees that it
    models: the papers' figures have none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    point: CorePoint
    clocks_per_block: float | None = None
    latency_clocks: float | None = None
    area_ge: float | None = None
    storage_ge: float | None = None
    luts: float | None = None
    fmax_hz: float | None = None
    """FPGA: median over seeds; in cells 1 / `period_s`."""
    critical_path_s: float | None = None
    """None for a core with latches."""
    period_s: float | None = None
    """Shortest clock period, with an ideal clock."""
    leakage_w: float | None = None
    dynamic_w: float | None = None
    dynamic_no_glitch_w: float | None = None
    energy_per_block_j: float | None = None
    voltage_v: float | None = None
    corner: str | None = None
    reasons: dict[str, str] = Field(default_factory=dict)
    """Figure -> why it is None."""

    @property
    def throughput_bit_per_s(self) -> float | None:
        """512-bit blocks at the highest clock."""
        if self.fmax_hz is None or not self.clocks_per_block:
            return None
        return 512 * self.fmax_hz / self.clocks_per_block

    @property
    def total_w(self) -> float | None:
        """Leakage and dynamic power together."""
        if self.leakage_w is None or self.dynamic_w is None:
            return None
        return self.leakage_w + self.dynamic_w

    def energy_of_clock_j(self) -> float | None:
        """Dynamic energy of one clock."""
        return None if self.dynamic_w is None else self.dynamic_w / self.point.clock_hz

    def dynamic_j(self, *, glitches: bool = True) -> float | None:
        """Dynamic energy of one block, with or without that of glitches."""
        watts = self.dynamic_w if glitches else self.dynamic_no_glitch_w
        if watts is None or self.clocks_per_block is None:
            return None
        return watts / self.point.clock_hz * self.clocks_per_block


CoreReporter = Callable[[Sequence[CorePoint]], list[CoreFigures | str]]
"""Makes or remembers the figures of points, several at a time where there are CPUs for it; in their
place the reason why a point has none, such as a missing tool with its package."""


class MemoryPoint(BaseModel):
    """A memory beside a core, and what is done to it while the core works on one block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    liberty: Path
    words: int
    word_bits: int
    reads: int
    writes: int
    reads_needed: int
    """The fewest reads and writes with which the block can be worked on."""
    writes_needed: int
    clocks: int
    clock_hz: float


class MemoryFigures(BaseModel):
    """What such a memory takes by the cells of a library; all of it modelled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    area_ge: float
    leakage_w: float
    energy_j: float
    """Of one block, leakage in it: every access, half of the bits changing, as in random words."""
    least_j: float
    """Of the accesses that are needed, no bit changing."""
    most_j: float
    """Of every access, all bits changing."""
    cells: dict[str, int]
    """How many of each cell of the library."""


MemoryReporter = Callable[[MemoryPoint], MemoryFigures | str]
"""Figures of a memory, or the reason why the library has none."""
