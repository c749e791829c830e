# SPDX-License-Identifier: Apache-2.0
"""The facts of michail2005: its cores and the figures it printed."""

from __future__ import annotations

from functools import cache, partial
from typing import Literal

from joulemark.studies.papers import Count, Facts, Paper, Positive, read_paper

__all__ = ["Michail2005", "PublishedCore", "michail2005", "power_ratio"]

Design = Literal["conventional", "proposed"]
CoreName = Literal["sha256", "hmac"]


class Experiment(Facts):
    """Section 4, and what its equation 1 needs."""

    device: str
    stages: Count
    block_bits: Count
    conventional_clocks: Count
    proposed_clocks: Count
    clocks_interpretation: str
    tags_bits: Count
    tags_interpretation: str


class PublishedCore(Facts):
    """A row of Table 1 or 2."""

    core: CoreName
    design: Design
    frequency_hz: Positive
    throughput_bit_per_s: Positive


class PublishedArea(Facts):
    """How much more area the proposed core takes, as a share of the conventional one."""

    core: CoreName
    more: Positive


class PublishedLatency(Facts):
    """Clocks of one tag."""

    design: Design
    clocks: Count


class Power(Facts):
    """The argument of section 3: ratios of the proposed core to the conventional one."""

    clock_ratio: Positive
    voltage_saving: Positive
    capacitance_ratio: Positive
    stated_saving: Positive


class Michail2005(Paper):
    """`catalogue/papers/michail2005.toml`."""

    experiment: Experiment
    published_core: list[PublishedCore]
    published_area: list[PublishedArea]
    published_latency: list[PublishedLatency]
    power: Power

    def core(self, core: str, design: str) -> PublishedCore:
        """What was printed of `sha256` or `hmac`, `conventional` or `proposed`."""
        return next(
            published_core
            for published_core in self.published_core
            if (published_core.core, published_core.design) == (core, design)
        )

    def clocks(self, design: str) -> int:
        """Clocks between blocks."""
        experiment = self.experiment
        proposed = design == "proposed"
        return experiment.proposed_clocks if proposed else experiment.conventional_clocks

    def computed_bit_per_s(self, core: str, design: str) -> float:
        """Equation 1 with the printed frequency."""
        return (
            self.experiment.block_bits * self.core(core, design).frequency_hz / self.clocks(design)
        )

    def printed_gain(self, core: str) -> float:
        """Throughput of the proposed core by that of the conventional one, as printed, less 1."""
        proposed, conventional = self.core(core, "proposed"), self.core(core, "conventional")
        return proposed.throughput_bit_per_s / conventional.throughput_bit_per_s - 1

    def more_area(self, core: str) -> float:
        """The printed share of additional area."""
        return next(
            published_area.more
            for published_area in self.published_area
            if published_area.core == core
        )


def power_ratio(clock_ratio: float, voltage_saving: float, capacitance_ratio: float) -> float:
    """Dynamic power of one design by that of another: C f V^2 (section 3).

    Args:
        clock_ratio: its clock by the other's, 0 or more.
        voltage_saving: share by which its supply is lower, 0 to 1.
        capacitance_ratio: its switched capacitance of a clock by the other's, 0 or more.
    """
    return clock_ratio * capacitance_ratio * (1 - voltage_saving) ** 2


michail2005 = cache(partial(read_paper, Michail2005, "michail2005"))
"""The facts of the paper, read once."""
