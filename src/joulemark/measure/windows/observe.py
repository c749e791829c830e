# SPDX-License-Identifier: Apache-2.0
"""Watches the counters of a meter move, while the core does steady work.

At first every counter is polled, at intervals that grow with the time that has passed. Once a
counter's period is roughly known the counter is left alone for most of each period and polled
closely near the expected update, so that the edge is known to about a hundredth of a period while
reading costs little. The updates of the first part are then dropped: the polling changed, and with
it the power.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from joulemark.measure.windows.clock import Clock
from joulemark.measure.windows.edges import edge
from joulemark.measure.windows.loads import Load
from joulemark.meters.contract import Meter, MeterError, Reading
from joulemark.meters.mirrors import common_moment
from joulemark.records.domain import Domain
from joulemark.records.energy_window import Observation, TraceFault, TracePoint

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
