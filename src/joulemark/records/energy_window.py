# SPDX-License-Identifier: Apache-2.0
"""The records of an energy measurement: metered domains, windows, traces, and the meter of a run.

These are plain facts, as stored. `joulemark.analyse.window` computes joules from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from joulemark.records import JsonObject
from joulemark.records.figures import Evidence


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


# The records of an energy measurement: windows, traces, and the meter of a run.
#
# These are plain facts, as stored. `joulemark.analyse.window` computes joules from them.


class WindowKind(StrEnum):
    """The work of the measured core during a window."""

    LOAD = "load"
    """The core authenticated messages, or ran the command."""
    DEEP_IDLE = "deep idle"
    """Nothing of ours ran: the core could sleep as deeply as the machine lets it."""
    ACTIVE_IDLE = "active idle"
    """The core ran a pause loop, awake and at its clock, doing no work."""


@dataclass(frozen=True, slots=True)
class TracePoint:
    """The counter stood at `counts` at some moment from `not_before_ns` to `not_after_ns`.

    Where the update was seen, these are the last read of the old count and the first read of the
    new count; otherwise the update may lie a whole period before the read.
    """

    not_before_ns: int
    not_after_ns: int
    counts: int
    state: str | None = None
    """`Reading.state` of that read."""

    @property
    def middle_s(self) -> float:
        """The middle of the stretch in which the count was reached, in seconds."""
        return (self.not_before_ns + self.not_after_ns) / 2e9


@dataclass(frozen=True, slots=True)
class TraceFault:
    """Why a domain has no usable trace in a window."""

    kind: Fault
    text: str
    """One sentence."""

    @property
    def stored(self) -> str:
        """The text of stores and of workers' answers: "kind: sentence"."""
        return f"{self.kind.value}: {self.text}"

    @staticmethod
    def from_stored(text: str) -> TraceFault:
        """The fault that `stored` described; a fault of an unknown kind becomes `UNREADABLE`."""
        word, _, sentence = text.partition(": ")
        known = word in {kind.value for kind in Fault}
        return TraceFault(Fault(word), sentence) if known else TraceFault(Fault.UNREADABLE, text)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Lets `foreign.records` read a fault from a string in the stored form."""
        read = {"type": "no-info", "function": cls.from_stored}
        return {"type": "function-after", "function": read, "schema": {"type": "str"}}


@dataclass(frozen=True, slots=True)
class Observation:
    """The updates that polling saw of one domain."""

    domain: str
    points: tuple[TracePoint, ...]
    """A point for each update."""
    snapshots: tuple[int, ...]
    """Counts at moments shared by all observed domains, every few updates; they reveal mirrors."""
    watched_s: float
    fault: TraceFault | None = None


@dataclass(frozen=True, slots=True)
class WindowRequest:
    """Asks for a window of some length, at a place in the run."""

    window_ns: int
    """Shortest time between the edges."""
    periods_s: Mapping[str, float] = field(default_factory=dict)
    """Update period of each domain; a gauge's is the time between its samples."""
    skip_ns: int = 0
    """Time of load before the first sample of a gauge."""
    round_index: int = 0
    position: int = 0
    attempt: int = 0
    generation: int = 0


@dataclass(frozen=True, slots=True)
class DomainTrace:
    """The readings of one domain during one window, in order of time."""

    domain: str
    points: tuple[TracePoint, ...] = ()
    """Of a counter both edges, and the reads between them that keep wraps unambiguous; of a gauge
    every sample."""
    fault: TraceFault | None = None
    """Why the domain has no usable trace; None if it has one."""


@dataclass(frozen=True, slots=True)
class EnergyWindow:
    """One raw observation of energy: counters over one window, next to the domain traces.

    None means that the counter does not exist here; it never means zero.
    """

    kind: WindowKind
    round_index: int
    """Round of the run, from 0."""
    position: int
    """Place in the order of the round, from 0, baselines included."""
    attempt: int
    """How often the window had been taken before and was void, from 0."""
    generation: int
    wall_start_ns: int
    """CLOCK_MONOTONIC when the load started."""
    wall_ns: int
    """Time from the first message, or the start of idling, to the last; both edges lie within."""
    messages: int
    """Messages in `wall_ns`; 0 while idle, 1 for a command."""
    thread_cpu_ns: int
    """CPU time of the measuring thread (or of the command) in `wall_ns`."""
    reading_ns: int
    """Part of `wall_ns` spent reading the meter between messages."""
    reads: int
    machine_busy_ns: int | None
    """CPU time of all programs on all CPUs, ours included, in scheduler ticks of 4 or 10 ms."""
    machine_steal_ns: int | None
    run_queue_wait_ns: int | None
    suspended_ns: int
    """Time for which the machine slept in the window (CLOCK_BOOTTIME less CLOCK_MONOTONIC)."""
    traces: tuple[DomainTrace, ...]
    core_chain_adds: int = 0
    """Dependent additions, one core cycle each, in each of the two clock probes."""
    chain_ticks_before: int | None = None
    """TSC ticks of the fastest clock probe before the window; None without TSC."""
    chain_ticks_after: int | None = None
    temperature_start_mdeg: int | None = None
    """Millidegrees Celsius of the CPU package's thermal zone; None without one."""
    temperature_end_mdeg: int | None = None

    def as_dict(self) -> JsonObject:
        """Field names and values, for JSON."""
        traces = [
            {**asdict(trace), "fault": trace.fault and trace.fault.stored} for trace in self.traces
        ]
        return {**asdict(self), "traces": traces}


@dataclass(frozen=True, slots=True)
class MeterRecord:
    """The meter of a run, its domains and its method: stored once, attached to each figure."""

    meter: str
    """Name of the meter with its argument, as the user would give it again."""
    title: str
    evidence: Evidence
    method: str
    """Name of the window method: `edges`, `gauge` or `westermann2010`."""
    domains: tuple[Domain, ...]
    headline: str
    """Id of the domain whose figures are the results' own: that of the measured CPU."""
    window_s: float
    """Requested length of a window. A window that ends at an edge is a little longer."""
    paces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Domain id -> `Pace.as_dict()`, as observed before the run."""
    foreign_limit: float = 0.01
    """Foreign CPU time over wall time above which a window is void."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """`Survey.facts`, and as `choice` the sentence why this meter was taken."""

    def __post_init__(self) -> None:
        """Raises ValueError if the headline is none of the record's domains."""
        if all(domain.id != self.headline for domain in self.domains):
            raise ValueError("the headline is none of the domains")

    def as_dict(self) -> JsonObject:
        """Field names and values, for JSON."""
        values = asdict(self)
        return {**values, "domains": list(values["domains"])}


# A command of the user: how often it runs, how each run ended, and the windows metered of it.


@dataclass(frozen=True, slots=True)
class CommandPlan:
    """How often the command runs, as the user asked."""

    rounds: int = 5
    warmup: int = 1
    """Runs before the rounds, at least 1: the last one tells how long the command takes."""
    repeat: int = 1
    """Runs of the command in one window."""
    retakes: int = 3
    """How often a void window is taken again at most."""
    ignore_failure: bool = False


@dataclass(frozen=True, slots=True)
class EndedCommand:
    """How one run of the command ended."""

    status: int
    """Exit code, or -N if signal N ended the command."""
    cpu_ns: int
    """CPU time of the command and of all children that it waited for."""


@dataclass(frozen=True, slots=True)
class CommandWindow:
    """One energy window around the command, and how the command ended in it."""

    window: EnergyWindow
    """Its `wall_ns` is the time from the first start to the last end; the edges lie outside."""
    ended: tuple[EndedCommand, ...] = ()
    """An entry for each run; empty if the meter failed before the start."""


@dataclass(slots=True)
class CommandRun:
    """All windows of one command."""

    record: MeterRecord
    headline: Domain
    plan: CommandPlan
    loads: list[CommandWindow] = field(default_factory=list)
    """Windows of the command in order of time, void ones included."""
    idles: list[EnergyWindow] = field(default_factory=list)
    gave_up: str | None = None
    """Why rounds that were asked for are missing; None if all were taken."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """One window of a command that was only timed."""

    wall_ns: int
    """Time from the first start to the last end."""
    ended: tuple[EndedCommand, ...]
    """An entry for each run of the command."""
