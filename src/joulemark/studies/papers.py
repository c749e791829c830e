# SPDX-License-Identifier: Apache-2.0
"""Papers as their files in `catalogue/papers` have them, and points and figures of core flows."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from joulemark.catalogue import data_folder
from joulemark.errors import JoulemarkError

# Reading `catalogue/papers/<id>.toml` by the model that a study has of its paper.

Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


class PaperRecord(BaseModel):
    """A record of a study; a file that is read into it has these fields and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PaperFacts(PaperRecord):
    """Something that the paper did or printed."""

    place: str
    """The place in the paper that says so."""


class Claim(PaperFacts):
    """A sentence of the paper, in our words."""

    id: str
    text: str


class Paper(PaperRecord):
    """The fields that the file of every paper has."""

    id: str
    title: str
    references: list[str]
    """Ids in `catalogue/bibliography.toml`, the paper itself first."""
    claims: list[Claim]


Model = TypeVar("Model", bound=Paper)


def read_paper(model: type[Model], identifier: str) -> Model:
    """Reads the facts of one paper."""
    path = data_folder("catalogue") / "papers" / f"{identifier}.toml"
    try:
        paper = model.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise JoulemarkError(f"{path}: {error}") from error
    if paper.id != identifier:
        raise JoulemarkError(f"{path}: id is '{paper.id}' but the file's name says other")
    return paper


# The points for which studies of hardware ask the core flow, and the figures of each point.


class CorePoint(PaperRecord):
    """One core, one set of parameters, one target."""

    core: str
    configuration: str
    """Name of a configuration in the core's manifest."""
    parameters: dict[str, int] = Field(default_factory=dict)
    """Parameters that replace those of the configuration."""
    target: Literal["asic", "ecp5"]
    liberty: Path | None = None
    """Cell library of `asic`; without a library area is in generic gates, and there is no power."""
    mapping: Literal["area", "speed"] = "area"
    mapped: bool = True
    """Whether gates are wanted; if not, the point has clocks alone."""
    wire: str = "library"
    """Model of wires: the library's model, or capacitance for each input, as `5fF`."""
    clock_hz: float = 500e3
    """In figures of a point with `clock_share`, the clock that it gave."""
    clock_share: float | None = None
    """Clock as a share of the core's highest, in place of `clock_hz`."""
    placer: Literal["heap", "static"] | None = None
    """Placer of nextpnr for `ecp5`; clocks are compared only if one placer placed both cores."""
    power: bool = True
    """Whether power is wanted; without power a point takes seconds instead of a minute."""


class CoreFigures(PaperRecord):
    """The figures of a point that studies use; a figure that is None has a reason.

    Figures in cells are medians over the report's mappings. They leave out the clock and reset
    trees of the report, since the papers' figures have no trees.
    """

    point: CorePoint
    clocks_per_block: float | None = None
    latency_clocks: float | None = None
    area_ge: float | None = None
    storage_ge: float | None = None
    luts: float | None = None
    fmax_hz: float | None = None
    """Highest clock: on an FPGA the median over seeds, in cells 1 / `period_s`."""
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
        """Bits of blocks of 512 bits in a second at the highest clock."""
        if self.fmax_hz is None or not self.clocks_per_block:
            return None
        return 512 * self.fmax_hz / self.clocks_per_block

    @property
    def total_w(self) -> float | None:
        """Leakage and dynamic power together."""
        if self.leakage_w is None or self.dynamic_w is None:
            return None
        return self.leakage_w + self.dynamic_w

    @property
    def clock_j(self) -> float | None:
        """Dynamic energy of one clock."""
        return None if self.dynamic_w is None else self.dynamic_w / self.point.clock_hz

    def dynamic_j(self, *, glitches: bool = True) -> float | None:
        """Returns the dynamic energy of one block, with or without that of glitches."""
        watts = self.dynamic_w if glitches else self.dynamic_no_glitch_w
        if watts is None or self.clocks_per_block is None:
            return None
        return watts / self.point.clock_hz * self.clocks_per_block

    def at_clock(self, clock_hz: float) -> CoreFigures:
        """The figures at another clock.

        The energy of a clock does not depend on its period while every path fits in it: the same
        nets change, and as often.
        """
        times = clock_hz / self.point.clock_hz

        def scaled(watts: float | None) -> float | None:
            return None if watts is None else watts * times

        dynamic_w, block_j = scaled(self.dynamic_w), None
        if self.leakage_w is not None and dynamic_w is not None and self.clocks_per_block:
            block_j = (self.leakage_w + dynamic_w) * self.clocks_per_block / clock_hz
        return self.model_copy(
            update={
                "point": self.point.model_copy(update={"clock_hz": clock_hz, "clock_share": None}),
                "dynamic_w": dynamic_w,
                "dynamic_no_glitch_w": scaled(self.dynamic_no_glitch_w),
                "energy_per_block_j": block_j,
            }
        )


CoreReporter = Callable[[Sequence[CorePoint]], list[CoreFigures | str]]
"""Makes the figures of points, or takes those that were kept. In the place of figures stands the
reason why a point has none, such as a missing tool with its package."""


class MemoryPoint(PaperRecord):
    """A memory beside a core, and the accesses to it while the core works on one block."""

    liberty: Path
    words: int
    word_bits: int
    reads: int
    writes: int
    reads_needed: int
    """The fewest reads with which the core can work on the block."""
    writes_needed: int
    """The fewest writes with which the core can work on the block."""
    clocks: int
    clock_hz: float


class MemoryFigures(PaperRecord):
    """Area, power and energy of such a memory, modelled from the cells of a library."""

    area_ge: float
    leakage_w: float
    energy_j: float
    """Energy of one block, leakage included, if half of the bits change at every access, as in
    random words."""
    least_j: float
    """Energy of one block if only needed accesses are made and no bit changes."""
    most_j: float
    """Energy of one block if all bits change at every access."""
    cells: dict[str, int]
    """Cell of the library -> how many of it the memory has."""


MemoryReporter = Callable[[MemoryPoint], MemoryFigures | str]
"""Figures of a memory, or the reason why the library has none."""


class FirmwarePoint(PaperRecord):
    """Firmware on the netlists of open CPUs."""

    targets: tuple[str, ...]
    implementations: tuple[str, ...]
    lengths_bytes: tuple[int, ...]
    clock_hz: float


class FirmwareBlock(PaperRecord):
    """What one block more of a message takes on a CPU. Energies are modelled, clocks simulated."""

    clocks: float
    energy_j: float
    """Of the CPU's netlist, leakage included, without glitches."""
    memory_j: float
    """Of the memories of program and data, no part of the other figure."""


class FirmwareBlocks(PaperRecord):
    """A block of AES and of SHA-1 on the netlist of an open CPU."""

    target: str
    area_ge: float
    """Without memories."""
    aes: FirmwareBlock
    sha1: FirmwareBlock
