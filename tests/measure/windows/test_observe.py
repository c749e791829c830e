# SPDX-License-Identifier: Apache-2.0
"""Watching counters: often where an update is due, seldom elsewhere, whatever the counters do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moving_counter import MS, Bench, Counter

from energy_windows import COUNTER
from joulemark.meters.simulated import SimulatedDomain
from joulemark.meters.window import observe
from joulemark.records.energy_window import Observation
from virtual_bench import VirtualBench


def watch(moments_ns: list[int], longest_s: float, most: int = 400) -> tuple[Observation, Bench]:
    """The observation of a counter that moves at these moments."""
    bench = Bench(moments_ns)
    (seen,) = observe(
        Counter(bench), [COUNTER], bench, bench, most_updates=most, longest_s=longest_s
    )
    return seen, bench


def widths(seen: Observation) -> list[int]:
    """Widths of the intervals in which the updates were caught, in ns."""
    return [point.not_after_ns - point.not_before_ns for point in seen.points]


def test_edges_are_known_to_a_hundredth_and_reads_are_few() -> None:
    """At a period of 10 ms, settled edges are 0.1 ms wide, with some twenty reads a period."""
    seen, bench = watch([10 * MS * n for n in range(1, 1000)], 3.0, most=200)
    assert len(seen.points) == 200
    assert all(width < 0.012 * 10 * MS for width in widths(seen)[1:])
    assert bench.reads < 200 * 30


def test_the_first_updates_are_not_kept() -> None:
    """Before the period is known polling is uneven: of the first four updates one alone is kept."""
    seen, _ = watch([10 * MS * n for n in range(1, 1000)], 3.0)
    assert seen.points[0].not_after_ns > 30 * MS


def test_a_slow_counter_keeps_its_first_updates() -> None:
    """With a period of 2 s, all seven updates of 14 s count."""
    seen, _ = watch([2000 * MS * n for n in range(1, 8)], 14.5)
    assert len(seen.points) == 7


def test_a_period_that_was_taken_for_too_long_is_shortened() -> None:
    """After updates at 10 ms and then at 5 ms, the edges become narrow again."""
    moments = [10 * MS * n for n in range(1, 9)]
    moments += [moments[-1] + 5 * MS * n for n in range(1, 400)]
    seen, _ = watch(moments, 3.0, most=300)
    assert max(widths(seen)[-100:]) < 0.05 * 5 * MS


def test_every_update_is_seen_once_and_lies_in_its_interval() -> None:
    """With moments uneven by 3 % of a period, no update is lost and each interval is right."""
    moments = [10 * MS * n + (n * 7919 % 600 - 300) * 1000 for n in range(1, 400)]
    seen, _ = watch(moments, 3.0, most=250)
    for point in seen.points:
        moment = moments[point.counts // 1000 - 1]
        assert point.not_before_ns - 1000 <= moment <= point.not_after_ns + 1000
    counts = [point.counts for point in seen.points]
    assert counts == list(range(counts[0], counts[-1] + 1000, 1000))


def test_a_counter_that_stands_still_is_watched_to_the_end() -> None:
    """A counter that stands still gives no point, no fault, no endless loop and few reads."""
    seen, bench = watch([], 2.0)
    assert seen.points == ()
    assert seen.fault is None
    assert seen.watched_s >= 2.0
    assert bench.reads < 20_000


def test_mirrors_that_are_updated_one_after_the_other_are_found(tmp_path: Path) -> None:
    """The second die is updated 0.1 ms after the first, and no reading falls between the two."""
    late = SimulatedDomain("intel-rapl:1", "package-0-die-1", phase_s=1e-4, update_clock="one",
                           jitter=0.02, update_period_s=0.005)  # fmt: skip
    first = replace(late, id="intel-rapl:0", name="package-0-die-0", phase_s=0.0)
    bench = VirtualBench(tmp_path, [first, late])
    domains = bench.domains()
    bench.learn(domains, 20.0, longest_s=3.0)
    seen = [bench.observations[domain.id].snapshots for domain in domains]
    lag = [b - a for a, b in zip(*seen, strict=True)]
    assert len(lag) >= 5
    # The counts differ by a fiftieth of an update, as their phases do, never by a whole update.
    assert max(map(abs, lag)) < 0.1 * 30 * 0.005 * 1e6
