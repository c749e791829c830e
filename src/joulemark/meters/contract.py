# SPDX-License-Identifier: Apache-2.0
"""The contract that every energy meter fulfils.

A meter is an instrument with one or more domains. A domain is a part of the machine that the
instrument meters: a CPU package, its cores, the memory beside it, a battery. Domains form a tree:
what a domain uses is part of what its parent uses, so the two are never added.

A meter reports raw counts with the moments between which they were taken. It divides nothing,
corrects nothing and averages nothing; `joulemark.analyse.energy` does that from stored readings.
Missing is never zero: what cannot be read has a reason, and a read that fails raises MeterError.

To add a meter is to add one file to `joulemark.meters.instruments`; see its `__init__`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from joulemark.errors import JoulemarkError
from joulemark.foreign.text import visible
from joulemark.measure.records import Evidence

__all__ = [
    "CEILING_W",
    "LONGEST_GAP_S",
    "Domain",
    "DomainKind",
    "Fault",
    "Meter",
    "MeterError",
    "Quantity",
    "Reading",
    "Refusal",
    "Roots",
    "Survey",
]


class DomainKind(StrEnum):
    """What a domain meters."""

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
    """A supply rail or board input with a sensor of its own."""
    SUPPLY = "supply"
    """Whatever the external instrument's leads are connected to."""


class Quantity(StrEnum):
    """What a count of a domain means."""

    ENERGY = "energy"
    """A cumulative counter: differences of counts are energies."""
    POWER = "power"
    """A gauge: each count is a power at its moment, or the mean over the update period before."""


class Fault(StrEnum):
    """Why a reading cannot be had, or must not be used."""

    PERMISSION = "permission denied"
    VANISHED = "vanished"
    UNREADABLE = "unreadable"
    """It is there, and what it says is no number of its format."""
    EXTERNAL_POWER = "external power"
    """A battery that is not discharging: it does not feed the machine alone."""


class MeterError(JoulemarkError):
    """A reading cannot be had; the text says what, where, and how to mend it.

    Args:
        fault: which kind of trouble.
        text: one sentence for the user; what it repeats of a file becomes visible.
    """

    def __init__(self, fault: Fault, text: str) -> None:
        super().__init__(visible(text))
        self.fault = fault


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
"""Power that no domain of the kind reaches, where the instrument states no limit: about three
times the largest sold. Used to tell a wrap from a counter that was reset."""

LONGEST_GAP_S: Final = 60.0
"""Longest time between two reads of a counter that can wrap, whatever its range: a power limit
may be wrong or raised, and a perf counter's own overflow timer supposes 200 W."""


@dataclass(frozen=True, slots=True)
class Domain:
    """One metered part of the machine and the facts of its counter."""

    id: str
    """Unique within its meter and the same in every process of one boot: `intel-rapl:0:1`."""
    name: str
    """As the instrument calls it: `package-0`, `core`, `BAT0`."""
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
    mirrored die); such a domain is shown and never used beside the other."""
    wraps_at_counts: int | None = None
    """Count at which the counter is 0 again: the number of different counts. None: unknown or
    never; then a decrease makes a window void."""
    max_power_w: float | None = None
    """Highest power the hardware's own limits allow, where they are stated."""
    update_period_s: float | None = None
    """As documented; None where only measuring tells. What was measured goes before this."""
    falls: bool = False
    """Whether the count falls as energy is used (energy left in a battery)."""
    package: int | None = None
    """Physical package (socket) that the domain belongs to, where it belongs to one."""
    die: int | None = None
    """Die of that package, where dies are metered apart."""
    note: str | None = None
    """A sentence on what its figure includes, where that is not plain."""

    @property
    def ceiling_w(self) -> float:
        """Power above which a reading is not believed, in watts."""
        return self.max_power_w or CEILING_W[self.kind]

    @property
    def longest_gap_s(self) -> float:
        """Longest time between two reads after which a wrap is still counted right.

        Half the time in which the ceiling fills the range, and at most `LONGEST_GAP_S`, which is
        also right for a rising counter of unknown range: it may wrap and end higher than it was.
        Infinite for gauges, which count nothing, and for falling counters, which do not wrap.
        """
        if self.quantity is Quantity.POWER or self.falls:
            return float("inf")
        if self.wraps_at_counts is None:
            return LONGEST_GAP_S
        return min(LONGEST_GAP_S, self.wraps_at_counts * self.per_count / self.ceiling_w / 2)

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Domain:
        """The domain that `as_dict` described; fields of a later Joulemark are passed over."""
        known = {name: values[name] for name in Domain.__dataclass_fields__ if name in values}
        known["kind"] = DomainKind(known["kind"])
        known["quantity"] = Quantity(known["quantity"])
        return Domain(**known)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A domain, or a whole instrument, that is there and cannot be used."""

    what: str
    """Id of the domain, or a path."""
    reason: str
    """One sentence: why not."""
    remedy: str | None = None
    """The exact command or rule that would make it usable; None where nothing does."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "what", visible(self.what))
        object.__setattr__(self, "reason", visible(self.reason))


@dataclass(frozen=True, slots=True)
class Survey:
    """What a meter finds when it looks for its instrument, without keeping anything open."""

    domains: tuple[Domain, ...] = ()
    """Domains that can be read now, parents before children."""
    refused: tuple[Refusal, ...] = ()
    """Domains that are there and cannot be read."""
    reason: str | None = None
    """Why no domain can be read; None if at least one can."""
    remedy: str | None = None
    """The command that would make the meter usable, where there is one."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else belongs to every figure of this meter: driver, filter bit, firmware."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One raw reading of one domain."""

    before_ns: int
    """CLOCK_MONOTONIC just before the instrument was asked."""
    after_ns: int
    """CLOCK_MONOTONIC just after it answered. Where the instrument stamps its samples itself, both
    are the stamp, on this machine's clock."""
    counts: int
    """Raw count, at least 0; see `Domain.per_count`."""
    state: str | None = None
    """What the instrument says beside the count and the analysis must know: `Discharging`."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Where the kernel's file trees are, and the clock: the real ones, or a simulated machine's."""

    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    now_ns: Callable[[], int] = time.monotonic_ns
    """CLOCK_MONOTONIC; every moment that a meter reports is on this clock."""


class Meter(ABC):
    """One kind of instrument. Not thread-safe; each process makes its own.

    `domains`, `resolution`, `update_period` and `wraps_at` of the contract are facts of each
    `Domain`, because they differ between the domains of one instrument.
    """

    name: str
    """As on the command line: `powercap`."""
    title: str
    """For people: "RAPL through powercap"."""

    @abstractmethod
    def survey(self) -> Survey:
        """Looks for the instrument; never raises, never waits longer than a second."""

    def available(self) -> str | None:
        """None if at least one domain can be read, else the reason."""
        return self.survey().reason

    def domains(self) -> tuple[Domain, ...]:
        """Every domain that can be read, parents before children."""
        return self.survey().domains

    @abstractmethod
    def read(self, domain: str) -> Reading:
        """Reads one domain, now.

        Raises:
            MeterError: it cannot be read; the fault says what kind of trouble.
        """

    @abstractmethod
    def evidence(self) -> Evidence:
        """MEASURED where the instrument is real; SIMULATED where its files are a test double."""

    def close(self) -> None:  # noqa: B027 - most meters hold nothing open
        """Releases what reading holds open. May be called twice."""
