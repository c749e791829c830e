# SPDX-License-Identifier: Apache-2.0
"""The words of a measurement: workload, trial, raw sample, failure.

These are plain facts, passed from the planner to the worker, from the worker to the store, and
from the store to the analysis. Nothing here divides or averages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from joulemark.foreign.records import ForeignError, counters_from
from joulemark.measure.mixes import mean_bytes, mix_title
from joulemark.units import format_bytes

__all__ = [
    "ENERGY",
    "HOST",
    "LONGEST_WINDOW_NS",
    "RTL",
    "Cache",
    "ClockCount",
    "Evidence",
    "Failure",
    "FailureKind",
    "ImplementationFacts",
    "KeySetup",
    "Mode",
    "RawSample",
    "Trial",
    "Workload",
    "clock_count_from",
    "sample_from",
]


ENERGY = "*/energy"
"""Name under which a run records that no energy could be metered, among its failures."""
HOST = "host"
"""Target of software: the machine that the run is on."""
RTL = "rtl:verilator"
"""Target of hardware cores: their sources in a simulator, which counts clocks and knows no time."""


class Mode(StrEnum):
    """Whether one message may start before the last has ended."""

    THROUGHPUT = "throughput"
    """Independent messages: the core may overlap the end of one with the start of the next."""
    LATENCY = "latency"
    """The address of each message depends on the tag before it, so nothing overlaps."""


class Cache(StrEnum):
    """Where the message lies when its turn comes."""

    HOT = "hot"
    """One message buffer, reused: in the first-level cache as far as it fits."""
    COLD = "cold"
    """A fresh message each time, flushed from every cache level; code and key state stay warm."""


class KeySetup(StrEnum):
    """Whether the key set-up is part of the timed loop."""

    KEPT = "kept"
    """Set up once, before the clock starts."""
    FRESH = "fresh"
    """Set up, used for one message and wiped, inside the timed loop: the agility figure."""
    DISTINCT = "distinct"
    """Kept, and a different one for each message of the batch."""


class Evidence(StrEnum):
    """How a figure was obtained; never mixed without the word beside it."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    MODELLED = "modelled"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """What is asked of an implementation in one trial."""

    size_bytes: int
    """Of every message; for a mix of lengths the mean, rounded."""
    mode: Mode = Mode.THROUGHPUT
    cache: Cache = Cache.HOT
    key_setup: KeySetup = KeySetup.KEPT
    batch: int = 1
    """Messages handed over at a time."""
    mix: str = ""
    """A mix of lengths (`joulemark.measure.mixes`); empty where all messages have one length."""

    @property
    def mean_bytes(self) -> float:
        """Bytes of a message, the exact mean for a mix: what rates and costs per byte divide by."""
        return float(mean_bytes(self.mix)) if self.mix else float(self.size_bytes)

    @property
    def length_text(self) -> str:
        """Its length as sentences and tables say it."""
        return mix_title(self.mix) if self.mix else format_bytes(self.size_bytes)

    @property
    def text(self) -> str:
        """Length and batch, as in "64 B" or "64 B, batch of 16"."""
        return self.length_text + (f", batch of {self.batch}" if self.batch > 1 else "")


@dataclass(frozen=True, slots=True, order=True)
class Trial:
    """One implementation x workload x target.

    `implementation` is `algorithm/variant`; an A/A twin carries a suffix, as in
    `hmac-sha256/shani#2`: the same code under a second name, in a process of its own.
    """

    implementation: str
    workload: Workload
    target: str = HOST

    @property
    def algorithm(self) -> str:
        """Catalogue id of the algorithm."""
        return self.implementation.split("/", 1)[0]

    @property
    def variant(self) -> str:
        """Variant with any twin suffix, as in `shani#2`."""
        return self.implementation.split("/", 1)[1]


@dataclass(frozen=True, slots=True)
class RawSample:
    """One raw observation: counters over one timed window of `messages` messages.

    None means that the counter does not exist here; it never means zero.
    Times in nanoseconds. The window holds nothing but the messages, except in cold-cache trials,
    where it is the sum of the timed stretches between cache flushes. The windows that a trial gets
    in one round are its visit; the counters of the visit run from before the first warm-up to after
    the last window, and are the same for all its samples.
    """

    round_index: int
    """Round of the run, from 0; samples of one round are neighbours in time and can be paired."""
    position: int
    """Place in the order of the round, from 0."""
    generation: int
    """How often the worker process had been started again, from 0."""
    messages: int
    """Messages processed in the window, at least 1."""
    wall_start_ns: int
    """CLOCK_MONOTONIC at the start of the window."""
    wall_ns: int
    thread_cpu_ns: int
    """CLOCK_THREAD_CPUTIME_ID consumed in the window."""
    tsc_ticks: int | None
    perf_core_cycles: int | None
    """Core cycles by the performance counter, where the kernel allows it."""
    voluntary_switches: int
    involuntary_switches: int
    run_queue_wait_ns: int | None
    """Of the visit: time this thread was ready but another ran on its CPU."""
    machine_busy_ns: int | None
    """Of the visit: CPU time spent by everything on all CPUs, own thread included; the kernel
    counts it in steps of one scheduler tick (10 ms or 4 ms)."""
    machine_steal_ns: int | None
    """Of the visit: time the hypervisor gave this machine's CPUs to somebody else; same steps."""
    chain_adds: int
    """Dependent additions (one core cycle each) in each of the two clock probes."""
    chain_ticks_before: int | None
    """TSC ticks of the fastest clock probe just before the window."""
    chain_ticks_after: int | None
    """TSC ticks of the fastest clock probe just after the window."""
    window_index: int = 0
    """Place of the window in its visit, from 0; windows taken again come last."""
    visit_wall_ns: int | None = None
    """Wall time of the visit; None in samples of a store older than visits, which had one window
    each."""
    visit_thread_cpu_ns: int | None = None
    """CPU time of this thread in the visit; None as above."""
    width_adds: int = 0
    """Independent additions in each of the two probes of how much of the core the thread gets."""
    width_ticks_before: int | None = None
    """TSC ticks of these additions just before the window; None in older samples."""
    width_ticks_after: int | None = None
    """TSC ticks of these additions just after the window; None in older samples."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ClockCount:
    """What the simulation of a core counted for one trial: exact, so there is one for each.

    A clock is one period of the core's only clock, whatever its frequency: neither a TSC tick nor
    a core cycle of a CPU. Every output was held to a reference in the same simulation.
    """

    messages: int
    """At least 1. Throughput: back to back, being what a batch twice as long takes more, so that
    filling and emptying the core is not among the clocks. Latency: 1, alone in an idle core."""
    clocks: int
    """Of these messages together, at least 1. Latency: from the first period in which a word could
    be offered to the one in which the last word of the result was taken."""
    key_clocks: int | None
    """Clocks in which the core took and prepared a key, not among `clocks`; None without a key."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)


LONGEST_WINDOW_NS = 86_400 * 10**9
"""A day: a window that is said to have taken longer is none of ours."""
_MOST_ROUNDS = 1 << 31


def sample_from(values: Mapping[str, Any]) -> RawSample:
    """A sample from values that come from outside: a database, a file, a worker's answer.

    Raises:
        ForeignError: a field is missing, unknown, no whole number, or no number of a window.
    """
    sample = counters_from(RawSample, values, {"messages": 1, "wall_ns": 1})
    if sample.wall_ns > LONGEST_WINDOW_NS:
        raise ForeignError(f"wall_ns is {sample.wall_ns}, more than a day")
    for name in ("round_index", "position", "generation", "window_index"):
        if getattr(sample, name) > _MOST_ROUNDS:
            raise ForeignError(f"{name} is {getattr(sample, name)}, more than any run has")
    return sample


def clock_count_from(values: Mapping[str, Any]) -> ClockCount:
    """What a simulation counted, from values that come from outside.

    Raises:
        ForeignError: as `sample_from`.
    """
    return counters_from(ClockCount, values, {"messages": 1, "clocks": 1})


class FailureKind(StrEnum):
    """Why an implementation has no figure."""

    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    """It does not take messages of one length; its figures at others stand."""
    WRONG_OUTPUT = "wrong output"
    CRASH = "crash"
    HANG = "hang"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Failure:
    """One implementation that could not be measured, or a trial that broke off."""

    implementation: str
    kind: FailureKind
    reason: str
    """One sentence: what, where, and how to mend it."""
    size_bytes: int | None = None
    """Message size at which it failed; None when it concerns the whole implementation."""

    @property
    def broken(self) -> bool:
        """Whether it misbehaved, so that its figures are withheld; not merely absent here."""
        return self.kind not in (FailureKind.UNAVAILABLE, FailureKind.REFUSED)


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file that an outside library was loaded from."""

    name: str
    """Without its folder."""
    sha256: str


@dataclass(frozen=True, slots=True)
class ImplementationFacts:
    """What an implementation says of itself and how it was built; stored with every run."""

    implementation: str
    """`algorithm/variant`, with `#2` for an A/A twin."""
    kind: str
    """`hash`, `mac` or `cipher`."""
    provider: str
    """`joulemark` for our own kernels, else the outside library or plugin."""
    library_version: str
    compiler: str
    flags: str
    cpu_features: tuple[str, ...]
    """Names of the CPU features it needs."""
    lanes: int
    constant_time: bool
    """Claimed by the implementation; for our own kernels checked by the test suite."""
    block_bytes: int
    output_bytes: int
    key_bytes_min: int
    key_bytes_max: int | None
    """None where any length is taken."""
    key_bytes: int
    note: str | None = None
    chosen: str | None = None
    """The variant that `auto` stands for on this CPU; None for every explicit variant."""
    batch_calls: bool = False
    """Whether it takes several messages in one call."""
    library_files: tuple[LibraryFile, ...] = ()
    """What the outside library was loaded from; empty for our own kernels, for code that is whole
    in its plugin, where the system does not tell, and in stores older than this field."""

    def as_dict(self) -> dict[str, Any]:
        """Field names and values, for JSON."""
        return asdict(self)
