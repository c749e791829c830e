# SPDX-License-Identifier: Apache-2.0
"""A metered part of the machine and the facts of its counter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class DomainKind(StrEnum):
    """The part of the machine that a domain meters."""

    PSYS = "psys"
    """The whole platform, as the processor vendor defines it; contains the packages."""
    PACKAGE = "package"
    """One CPU package, or one die of it."""
    CORE = "core"
    """The cores of a package (RAPL pp0), or one core (AMD)."""
    UNCORE = "uncore"
    """The graphics unit in a package (RAPL pp1)."""
    DRAM = "dram"
    """Memory, beside its package."""
    BATTERY = "battery"
    """All that the battery feeds: the whole machine, while it is discharging."""
    GPU = "gpu"
    """A graphics or accelerator board."""
    RAIL = "rail"
    """A supply rail or board input with a separate sensor."""
    SUPPLY = "supply"
    """Everything that the leads of an external instrument are connected to."""


class Quantity(StrEnum):
    """The meaning of a count of a domain."""

    ENERGY = "energy"
    """A cumulative counter: differences of counts are energies."""
    POWER = "power"
    """A gauge: each count is a power at its moment, or the mean over the update period before."""


class Fault(StrEnum):
    """Why there is no reading, or why it must not be used."""

    PERMISSION = "permission denied"
    VANISHED = "vanished"
    UNREADABLE = "unreadable"
    """The counter is there, but its text is no number of its format."""
    STUCK = "stuck"
    """The counter shows the same count for longer than it can."""
    EXTERNAL_POWER = "external power"
    """A battery that is not discharging: it does not feed the machine alone."""


CEILING_W: Final[Mapping[DomainKind, float]] = {
    DomainKind.PSYS: 10_000.0,
    DomainKind.PACKAGE: 1_500.0,
    DomainKind.CORE: 1_500.0,
    DomainKind.UNCORE: 1_500.0,
    DomainKind.DRAM: 1_000.0,
    DomainKind.BATTERY: 1_000.0,
    DomainKind.GPU: 3_000.0,
    DomainKind.RAIL: 3_000.0,
    DomainKind.SUPPLY: 100_000.0,
}
"""Power in watts that no domain of the kind reaches, used where the instrument states no limit:
about three times the largest sold. It tells a wrap from a counter that was reset."""

LONGEST_GAP_S: Final = 60.0
"""Longest time between two reads of a counter that can wrap, whatever its range: a power limit
may be wrong or raised, and a perf counter's own overflow timer supposes 200 W."""


def unplugging(state: str) -> str | None:
    """The advice that lets a battery alone feed the machine; None if nothing is known to be in.

    Args:
        state: of the battery as its meter gives it: its status, such as `Discharging`, and the
            adapters that are connected, as in `Full, mains and USB charger online`.
    """
    status, _, adapters = state.removesuffix(" online").partition(", ")
    if state.endswith(" online") and adapters == "wireless charger":
        return "take the machine off the wireless charger"
    if state.endswith(" online"):
        return f"unplug the {' and the '.join(adapters.split(' and '))}".replace(
            "the mains", "the mains adapter"
        )
    return "unplug the charger" if status.lower() == "charging" else None


@dataclass(frozen=True, slots=True)
class Domain:
    """One metered part of the machine and the facts of its counter."""

    id: str
    """Unique within its meter and the same in every process of one boot: `intel-rapl:0:1`."""
    name: str
    """The instrument's name for it: `package-0`, `core`, `BAT0`."""
    kind: DomainKind
    quantity: Quantity
    per_count: float
    """Joules (ENERGY) or watts (POWER) that one count stands for; above 0."""
    resolution: float
    """Smallest step of the instrument in joules or watts; at least `per_count`. (A counter kept
    in microjoules may move in steps of 61.)"""
    parent: str | None = None
    """Id of the smallest domain of the same meter that contains this one; None for a root."""
    same_as: str | None = None
    """Id of the domain that reads the same hardware another way (MMIO twin of an MSR zone, a
    mirrored die). Such a domain is shown, and never used beside the other."""
    wraps_at_counts: int | None = None
    """Count at which the counter is 0 again: the number of different counts. None: unknown or
    never; then a decrease makes a window void."""
    max_power_w: float | None = None
    """Highest power that the stated limits of the hardware allow; None if none are stated."""
    update_period_s: float | None = None
    """The documented update period; None if undocumented. A measured period is preferred to it."""
    falls: bool = False
    """Whether the count falls as energy is used (energy left in a battery)."""
    package: int | None = None
    """Number of the physical package (socket) that the domain belongs to, if it belongs to one."""
    die: int | None = None
    """Number of the die in that package, where dies are metered separately."""
    note: str | None = None
    """A sentence that says which parts its figure includes, where that is not plain."""

    @property
    def ceiling_w(self) -> float:
        """Power above which a reading is not believed, in watts."""
        return self.max_power_w or CEILING_W[self.kind]

    @property
    def longest_gap_s(self) -> float:
        """Longest time between two reads over which a wrap is still counted right.

        Half the time in which the ceiling fills the range, and at most `LONGEST_GAP_S`, which is
        also right for a rising counter of unknown range: it may wrap and end higher than it was.
        Infinite for gauges, which count nothing, and for falling counters, which do not wrap.
        """
        if self.quantity is Quantity.POWER or self.falls:
            return float("inf")
        if self.wraps_at_counts is None:
            return LONGEST_GAP_S
        return min(LONGEST_GAP_S, self.wraps_at_counts * self.per_count / self.ceiling_w / 2)
