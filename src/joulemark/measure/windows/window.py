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
from functools import partial
from typing import Final, Protocol

from joulemark.measure.windows.clock import Clock
from joulemark.measure.windows.edges import SHORTEST_STRETCH_NS, CounterReader, find_edges
from joulemark.measure.windows.loads import Load
from joulemark.meters.contract import Meter
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import EnergyWindow, WindowRequest

CHECKS: Final = 7
"""Reads of a counter between its edges, some microseconds each, in a fifth of a second or more.
Each eighth of the window can then be compared with the whole."""
_CHUNKS_PER_WINDOW: Final = 2000
"""Short stretches in a window: an edge is known to a part in 2000, or 0.05 % of the energy."""
_CHUNKS_PER_PERIOD: Final = 8
_WARM_UP_NS: Final = 5_000_000


class Activity(Protocol):
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
    activity: Activity,
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


def _activity(activity: Activity) -> tuple[int, int, int | None, int | None, int | None]:
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
