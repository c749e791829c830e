# SPDX-License-Identifier: Apache-2.0
"""One window at a time: its edges, the readings between them, and the facts stored beside it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from moving_counter import MS, Bench, Counter

from energy_windows import COUNTER
from joulemark.meters import MeterError, Reading
from joulemark.meters.window import CHECKS, take_window
from joulemark.records.energy_window import (
    DomainTrace,
    EnergyWindow,
    Fault,
    TraceFault,
    WindowRequest,
)

PERIOD_NS = 10 * MS


@dataclass
class Still:
    """Counters of a machine on which nothing else happens."""

    bench: Bench
    chain_adds: int = 8192

    def thread_cpu_ns(self) -> int:
        """The thread has all the time there was."""
        return self.bench.time_ns

    def machine_busy_ns(self) -> int | None:
        """None, since this machine has no such counter."""
        return None

    machine_steal_ns = run_queue_wait_ns = temperature_mdeg = chain_ticks = machine_busy_ns

    def suspended_ns(self) -> int:
        """The machine never sleeps."""
        return 0


class Late(Counter):
    """A meter that stamps its samples and hands each over 100 ms later."""

    def read(self, domain: str) -> Reading:
        """The newest sample that has arrived."""
        now = self._bench.now_ns()
        self._bench.reads += 1
        passed = [at for at in self._bench.moments_ns if at <= now - 100 * MS]
        stamp = passed[-1] if passed else 0
        return Reading(stamp, stamp, 1000 * len(passed))


class Going(Counter):
    """A meter that vanishes after 12 reads."""

    left = 12

    def read(self, domain: str) -> Reading:
        """The counter, as long as it is there."""
        self.left -= 1
        if self.left < 0:
            raise MeterError(Fault.VANISHED, "it is not there any more")
        return super().read(domain)


def taken(
    meter_class: type[Counter], window_ns: int = 400 * MS
) -> tuple[EnergyWindow, Bench, DomainTrace]:
    """A window on a counter that moves every 10 ms."""
    bench = Bench([PERIOD_NS * n + 3 * MS for n in range(1000)], time_ns=500 * MS)
    window = take_window(
        meter_class(bench), [COUNTER], bench, bench, Still(bench),
        WindowRequest(window_ns, {"a": PERIOD_NS / 1e9}),
    )  # fmt: skip
    return window, bench, window.traces[0]


def test_both_edges_lie_on_updates_and_within_the_window() -> None:
    """Both edges are known to 0.25 ms, in the window, and the time between is as asked."""
    window, _, trace = taken(Counter)
    first, *between, last = trace.points
    start, end = window.wall_start_ns, window.wall_start_ns + window.wall_ns
    assert start <= first.not_before_ns < last.not_after_ns <= end
    for edge in (first, last):
        moment = PERIOD_NS * (edge.counts // 1000 - 1) + 3 * MS
        assert edge.not_before_ns - 1000 <= moment <= edge.not_after_ns + 1000
        assert edge.not_after_ns - edge.not_before_ns < 0.25 * MS
    assert last.not_before_ns - first.not_after_ns >= 390 * MS
    assert len(between) == CHECKS
    assert all(
        trace_point.not_after_ns - trace_point.not_before_ns >= PERIOD_NS for trace_point in between
    )


def test_time_spent_reading_is_told() -> None:
    """The reading time holds every read of the meter, and none of the load's own time."""
    window, bench, _ = taken(Counter)
    assert window.reads == bench.reads
    assert 1000 * window.reads <= window.reading_ns <= 3000 * window.reads
    assert window.machine_busy_ns is None
    assert window.thread_cpu_ns == pytest.approx(window.wall_ns, rel=0.01)


def test_a_stamped_sample_from_before_the_load_is_no_edge() -> None:
    """The instrument is 100 ms late: its first ten new samples are of the time before the load."""
    window, _, trace = taken(Late)
    first, last = trace.points[0], trace.points[-1]
    assert first.not_before_ns == first.not_after_ns >= window.wall_start_ns
    assert last.not_before_ns - first.not_before_ns >= 280 * MS


def test_a_meter_that_vanishes_ends_the_window_with_its_reason() -> None:
    """Points from before the fault are kept, and the load ends soon after the fault."""
    window, _, trace = taken(Going, window_ns=60_000 * MS)
    assert trace.fault == TraceFault(Fault.VANISHED, "it is not there any more")
    assert window.wall_ns < 45_000 * MS
