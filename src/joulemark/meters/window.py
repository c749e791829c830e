# SPDX-License-Identifier: Apache-2.0
"""Takes one energy window: finds its edges, reads little in its middle, finds its last edges.

The load runs from before the first edge to after the last. Near each edge it runs in short
stretches with a read between them, until every counter has been seen to move: that move, caught
between two reads, is the edge, and its moment is known to one stretch instead of one update
period. Between the edges there is no polling: a counter is read `CHECKS` times in all, and at least
twice in each `Domain.longest_gap_s`, so that no wrap and no reset can be missed. Gauges are read
once in each of their periods, throughout.

Each domain has its own edges: counters of one machine do not move together ("RAPL in Action",
K. N. Khan et al., ACM TOMPECS 3 (2018), section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from joulemark.meters import Meter, MeterError, Reading, common_moment
from joulemark.meters.edges import SHORTEST_STRETCH_NS, Clock, CounterReader, Load, edge, find_edges
from joulemark.records.energy_window import (
    Domain,
    EnergyWindow,
    Observation,
    Quantity,
    TraceFault,
    TracePoint,
    WindowRequest,
)

# Watches the counters of a meter move, while the core does steady work.
#
# At first every counter is polled, at intervals that grow with the time that has passed. Once a
# counter's period is roughly known the counter is left alone for most of each period and polled
# closely near the expected update, so that the edge is known to about a hundredth of a period while
# reading costs little. The updates of the first part are then dropped: the polling changed, and
# with it the power.

MOST_UPDATES: Final = 400
"""Updates that suffice to know the accumulating noise to about 10 %."""
LONGEST_S: Final = 10.0
"""Longest observation: a slow counter is known by fewer updates, or by its documentation."""
_UPDATES_PER_SNAPSHOT: Final = 20
"""Mirrors are recognised by intervals that are long beside the counter's step."""
_SHORTEST_NS: Final = 20_000
_LONGEST_NS: Final = 20_000_000
_PART_OF_ELAPSED: Final = 1 / 1000
"""Until a period is known the polling interval is this part of the time that has passed."""
_SETTLING_UPDATES: Final = 4
_PERIODS_TO_DROP: Final = 40
"""First updates are dropped only if the longest observation has more periods than this."""
_QUIET_PART: Final = 0.8
"""Part of a period in which no update is expected; jitter of 5 % stays clear of its end."""
_POLL_PART: Final = 1 / 100
_EARLY_STEP: Final = 0.9
"""Factor by which a period that proves too long is shortened."""


@dataclass(slots=True)
class _WatchedDomain:
    """One domain under observation."""

    domain: Domain
    points: list[TracePoint] = field(default_factory=list)
    snapshots: list[int] = field(default_factory=list)
    fault: TraceFault | None = None
    last: Reading | None = None
    period_ns: float | None = None
    """Update period once it is roughly known; None before."""
    quiet: bool = False
    """Whether the load runs undisturbed up to the next read."""

    def due_ns(self, start_ns: int, now_ns: int) -> float:
        """When the domain should be read next."""
        if self.last is None or self.fault is not None:
            return 0.0
        if self.period_ns is None or not self.points:
            return self.last.after_ns + (now_ns - start_ns) * _PART_OF_ELAPSED
        return self.points[-1].not_after_ns + _QUIET_PART * self.period_ns

    def read(self, meter: Meter) -> bool:
        """Reads the domain; returns whether it moved."""
        try:
            reading = meter.read(self.domain.id)
        except MeterError as error:
            self.fault = TraceFault(error.fault, str(error))
            return False
        before, self.last = self.last, reading
        if before is None or reading.counts == before.counts:
            self.quiet = False
            return False
        self.points.append(edge(before, reading))
        if self.quiet and self.period_ns is not None:
            self.period_ns *= _EARLY_STEP
        self.quiet = True
        return True

    def settle(self, *, drop: bool) -> None:
        """Fixes the period; `drop` leaves out the updates so far."""
        if len(self.points) > 2:
            first, final = self.points[0], self.points[-1]
            self.period_ns = (final.not_after_ns - first.not_after_ns) / (len(self.points) - 1)
            if drop:
                self.points = self.points[-1:]


def observe(
    meter: Meter,
    domains: Sequence[Domain],
    load: Load,
    clock: Clock,
    *,
    most_updates: int = MOST_UPDATES,
    longest_s: float = LONGEST_S,
) -> list[Observation]:
    """Polls the domains until all have moved often enough, or time is up.

    Args:
        meter: the meter of the domains.
        domains: at least one; the first sets the moments of the snapshots.
        load: steady work between the reads.
        clock: tells the time.
        most_updates: updates of every domain that end the polling; twice as many of the first
            domain end it too.
        longest_s: time after which polling ends.
    """
    start_ns = clock.now_ns()
    watched = [_WatchedDomain(domain) for domain in domains]
    first, settled = watched[0], False
    while (now_ns := clock.now_ns()) < start_ns + longest_s * 1e9:
        alive = [domain for domain in watched if domain.fault is None]
        if not alive or all(len(domain.points) >= most_updates for domain in alive):
            break
        if len(first.points) >= 2 * most_updates:
            break
        due = [domain for domain in alive if domain.due_ns(start_ns, now_ns) <= now_ns]
        if not due:
            soonest = min(domain.due_ns(start_ns, now_ns) for domain in alive)
            load.run(max(_SHORTEST_NS, round(soonest - now_ns)))
            continue
        moved = [domain.read(meter) for domain in due]
        if first in due and moved[due.index(first)]:
            if not settled and len(first.points) >= _SETTLING_UPDATES:
                settled = True
                drop = (now_ns - start_ns) / 1e9 * _PERIODS_TO_DROP < (
                    longest_s * _SETTLING_UPDATES
                )
                for domain in watched:
                    domain.settle(drop=drop)
            elif settled and len(first.points) % _UPDATES_PER_SNAPSHOT == 0:
                # Half a period later the mirrors of the first domain have been updated as well.
                load.run(round((first.period_ns or 0) / 2))
                _snapshot(meter, alive)
        elif settled:
            _settle_late(watched)
        load.run(_poll_ns(due, now_ns - start_ns))
    watched_s = (clock.now_ns() - start_ns) / 1e9
    return [
        Observation(
            domain.domain.id, tuple(domain.points), tuple(domain.snapshots), watched_s, domain.fault
        )
        for domain in watched
    ]


def _settle_late(watched: Sequence[_WatchedDomain]) -> None:
    """Fixes the periods of domains slower than the first."""
    for domain in watched:
        if domain.period_ns is None and len(domain.points) >= _SETTLING_UPDATES:
            domain.settle(drop=False)


def _poll_ns(due: Sequence[_WatchedDomain], elapsed_ns: int) -> int:
    """Time of load between two reads near an expected update."""
    periods = [domain.period_ns for domain in due if domain.period_ns is not None]
    chunk = min(periods) * _POLL_PART if periods else elapsed_ns * _PART_OF_ELAPSED
    return round(max(_SHORTEST_NS, min(_LONGEST_NS, chunk)))


def _snapshot(meter: Meter, watched: Sequence[_WatchedDomain]) -> None:
    """Adds the counts of one common moment, unless a domain fails or moves too fast."""
    if len(watched) < 2:
        return
    try:
        counts = common_moment(meter, [domain.domain.id for domain in watched])
    except MeterError:
        return
    if counts is not None:
        for domain in watched:
            domain.snapshots.append(counts[domain.domain.id])


CHECKS: Final = 7
"""Reads of a counter between its edges, some microseconds each, in a fifth of a second or more.
Each eighth of the window can then be compared with the whole."""
_CHUNKS_PER_WINDOW: Final = 2000
"""Short stretches in a window: an edge is known to a part in 2000, or 0.05 % of the energy."""
_CHUNKS_PER_PERIOD: Final = 8
_WARM_UP_NS: Final = 5_000_000


class MachineActivity(Protocol):
    """Counters of the work of the machine beside ours; None where there is no such counter."""

    def thread_cpu_ns(self) -> int:
        """CPU time of the measuring thread."""

    def machine_busy_ns(self) -> int | None:
        """CPU time of all programs, in scheduler ticks."""

    def machine_steal_ns(self) -> int | None:
        """CPU time taken by the hypervisor, in scheduler ticks."""

    def run_queue_wait_ns(self) -> int | None:
        """Time for which the measuring thread was ready and did not run."""

    def suspended_ns(self) -> int:
        """Time for which the machine slept since it started."""

    def temperature_mdeg(self) -> int | None:
        """Temperature of the CPU package in millidegrees Celsius."""

    chain_adds: int
    """Dependent additions in one clock probe."""

    def chain_ticks(self) -> int | None:
        """TSC ticks of a clock probe of the core, now."""


def take_window(
    meter: Meter,
    domains: Sequence[Domain],
    load: Load,
    clock: Clock,
    activity: MachineActivity,
    request: WindowRequest,
) -> EnergyWindow:
    """Takes one window.

    Args:
        meter: the meter of the domains.
        domains: at least one.
        load: the work.
        clock: tells the time.
        activity: counters beside the meter.
        request: how long, how often each domain moves, and its place in the run.

    Returns:
        The window; a trace has a fault where its domain could not be read.
    """
    reader = CounterReader(meter, clock, domains)
    load.run(min(_WARM_UP_NS, request.window_ns // 4))
    before = _activity(activity)
    temperature, chain_ticks = activity.temperature_mdeg(), activity.chain_ticks()
    messages, start_ns = load.messages, clock.now_ns()
    reader.forget_costs()
    _run_between_edges(reader, domains, load, request, start_ns)
    wall_ns = clock.now_ns() - start_ns
    thread_cpu_ns, suspended_ns, *after = _activity(activity)
    busy_ns, steal_ns, wait_ns = map(advanced, before[2:], after)
    return EnergyWindow(
        kind=load.kind,
        round_index=request.round_index,
        position=request.position,
        attempt=request.attempt,
        generation=request.generation,
        wall_start_ns=start_ns,
        wall_ns=wall_ns,
        messages=load.messages - messages,
        thread_cpu_ns=max(0, thread_cpu_ns - before[0]),
        reading_ns=reader.reading_ns,
        reads=reader.reads,
        machine_busy_ns=busy_ns,
        machine_steal_ns=steal_ns,
        run_queue_wait_ns=wait_ns,
        suspended_ns=max(0, suspended_ns - before[1]),
        traces=reader.traces(),
        core_chain_adds=activity.chain_adds,
        chain_ticks_before=chain_ticks,
        chain_ticks_after=activity.chain_ticks(),
        temperature_start_mdeg=temperature,
        temperature_end_mdeg=activity.temperature_mdeg(),
    )


def _run_between_edges(
    reader: CounterReader,
    domains: Sequence[Domain],
    load: Load,
    request: WindowRequest,
    start_ns: int,
) -> None:
    """Runs the load from before each counter's first edge to after its last."""
    counters = [domain for domain in domains if domain.quantity is Quantity.ENERGY]
    gauges = [domain for domain in domains if domain.quantity is Quantity.POWER]
    find = partial(
        find_edges,
        reader,
        counters,
        load,
        request.periods_s,
        stretch_ns=partial(_stretch_ns, request),
        window_ns=request.window_ns,
    )
    find(earliest_ns=start_ns)
    _middle(reader, (counters, gauges), load, request)
    find()


def _stretch_ns(request: WindowRequest, domain: Domain) -> int:
    """How long the load runs between two reads near an edge of a counter."""
    period_ns = request.periods_s[domain.id] * 1e9
    stretch = min(request.window_ns / _CHUNKS_PER_WINDOW, period_ns / _CHUNKS_PER_PERIOD)
    return max(SHORTEST_STRETCH_NS, round(stretch))


def _middle(
    reader: CounterReader,
    kinds: tuple[Sequence[Domain], Sequence[Domain]],
    load: Load,
    request: WindowRequest,
) -> None:
    """Runs the load for the length of the window, with only the necessary reads."""
    clock, (counters, gauges) = reader.clock, kinds
    steps_ns = {gauge.id: round(request.periods_s[gauge.id] * 1e9) for gauge in gauges}
    for counter in counters:
        longest_ns = min(counter.longest_gap_s * 1e9 / 2, request.window_ns / (CHECKS + 1))
        steps_ns[counter.id] = max(round(longest_ns), 1)
    if gauges and request.skip_ns:
        load.run(request.skip_ns)
    now_ns = clock.now_ns()
    end_ns = now_ns + request.window_ns
    due_ns = {gauge.id: now_ns for gauge in gauges} | {
        counter.id: now_ns + steps_ns[counter.id] for counter in counters
    }
    # A gauge's sample is of its moment; a counter's may be a whole period old.
    ages_ns = {counter.id: round(request.periods_s[counter.id] * 1e9) for counter in counters}
    while (now_ns := clock.now_ns()) < end_ns:
        due_ns = {name: at for name, at in due_ns.items() if name not in reader.faults}
        if all(name in reader.faults for name in reader.points):
            return
        next_ns = min([end_ns, *due_ns.values()])
        if next_ns > now_ns:
            load.run(next_ns - now_ns)
        now_ns = clock.now_ns()
        if now_ns >= end_ns:
            return  # the edges come next
        for name in [name for name, at in due_ns.items() if at <= now_ns]:
            reader.read_freely(name, ages_ns.get(name, 0))
            due_ns[name] = max(due_ns[name] + steps_ns[name], reader.now_ns)


def _activity(activity: MachineActivity) -> tuple[int, int, int | None, int | None, int | None]:
    """In ns: CPU time of the thread, sleep, CPU time of the machine, stolen time, waiting time."""
    return (
        activity.thread_cpu_ns(),
        activity.suspended_ns(),
        activity.machine_busy_ns(),
        activity.machine_steal_ns(),
        activity.run_queue_wait_ns(),
    )


def advanced(before: int | None, after: int | None) -> int | None:
    """How far a counter advanced, at least 0; None if it does not exist."""
    return None if before is None or after is None else max(0, after - before)
