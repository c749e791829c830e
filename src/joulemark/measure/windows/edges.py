# SPDX-License-Identifier: Apache-2.0
"""Finds the edges of energy windows: the moments at which counters were seen to move.

A counter is read, the load runs for a short stretch, and the counter is read again. Once the count
has changed, an update lies between the two reads; that update is the edge. A counter that shows
the same count for longer than it can is stuck, and has a fault in place of a trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from joulemark.measure.windows.clock import Clock
from joulemark.measure.windows.loads import Load
from joulemark.meters.contract import Meter, MeterError, Reading
from joulemark.records.domain import Domain, Fault
from joulemark.records.energy_window import DomainTrace, TraceFault, TracePoint

SHORTEST_STRETCH_NS: Final = 20_000
"""In shorter stretches the reads, some microseconds each, would be a large part of the load."""
_PATIENCE: Final = 5
"""Update periods after which a counter that does not move is stuck."""
_LEAST_PATIENCE_NS: Final = 100_000_000
"""A busy machine may keep the driver of a slow sensor waiting for some tens of milliseconds."""
_IDLE_W: Final = 1.0
"""Power at which a counter with coarse steps gets enough time to move by one step."""


class CounterReader:
    """Reads domains; keeps their traces, their faults, and the time that reading took.

    Args:
        meter: the meter of the domains.
        clock: tells the time.
        domains: the domains that will be read, by `Domain.id`.
    """

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
