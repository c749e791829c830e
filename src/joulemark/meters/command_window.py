# SPDX-License-Identifier: Apache-2.0
"""One energy window around a command, whose length cannot be chosen.

The counters are polled until each was seen to move, the headline's last, and at that moment the
command starts. While the command runs this process sleeps: it reads counters only often enough to
miss no wrap (`Domain.longest_gap_s`), and gauges, once they have settled, in each of their periods.
After the end the counters are polled until each moves again. So the energy between two edges is
that of the command, from its start to the moment at which its end is noticed, and that of at most
one update period of polling, as it was done to find the meter's pace. Parts and wholes of the
headline domain may have such a time at their start too. The analysis
(`joulemark.analyse.command_energy`) subtracts these times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from joulemark.meters import Meter
from joulemark.meters.edges import SHORTEST_STRETCH_NS, Clock, CounterReader, Load, find_edges
from joulemark.meters.window import MachineActivity, advanced
from joulemark.records.energy_window import (
    CommandWindow,
    Domain,
    EndedCommand,
    EnergyWindow,
    Quantity,
    WindowKind,
)

_CHUNKS_PER_PERIOD: Final = 200
"""Polls in a period of a slow counter: an edge is then known to a part in 200 of the period."""
SETTLING_PERIODS: Final = 2
"""Periods of a gauge before its first sample: a sample may be a period old, and be the mean of the
period before."""


class RepeatedCommand(Protocol):
    """A command that can be run again and again."""

    def start(self) -> None:
        """Starts the command."""

    def wait(self, timeout_ns: int | None) -> EndedCommand | None:
        """Waits until the command ends or the time is up; None if it still runs."""

    def stop(self) -> None:
        """Ends the command, if it runs."""


@dataclass(frozen=True, slots=True)
class WindowTools:
    """The tools with which windows are taken: the machine's own, or a simulated machine's."""

    meter: Meter
    clock: Clock
    activity: MachineActivity
    spin: Load
    """Keeps one core awake between polls."""
    job: RepeatedCommand


def take_command_window(
    bench: WindowTools,
    domains: Sequence[Domain],
    periods_s: Mapping[str, float],
    *,
    headline: str,
    repeat: int = 1,
    round_index: int = 0,
    attempt: int = 0,
) -> CommandWindow:
    """Runs the command once, or `repeat` times in a row, and meters it.

    Args:
        bench: meter, clock and command.
        domains: at least the headline.
        periods_s: update period of each counter, time between samples of each gauge.
        headline: id of the domain whose edge starts the command.
        repeat: runs in the window, at least 1.
        round_index: round of the window.
        attempt: number of the attempt at the window.
    """
    activity = bench.activity
    reader = CounterReader(bench.meter, bench.clock, domains)
    temperature = activity.temperature_mdeg()
    busy_ns, steal_ns = activity.machine_busy_ns(), activity.machine_steal_ns()
    own_ns, slept_ns = activity.thread_cpu_ns(), activity.suspended_ns()
    runs = _run_between_edges(reader, domains, bench, periods_s, headline, repeat)
    own_ns = activity.thread_cpu_ns() - own_ns
    window = EnergyWindow(
        kind=WindowKind.LOAD,
        round_index=round_index,
        position=1,
        attempt=attempt,
        generation=0,
        wall_start_ns=runs.start_ns,
        wall_ns=runs.end_ns - runs.start_ns,
        messages=len(runs.ended),
        thread_cpu_ns=own_ns + sum(command.cpu_ns for command in runs.ended),
        reading_ns=runs.reading_ns,
        reads=runs.reads,
        machine_busy_ns=advanced(busy_ns, activity.machine_busy_ns()),
        machine_steal_ns=advanced(steal_ns, activity.machine_steal_ns()),
        run_queue_wait_ns=None,
        suspended_ns=max(0, activity.suspended_ns() - slept_ns),
        traces=reader.traces(),
        temperature_start_mdeg=temperature,
        temperature_end_mdeg=activity.temperature_mdeg(),
    )
    return CommandWindow(window, tuple(runs.ended))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The command's runs in a window; none if the headline domain cannot be read."""

    start_ns: int
    end_ns: int
    ended: list[EndedCommand]
    reads: int
    """Reads of counters while the command ran, without those that find edges."""
    reading_ns: int


def _run_between_edges(
    reader: CounterReader,
    domains: Sequence[Domain],
    bench: WindowTools,
    periods_s: Mapping[str, float],
    headline: str,
    repeat: int,
) -> _Runs:
    """Finds all edges, that of the headline last, runs the command, and finds the edges again."""
    find = partial(
        find_edges,
        reader,
        load=bench.spin,
        periods_s=periods_s,
        stretch_ns=partial(_stretch_ns, periods_s),
    )
    counters = [domain for domain in domains if domain.quantity is Quantity.ENERGY]
    find([counter for counter in counters if counter.id != headline])
    find([counter for counter in counters if counter.id == headline])
    reader.forget_costs()
    start_ns = bench.clock.now_ns()
    if headline in reader.faults:
        return _Runs(start_ns, start_ns, [], reads=0, reading_ns=0)
    try:
        ended = _run(reader, domains, bench, periods_s, repeat)
    finally:
        bench.job.stop()
    runs = _Runs(start_ns, bench.clock.now_ns(), ended, reader.reads, reader.reading_ns)
    find(counters)
    return runs


def _stretch_ns(periods_s: Mapping[str, float], domain: Domain) -> int:
    """How long one core spins between two polls of a counter."""
    return max(SHORTEST_STRETCH_NS, round(periods_s[domain.id] * 1e9 / _CHUNKS_PER_PERIOD))


def _run(
    reader: CounterReader,
    domains: Sequence[Domain],
    bench: WindowTools,
    periods_s: Mapping[str, float],
    repeat: int,
) -> list[EndedCommand]:
    """Runs the command; sleeps meanwhile, but for the necessary reads."""
    clock = bench.clock
    step_ns = {
        domain.id: round(periods_s[domain.id] * 1e9)
        if domain.quantity is Quantity.POWER
        else round(domain.longest_gap_s / 2 * 1e9)
        for domain in domains
        if domain.quantity is Quantity.POWER or domain.longest_gap_s < float("inf")
    }
    # A read of a counter away from its edges may show a count that is a whole period old.
    stale_ns = {
        domain.id: 0 if domain.quantity is Quantity.POWER else round(periods_s[domain.id] * 1e9)
        for domain in domains
    }
    now_ns = clock.now_ns()
    due_ns = {name: now_ns + step for name, step in step_ns.items()}
    for domain in domains:
        if domain.quantity is Quantity.POWER:
            due_ns[domain.id] = now_ns + SETTLING_PERIODS * step_ns[domain.id]
    ended = []
    for _ in range(repeat):
        bench.job.start()
        while True:
            next_ns = min(
                (at for name, at in due_ns.items() if name not in reader.faults), default=None
            )
            wait_ns = None if next_ns is None else max(0, next_ns - clock.now_ns())
            if (outcome := bench.job.wait(wait_ns)) is not None:
                ended.append(outcome)
                break
            for name in [name for name, at in due_ns.items() if at <= clock.now_ns()]:
                due_ns[name] = max(due_ns[name] + step_ns[name], clock.now_ns())
                reader.read_freely(name, stale_ns[name])
    return ended
