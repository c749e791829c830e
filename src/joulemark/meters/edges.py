# SPDX-License-Identifier: Apache-2.0
"""Finds the edges of energy windows: the moments at which counters were seen to move.

A counter is read, the load runs for a short stretch, and the counter is read again. Once the count
has changed, an update lies between the two reads; that update is the edge. A counter that shows
the same count for longer than it can is stuck, and has a fault in place of a trace.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from joulemark import _core
from joulemark.meters import Meter, MeterError, Reading, text_or_none
from joulemark.records.energy_window import (
    Domain,
    DomainTrace,
    Fault,
    TraceFault,
    TracePoint,
    WindowKind,
)

# The clock of windows: the machine's own, or a simulated machine's.


class Clock(Protocol):
    """A clock from which windows take their time."""

    def now_ns(self) -> int:
        """CLOCK_MONOTONIC."""

    def sleep_ns(self, duration_ns: int) -> None:
        """Lets at least this time pass without using the core."""


class SystemClock:
    """The machine's own clock."""

    def now_ns(self) -> int:
        """CLOCK_MONOTONIC."""
        return time.monotonic_ns()

    def sleep_ns(self, duration_ns: int) -> None:
        """Sleeps; the kernel may add some tens of microseconds."""
        if duration_ns > 0:
            time.sleep(duration_ns / 1e9)


# The kernel's counters of what else happened on the machine during a window.

_PACKAGE_ZONES: Final = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc_thermal")
"""Types of /sys/class/thermal zones that stand for the CPU package."""
_CHAIN_REPEATS: Final = 5


def package_thermal_zone(sysfs: Path) -> Path | None:
    """The temperature file of the CPU package; None without one."""
    for zone in sorted((sysfs / "class/thermal").glob("thermal_zone*")):
        if text_or_none(zone / "type") in _PACKAGE_ZONES:
            return zone / "temp"
    return None


class SystemActivity:
    """The counters of this machine, for the calling thread; `Activity` says what each counts."""

    def __init__(self, sysfs: Path) -> None:
        self._zone = package_thermal_zone(sysfs)

    chain_adds = _core.CHAIN_ADDS
    thread_cpu_ns = staticmethod(_core.thread_cpu_ns)
    machine_busy_ns = staticmethod(_core.machine_busy_ns)
    machine_steal_ns = staticmethod(_core.machine_steal_ns)
    run_queue_wait_ns = staticmethod(_core.run_queue_wait_ns)

    def chain_ticks(self) -> int | None:
        """TSC ticks of the fastest of a few clock probes, some microseconds each."""
        return _core.core_chain_ticks(_CHAIN_REPEATS)

    def suspended_ns(self) -> int:
        """Time for which the machine slept: CLOCK_BOOTTIME counts it, CLOCK_MONOTONIC does not."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()

    def temperature_mdeg(self) -> int | None:
        """Temperature of the CPU package in millidegrees Celsius."""
        text = text_or_none(self._zone) if self._zone else None
        return int(text) if text and text.lstrip("-").isdecimal() else None


# The work of the measured core during a window, in stretches of about a given length.
#
# A window is cut into a few long stretches and, near its edges, into many short ones between which
# the meter is read. The load goes on across the edges, so that both edges see it in full swing.


class Load(Protocol):
    """Work that can be done a stretch at a time."""

    kind: WindowKind
    messages: int
    """Messages done since the load was made."""

    def run(self, duration_ns: int) -> None:
        """Works for about `duration_ns`, and at least for one batch."""


@dataclass(slots=True)
class Idle:
    """No work: the process sleeps (deep idle), or its core runs a pause loop (active idle)."""

    kind: WindowKind
    run: Callable[[int], None]
    """Lets this many nanoseconds pass: `Clock.sleep_ns` or `_core.pause_for_ns`."""
    messages: int = 0


class MessageLoad:
    """Messages through one implementation.

    Args:
        run_messages: authenticates so many messages (`_core.Loop.run`).
        clock: tells how long a stretch took, to choose the next one.
        ns_per_message: first guess, above 0, which every stretch corrects.
        batch: messages handed over at a time; a stretch has whole batches.
    """

    kind = WindowKind.LOAD

    def __init__(
        self,
        run_messages: Callable[[int], None],
        clock: Clock,
        ns_per_message: float,
        batch: int = 1,
    ) -> None:
        self.messages = 0
        self._run_messages = run_messages
        self._clock = clock
        self._ns_per_message = max(ns_per_message, 0.1)
        self._batch = batch

    def run(self, duration_ns: int) -> None:
        """Authenticates the messages that fill the time, at least one batch."""
        batches = max(1, round(duration_ns / self._ns_per_message / self._batch))
        messages = batches * self._batch
        start = self._clock.now_ns()
        self._run_messages(messages)
        took = self._clock.now_ns() - start
        self.messages += messages
        if took > 0:
            self._ns_per_message = max(took / messages, 0.1)


SHORTEST_STRETCH_NS: Final = 20_000
"""In shorter stretches the reads, some microseconds each, would be a large part of the load."""
_PATIENCE: Final = 5
"""Update periods after which a counter that does not move is stuck."""
_LEAST_PATIENCE_NS: Final = 100_000_000
"""A busy machine may keep the driver of a slow sensor waiting for some tens of milliseconds."""
_IDLE_W: Final = 1.0
"""Power at which a counter with coarse steps gets enough time to move by one step."""


class CounterReader:
    """Reads domains; keeps their traces, their faults, and the time that reading took."""

    def __init__(self, meter: Meter, clock: Clock, domains: Iterable[Domain]) -> None:
        self.points: dict[str, list[TracePoint]] = {domain.id: [] for domain in domains}
        self.faults: dict[str, TraceFault] = {}
        self.reads = 0
        self.reading_ns = 0
        self.now_ns = 0
        """When the last read ended, so that a gauge whose read was held up is not read twice."""
        self.clock = clock
        self._meter = meter

    def read(self, domain: str) -> Reading | None:
        """Reads a domain; None once the domain has failed."""
        if domain in self.faults:
            return None
        start_ns = self.clock.now_ns()
        try:
            return self._meter.read(domain)
        except MeterError as error:
            self.faults[domain] = TraceFault(error.fault, str(error))
            return None
        finally:
            self.reads += 1
            self.now_ns = self.clock.now_ns()
            self.reading_ns += self.now_ns - start_ns

    def read_freely(self, domain: str, period_ns: int) -> None:
        """Adds a reading away from an edge to the domain's trace.

        Args:
            domain: id of the domain.
            period_ns: period of a counter, whose count may be that old; 0 for a gauge.
        """
        reading = self.read(domain)
        if reading is not None:
            self.points[domain].append(
                TracePoint(
                    reading.before_ns - period_ns, reading.after_ns, reading.counts, reading.state
                )
            )

    def forget_costs(self) -> None:
        """Sets the number of reads, and the time that they took, to 0."""
        self.reads = self.reading_ns = 0

    def traces(self) -> tuple[DomainTrace, ...]:
        """The trace of each domain, in the order in which the domains were given."""
        return tuple(
            DomainTrace(domain, tuple(points), self.faults.get(domain))
            for domain, points in self.points.items()
        )


def find_edges(
    reader: CounterReader,
    counters: Sequence[Domain],
    load: Load,
    periods_s: Mapping[str, float],
    *,
    stretch_ns: Callable[[Domain], int],
    window_ns: float = float("inf"),
    earliest_ns: int = 0,
) -> None:
    """Runs the load in short stretches until every counter has moved, or is known to be stuck.

    Each counter that moved has one more point in its trace; each other counter has a fault.

    Args:
        reader: reads the counters and keeps their traces and faults.
        counters: any number of them.
        load: runs between the reads.
        periods_s: update period of each counter.
        stretch_ns: how long the load may run between two reads of a counter, above 0.
        window_ns: length of the window; infinite if it is not known.
        earliest_ns: stamped readings from before this moment are no edges.
    """
    clock = reader.clock
    last = {
        domain.id: reading for domain in counters if (reading := reader.read(domain.id)) is not None
    }
    start_ns = clock.now_ns()
    waiting = {domain.id: domain for domain in counters if domain.id in last}
    while waiting:
        load.run(min(map(stretch_ns, waiting.values())))
        for name, domain in list(waiting.items()):
            reading = reader.read(name)
            watched_ns = clock.now_ns() - start_ns
            if reading is None:
                del waiting[name]
            elif reading.before_ns == reading.after_ns < earliest_ns:
                last[name] = reading
            elif reading.counts != last[name].counts:
                reader.points[name].append(edge(last[name], reading))
                del waiting[name]
            elif watched_ns > _patience_ns(domain, periods_s[name], window_ns):
                reader.faults[name] = TraceFault(
                    Fault.STUCK,
                    f"{domain.name} showed {reading.counts} for {watched_ns / 1e9:.3g} s while it "
                    f"should move every {periods_s[name]:.3g} s",
                )
                del waiting[name]
            else:
                last[name] = reading


def _patience_ns(domain: Domain, period_s: float, window_ns: float) -> float:
    """Time without a move after which a counter is stuck.

    This is some periods, and the time in which a small power moves a coarse counter by one step, or
    the length of the window if that is shorter.
    """
    step_ns = domain.resolution / _IDLE_W * 1e9
    return max(_LEAST_PATIENCE_NS, _PATIENCE * period_s * 1e9) + min(window_ns, step_ns)


def edge(before: Reading, after: Reading) -> TracePoint:
    """The update between two reads, of which the second was the first to show the new count.

    A read takes its count somewhere between its two moments; the middle stands for that moment. An
    instrument that stamps its samples needs no search: the stamp is the moment.
    """
    if after.before_ns == after.after_ns:
        return TracePoint(after.before_ns, after.after_ns, after.counts, after.state)
    return TracePoint(
        (before.before_ns + before.after_ns) // 2,
        (after.before_ns + after.after_ns) // 2,
        after.counts,
        after.state,
    )
