# SPDX-License-Identifier: Apache-2.0
"""The facts of michail2005: its cores and the figures it printed."""

from __future__ import annotations

from functools import cache, partial
from typing import Literal

from joulemark.studies.papers import Count, Paper, PaperFacts, Positive, read_paper

Design = Literal["conventional", "proposed"]
CoreName = Literal["sha256", "hmac"]


class MichailExperiment(PaperFacts):
    """Facts of section 4, and those that its equation 1 needs."""

    device: str
    stages: Count
    block_bits: Count
    conventional_clocks: Count
    proposed_clocks: Count
    clocks_interpretation: str
    tags_bits: Count
    tags_interpretation: str


class MichailCore(PaperFacts):
    """A row of Table 1 or 2."""

    core: CoreName
    design: Design
    frequency_hz: Positive
    throughput_bit_per_s: Positive


class OtherCore(PaperFacts):
    """A row of Table 1 or 2 that is somebody else's."""

    core: CoreName
    reference: str
    """Number of the paper's reference, as `[7]`."""
    frequency_hz: Positive | None = None
    throughput_bit_per_s: Positive


class AdditionLevels(PaperFacts):
    """Levels of addition on the critical path, by section 2."""

    conventional: Count
    proposed: Count


class PublishedArea(PaperFacts):
    """How much more area the proposed core takes, as a share of the conventional one."""

    core: CoreName
    more: Positive


class PublishedLatency(PaperFacts):
    """The clocks of one tag."""

    design: Design
    clocks: Count


class PowerArgument(PaperFacts):
    """The argument of section 3: ratios of the proposed core to the conventional one."""

    clock_ratio: Positive
    voltage_saving: Positive
    capacitance_ratio: Positive
    stated_saving: Positive


class Michail2005(Paper):
    """`catalogue/papers/michail2005.toml`."""

    experiment: MichailExperiment
    published_core: list[MichailCore]
    other_core: list[OtherCore]
    levels: AdditionLevels
    published_area: list[PublishedArea]
    published_latency: list[PublishedLatency]
    power: PowerArgument

    def core(self, core: str, design: str) -> MichailCore:
        """Returns the printed row of `sha256` or `hmac`, `conventional` or `proposed`."""
        return next(row for row in self.published_core if (row.core, row.design) == (core, design))

    def clocks(self, design: str) -> int:
        """Returns the printed clocks between blocks."""
        clocks: int = getattr(self.experiment, f"{design}_clocks")
        return clocks

    def computed_bit_per_s(self, core: str, design: str) -> float:
        """Returns the throughput by equation 1 with the printed frequency."""
        return (
            self.experiment.block_bits * self.core(core, design).frequency_hz / self.clocks(design)
        )

    def printed_gain(self, core: str) -> float:
        """Returns the printed throughput of the proposed core over the conventional one, less 1."""
        proposed, conventional = self.core(core, "proposed"), self.core(core, "conventional")
        return proposed.throughput_bit_per_s / conventional.throughput_bit_per_s - 1

    def other(self, reference: str) -> OtherCore:
        """Returns somebody else's row."""
        return next(row for row in self.other_core if row.reference == reference)

    def best_other(self, core: str) -> OtherCore:
        """Returns somebody else's fastest core of a table."""
        rows = [row for row in self.other_core if row.core == core]
        return max(rows, key=lambda row: row.throughput_bit_per_s)

    def more_area(self, core: str) -> float:
        """Returns the printed share of additional area."""
        return next(row.more for row in self.published_area if row.core == core)


def power_ratio(clock_ratio: float, voltage_saving: float, capacitance_ratio: float) -> float:
    """Returns the dynamic power of one design over that of another: C f V^2 (section 3).

    Args:
        clock_ratio: its clock over the other's, 0 or more.
        voltage_saving: share by which its supply is lower, 0 to 1.
        capacitance_ratio: its switched capacitance of a clock over the other's, 0 or more.
    """
    return clock_ratio * capacitance_ratio * (1 - voltage_saving) ** 2


michail2005 = cache(partial(read_paper, Michail2005, "michail2005"))
"""The facts of the paper, read once."""
