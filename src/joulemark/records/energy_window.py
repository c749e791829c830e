# SPDX-License-Identifier: Apache-2.0
"""The records of an energy measurement: windows, traces, and the meter of a run.

These are plain facts, as stored. `joulemark.analyse.energy` computes joules from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from joulemark.records.domain import Domain, Fault
from joulemark.records.figures import Evidence


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

    def as_dict(self) -> dict[str, Any]:
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

    def as_dict(self) -> dict[str, Any]:
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
