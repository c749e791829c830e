# SPDX-License-Identifier: Apache-2.0
"""Takes one energy window: finds its edges, keeps out of its middle, reads again at its end.

The load runs from before the first edge to after the last. Near each edge it runs in short
stretches with a read between them, until every counter has been seen to move: that move, caught
between two reads, is the edge, and its moment is known to one stretch instead of one update
period. Between the edges there is no polling: a counter is read `CHECKS` times in all, and at least
twice in each `Domain.longest_gap_s`, so that no wrap and no reset can be missed. Gauges are read
once in each of their periods, throughout.

Each domain has edges of its own: counters of one machine do not move together ("RAPL in Action",
K. N. Khan et al., ACM TOMPECS 3 (2018), section 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from joulemark.measure.windows.clock import Clock
from joulemark.measure.windows.loads import Load
from joulemark.measure.windows.observe import edge
from joulemark.meters.contract import Meter, MeterError, Reading
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import DomainTrace, TracePoint

__all__ = ["CHECKS", "Activity", "WindowRequest", "take_window"]

CHECKS: Final = 7
"""Reads of a counter between its edges: some microseconds each, seven in a fifth of a second or
more. Each eighth of the window can then be held against the whole."""
_SHORTEST_CHUNK_NS: Final = 20_000
"""Below it the reads, some microseconds each, would be a large part of the load."""
_CHUNKS_PER_WINDOW: Final = 2000
"""An edge is known to a part in 2000 of the window: 0.05 % of its energy."""
_CHUNKS_PER_PERIOD: Final = 8
_PATIENCE: Final = 5
"""Update periods after which a counter that does not move is stuck."""
_LEAST_PATIENCE_NS: Final = 100_000_000
"""A busy machine may keep the driver of a slow sensor waiting for some tens of milliseconds."""
_IDLE_W: Final = 1.0
"""Power at which a counter with coarse steps is given time to move by one."""
_WARM_UP_NS: Final = 5_000_000


class Activity(Protocol):
    """Counters of what the machine did beside us; None where there is no such counter."""

    def thread_cpu_ns(self) -> int:
        """CPU time of the measuring thread."""

    def machine_busy_ns(self) -> int | None:
        """CPU time of everything."""

    def machine_steal_ns(self) -> int | None:
        """CPU time taken by the hypervisor."""

    def run_queue_wait_ns(self) -> int | None:
        """Time the measuring thread was ready and did not run."""

    def suspended_ns(self) -> int:
        """Time the machine has slept since it started."""

    def temperature_mdeg(self) -> int | None:
        """Of the CPU package."""

    chain_adds: int
    """Dependent additions in one clock probe."""

    def chain_ticks(self) -> int | None:
        """TSC ticks of a clock probe of the core, now."""


@dataclass(frozen=True, slots=True)
class WindowRequest:
    """What a window shall be."""

    window_ns: int
    """Shortest time between the edges."""
    periods_s: Mapping[str, float] = field(default_factory=dict)
    """Update period of each domain; a gauge's is the time between its samples."""
    skip_ns: int = 0
    """Load running before the first sample of a gauge."""

    def as_dict(self) -> dict[str, Any]:
        """For the worker's pipe."""
        return {
            "window_ns": self.window_ns, "periods_s": dict(self.periods_s), "skip_ns": self.skip_ns,
        }  # fmt: skip


class _Reader:
    """Reads domains, remembers who failed and how much time reading took."""

    def __init__(self, meter: Meter, clock: Clock) -> None:
        self.faults: dict[str, str] = {}
        self.reads = 0
        self.reading_ns = 0
        self.now_ns = 0
        """When the last read ended: a held-up gauge is not read twice for it."""
        self._meter = meter
        self._clock = clock

    def read(self, domain: str) -> Reading | None:
        """One reading; None once the domain has failed."""
        if domain in self.faults:
            return None
        start = self._clock.now_ns()
        try:
            return self._meter.read(domain)
        except MeterError as error:
            self.faults[domain] = f"{error.fault.value}: {error}"
            return None
        finally:
            self.reads += 1
            self.now_ns = self._clock.now_ns()
            self.reading_ns += self.now_ns - start


def take_window(
    meter: Meter,
    domains: Sequence[Domain],
    load: Load,
    clock: Clock,
    activity: Activity,
    request: WindowRequest,
) -> dict[str, Any]:
    """Takes one window.

    Args:
        meter: whose domains they are.
        domains: at least one.
        load: what runs.
        clock: tells the time.
        activity: counters beside the meter.
        request: how long, and how often each domain moves.

    Returns:
        The fields of `EnergyWindow` that the window itself knows: all but round, position,
        attempt and generation. Times in ns; traces with a fault where a domain could not be read.
    """
    reader = _Reader(meter, clock)
    counters = [one for one in domains if one.quantity is Quantity.ENERGY]
    gauges = [one for one in domains if one.quantity is Quantity.POWER]
    load.run(min(_WARM_UP_NS, request.window_ns // 4))
    before = _activity(activity)
    temperature, chain_ticks = activity.temperature_mdeg(), activity.chain_ticks()
    messages, start_ns = load.messages, clock.now_ns()
    reader.reads = reader.reading_ns = 0
    traces: dict[str, list[TracePoint]] = {one.id: [] for one in domains}

    _hunt(reader, counters, load, clock, request, traces, earliest_ns=start_ns)
    _middle(reader, (counters, gauges), load, clock, request, traces)
    _hunt(reader, counters, load, clock, request, traces)

    wall_ns = clock.now_ns() - start_ns
    after = _activity(activity)
    return {
        "kind": load.kind,
        "wall_start_ns": start_ns,
        "wall_ns": wall_ns,
        "messages": load.messages - messages,
        "reading_ns": reader.reading_ns,
        "reads": reader.reads,
        **{name: _difference(before[name], after[name]) for name in before},
        "traces": tuple(
            DomainTrace(one.id, tuple(traces[one.id]), reader.faults.get(one.id)) for one in domains
        ),
        "core_chain_adds": activity.chain_adds,
        "chain_ticks_before": chain_ticks,
        "chain_ticks_after": activity.chain_ticks(),
        "temperature_start_mdeg": temperature,
        "temperature_end_mdeg": activity.temperature_mdeg(),
    }


def _hunt(
    reader: _Reader,
    counters: Sequence[Domain],
    load: Load,
    clock: Clock,
    request: WindowRequest,
    traces: dict[str, list[TracePoint]],
    *,
    earliest_ns: int = 0,
) -> None:
    """Runs the load in short stretches until every counter has moved, or should long have."""
    last = {one.id: reading for one in counters if (reading := reader.read(one.id)) is not None}
    start_ns = clock.now_ns()
    waiting = {one.id: one for one in counters if one.id in last}
    while waiting:
        load.run(min(_chunk_ns(request, one) for one in waiting.values()))
        for name, one in list(waiting.items()):
            reading = reader.read(name)
            if reading is None:
                del waiting[name]
            elif reading.before_ns == reading.after_ns < earliest_ns:
                last[name] = reading  # a stamped sample from before the load
            elif reading.counts != last[name].counts:
                traces[name].append(edge(last[name], reading))
                del waiting[name]
            elif clock.now_ns() - start_ns > _patience_ns(request, one):
                reader.faults[name] = (
                    f"stuck: {one.name} showed {reading.counts} for "
                    f"{(clock.now_ns() - start_ns) / 1e9:.3g} s while it should move every "
                    f"{request.periods_s[name]:.3g} s"
                )
                del waiting[name]
            else:
                last[name] = reading


def _chunk_ns(request: WindowRequest, domain: Domain) -> int:
    period_ns = request.periods_s[domain.id] * 1e9
    chunk = min(request.window_ns / _CHUNKS_PER_WINDOW, period_ns / _CHUNKS_PER_PERIOD)
    return max(_SHORTEST_CHUNK_NS, round(chunk))


def _patience_ns(request: WindowRequest, domain: Domain) -> float:
    """Some periods, and the time in which a small power moves a coarse counter by a step."""
    step_ns = domain.resolution / _IDLE_W * 1e9
    periods_ns = _PATIENCE * request.periods_s[domain.id] * 1e9
    return max(_LEAST_PATIENCE_NS, periods_ns) + min(request.window_ns, step_ns)


def _middle(
    reader: _Reader,
    kinds: tuple[Sequence[Domain], Sequence[Domain]],
    load: Load,
    clock: Clock,
    request: WindowRequest,
    traces: dict[str, list[TracePoint]],
) -> None:
    """Runs the load for the length of the window; reads only what must be read."""
    counters, gauges = kinds
    steps_ns = {one.id: round(request.periods_s[one.id] * 1e9) for one in gauges}
    for one in counters:
        longest_ns = min(one.longest_gap_s * 1e9 / 2, request.window_ns / (CHECKS + 1))
        steps_ns[one.id] = max(round(longest_ns), 1)
    if gauges and request.skip_ns:
        load.run(request.skip_ns)
    now_ns = clock.now_ns()
    end_ns = now_ns + request.window_ns
    due_ns = {one.id: now_ns for one in gauges} | {
        one.id: now_ns + steps_ns[one.id] for one in counters
    }
    # A gauge's sample is of its moment; a counter's may be a whole period old.
    age_s = dict(request.periods_s) | {one.id: 0.0 for one in gauges}
    while (now_ns := clock.now_ns()) < end_ns:
        due_ns = {name: at for name, at in due_ns.items() if name not in reader.faults}
        if all(name in reader.faults for name in traces):
            return
        next_ns = min([end_ns, *due_ns.values()])
        if next_ns > now_ns:
            load.run(next_ns - now_ns)
        now_ns = clock.now_ns()
        if now_ns >= end_ns:
            return  # the edges come next
        for name in [name for name, at in due_ns.items() if at <= now_ns]:
            reading = reader.read(name)
            due_ns[name] = max(due_ns[name] + steps_ns[name], reader.now_ns)
            if reading is not None:
                traces[name].append(_free(reading, age_s[name]))


def _free(reading: Reading, period_s: float) -> TracePoint:
    """A read that was not held against an update: the count may be a period old."""
    return TracePoint(
        reading.before_ns - round(period_s * 1e9), reading.after_ns, reading.counts, reading.state
    )


def _activity(activity: Activity) -> dict[str, int | None]:
    return {
        "thread_cpu_ns": activity.thread_cpu_ns(),
        "machine_busy_ns": activity.machine_busy_ns(),
        "machine_steal_ns": activity.machine_steal_ns(),
        "run_queue_wait_ns": activity.run_queue_wait_ns(),
        "suspended_ns": activity.suspended_ns(),
    }


def _difference(before: int | None, after: int | None) -> int | None:
    """What a counter advanced; never negative, None where it is missing."""
    return None if before is None or after is None else max(0, after - before)
