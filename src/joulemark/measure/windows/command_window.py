# SPDX-License-Identifier: Apache-2.0
"""One energy window around a command, whose length cannot be chosen.

The counters are polled until each was seen to move, the headline's last, and at that moment the
command starts. While it runs this process sleeps: it reads counters only so often that no wrap is
missed (`Domain.longest_gap_s`), and gauges, once they have settled, in each of their periods. After
the end the counters are polled until each moves again. So the energy between two edges is the
command's, from its start to the moment at which its end is noticed, and that of at most one update
period of polling, which is done as when the meter's pace was found; the headline's parts and wholes
may have such a time at their start too. The analysis (`joulemark.analyse.energy.command`) takes it
off again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from joulemark.measure.windows.clock import Clock
from joulemark.measure.windows.loads import Load
from joulemark.measure.windows.observe import edge
from joulemark.measure.windows.window import Activity
from joulemark.meters.contract import Meter, MeterError, Reading
from joulemark.records.command import CommandWindow, Ended
from joulemark.records.domain import Domain, Quantity
from joulemark.records.energy_window import DomainTrace, EnergyWindow, TracePoint, WindowKind

__all__ = [
    "SETTLING_PERIODS",
    "Bench",
    "Job",
    "take_command_window",
]

_CHUNK_NS: Final = 20_000
"""Longest spin between two polls of a fast counter: some reads long."""
_CHUNKS_PER_PERIOD: Final = 200
"""Of a slow one: an edge is then known to a part in 200 of its period."""
_PATIENCE: Final = 5
"""Update periods after which a counter that does not move is stuck."""
SETTLING_PERIODS: Final = 2
"""Periods of a gauge before its first sample: a sample may be one old, and the mean of one more."""
_IDLE_W: Final = 1.0
"""Power at which a counter with coarse steps is given time to move by one."""


class Job(Protocol):
    """A command that can be run again and again."""

    def start(self) -> None:
        """Starts it."""

    def wait(self, timeout_ns: int | None) -> Ended | None:
        """Waits until it ends or the time is up; None if it still runs."""

    def stop(self) -> None:
        """Ends it, if it runs."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What windows are taken with: the machine's own, or a simulated machine's."""

    meter: Meter
    clock: Clock
    activity: Activity
    spin: Load
    """Keeps one core awake between polls."""
    job: Job


@dataclass(slots=True)
class _Reader:
    """Reads domains and remembers who failed."""

    meter: Meter
    clock: Clock
    traces: dict[str, list[TracePoint]]
    faults: dict[str, str] = field(default_factory=dict)
    reads: int = 0
    reading_ns: int = 0

    def read(self, domain: str) -> Reading | None:
        """One reading; None once the domain has failed."""
        if domain in self.faults:
            return None
        start_ns = self.clock.now_ns()
        try:
            return self.meter.read(domain)
        except MeterError as error:
            self.faults[domain] = f"{error.fault.value}: {error}"
            return None
        finally:
            self.reads += 1
            self.reading_ns += self.clock.now_ns() - start_ns


def take_command_window(
    bench: Bench,
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
        round_index: of the window.
        attempt: of the window.
    """
    clock, activity = bench.clock, bench.activity
    reader = _Reader(bench.meter, clock, {one.id: [] for one in domains})
    counters = [one for one in domains if one.quantity is Quantity.ENERGY]
    temperature = activity.temperature_mdeg()
    busy_ns, steal_ns = activity.machine_busy_ns(), activity.machine_steal_ns()
    own_ns, slept_ns = activity.thread_cpu_ns(), activity.suspended_ns()
    _hunt(reader, [one for one in counters if one.id != headline], bench, periods_s)
    _hunt(reader, [one for one in counters if one.id == headline], bench, periods_s)
    reader.reads = reader.reading_ns = 0
    start_ns = end_ns = clock.now_ns()
    ended: list[Ended] = []
    reads, reading_ns = 0, 0
    if headline not in reader.faults:
        try:
            ended = _run(reader, domains, bench, periods_s, repeat)
        finally:
            bench.job.stop()
        end_ns = clock.now_ns()
        reads, reading_ns = reader.reads, reader.reading_ns
        _hunt(reader, counters, bench, periods_s)
    own_ns = activity.thread_cpu_ns() - own_ns
    window = EnergyWindow(
        kind=WindowKind.LOAD,
        round_index=round_index,
        position=1,
        attempt=attempt,
        generation=0,
        wall_start_ns=start_ns,
        wall_ns=end_ns - start_ns,
        messages=len(ended),
        thread_cpu_ns=own_ns + sum(one.cpu_ns for one in ended),
        reading_ns=reading_ns,
        reads=reads,
        machine_busy_ns=_since(busy_ns, activity.machine_busy_ns()),
        machine_steal_ns=_since(steal_ns, activity.machine_steal_ns()),
        run_queue_wait_ns=None,
        suspended_ns=max(0, activity.suspended_ns() - slept_ns),
        traces=tuple(
            DomainTrace(one.id, tuple(reader.traces[one.id]), reader.faults.get(one.id))
            for one in domains
        ),
        temperature_start_mdeg=temperature,
        temperature_end_mdeg=activity.temperature_mdeg(),
    )
    return CommandWindow(window, tuple(ended))


def _hunt(
    reader: _Reader, counters: Sequence[Domain], bench: Bench, periods_s: Mapping[str, float]
) -> None:
    """Polls until every counter was seen to move, or should long have been."""
    last = {one.id: reading for one in counters if (reading := reader.read(one.id)) is not None}
    waiting = {one.id: one for one in counters if one.id in last}
    start_ns = bench.clock.now_ns()
    while waiting:
        shortest_ns = min(periods_s[name] for name in waiting) * 1e9
        bench.spin.run(max(_CHUNK_NS, round(shortest_ns / _CHUNKS_PER_PERIOD)))
        for name, one in list(waiting.items()):
            reading = reader.read(name)
            watched_ns = bench.clock.now_ns() - start_ns
            if reading is None:
                del waiting[name]
            elif reading.counts != last[name].counts:
                reader.traces[name].append(edge(last[name], reading))
                del waiting[name]
            elif watched_ns > (_PATIENCE * periods_s[name] + one.resolution / _IDLE_W) * 1e9:
                reader.faults[name] = (
                    f"stuck: {one.name} showed {reading.counts} for {watched_ns / 1e9:.3g} s while "
                    f"it should move every {periods_s[name]:.3g} s"
                )
                del waiting[name]
            else:
                last[name] = reading


def _run(
    reader: _Reader,
    domains: Sequence[Domain],
    bench: Bench,
    periods_s: Mapping[str, float],
    repeat: int,
) -> list[Ended]:
    """Runs the command; sleeps meanwhile, but for the reads that must be."""
    clock = bench.clock
    step_ns = {
        one.id: round(periods_s[one.id] * 1e9)
        if one.quantity is Quantity.POWER
        else round(one.longest_gap_s / 2 * 1e9)
        for one in domains
        if one.quantity is Quantity.POWER or one.longest_gap_s < float("inf")
    }
    # A free read of a counter may show a count that is a whole period old.
    stale_ns = {
        one.id: 0 if one.quantity is Quantity.POWER else round(periods_s[one.id] * 1e9)
        for one in domains
    }
    now_ns = clock.now_ns()
    due_ns = {name: now_ns + step for name, step in step_ns.items()}
    for one in domains:
        if one.quantity is Quantity.POWER:
            due_ns[one.id] = now_ns + SETTLING_PERIODS * step_ns[one.id]
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
                if (reading := reader.read(name)) is not None:
                    reader.traces[name].append(
                        TracePoint(
                            reading.before_ns - stale_ns[name], reading.after_ns,
                            reading.counts, reading.state,
                        )
                    )  # fmt: skip
    return ended


def _since(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)
