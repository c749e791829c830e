# SPDX-License-Identifier: Apache-2.0
"""Period, jitter and noise of a simulated counter are found again from its readings."""

from __future__ import annotations

import itertools
import random
import statistics
from pathlib import Path

import pytest

from energy_windows import COUNTER
from joulemark.judging.domains import FEWEST_UPDATES, Pace, pace_of
from joulemark.meters import Reading
from joulemark.meters.edges import edge
from joulemark.meters.simulated import FaultKind, SimulatedDomain, SimulatedFault
from joulemark.records.energy_window import Domain, DomainKind, Quantity, TracePoint
from virtual_bench import VirtualBench


def updates(
    count: int,
    *,
    period_s: float = 0.001,
    jitter: float = 0.0,
    walk: float = 0.0,
    white_j: float = 0.0,
    watts: float = 10.0,
    seed: int = 1,
) -> list[TracePoint]:
    """Updates at known moments of a counter with known noise, in microjoules."""  # fmt: skip
    chance = random.Random(seed)
    points, joules, before_s = [], 1.0, 0.0
    for index in range(count):
        moment_s = (index + chance.gauss(0, jitter)) * period_s
        joules += watts * (moment_s - before_s) * (1 + chance.gauss(0, walk))
        before_s = moment_s
        moment_ns = round(moment_s * 1e9)
        counts = round((joules + chance.gauss(0, white_j)) * 1e6)
        points.append(TracePoint(moment_ns, moment_ns, counts))
    return points


def test_period_power_and_jitter_are_found() -> None:
    """1 ms, 10 W, 2 % of jitter on each instant: sqrt(2) times that between two."""
    pace = pace_of(COUNTER, updates(2000, jitter=0.02))
    assert pace is not None
    assert pace.period_s == pytest.approx(0.001, rel=0.005)
    assert pace.power_w == pytest.approx(10, rel=1e-3)
    assert pace.jitter_s == pytest.approx(0.02e-3 * 2**0.5, rel=0.1)
    assert pace.updates == 2000


def test_accumulating_noise_is_told_from_noise_of_readings() -> None:
    """Each noise alone is found within a third (median of 20), and not taken for the other."""
    walks = [pace_of(COUNTER, updates(400, walk=0.05, seed=n)) for n in range(20)]
    whites = [pace_of(COUNTER, updates(400, white_j=2e-4, seed=n)) for n in range(20)]
    walk_j2 = (0.05 * 10e-3) ** 2
    assert statistics.median(p.walk_j2 for p in walks if p) == pytest.approx(walk_j2, rel=0.33)
    assert statistics.median(p.white_j2 for p in walks if p) < walk_j2
    white_j2 = 2 * 2e-4**2
    assert statistics.median(p.white_j2 for p in whites if p) == pytest.approx(white_j2, rel=0.33)
    assert statistics.median(p.walk_j2 for p in whites if p) < white_j2 / 100


def test_a_wrap_in_the_series_is_no_noise() -> None:
    """Counts modulo the range give the same power as without."""
    domain = Domain(
        "a", "a", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6, wraps_at_counts=500_000
    )
    plain = updates(200)
    wrapped = [TracePoint(p.not_before_ns, p.not_after_ns, p.counts % 500_000) for p in plain]
    assert any(b.counts < a.counts for a, b in itertools.pairwise(wrapped))
    assert pace_of(domain, wrapped) == pace_of(domain, plain)


def test_a_falling_counter_has_a_positive_power() -> None:
    """Energy left in a battery falls as it is used."""
    falling = Domain("b", "b", DomainKind.BATTERY, Quantity.ENERGY, 1e-6, 1e-6, falls=True)
    points = [TracePoint(p.not_before_ns, p.not_after_ns, 10**9 - p.counts) for p in updates(50)]
    pace = pace_of(falling, points)
    assert pace is not None
    assert pace.power_w == pytest.approx(10, rel=1e-3)


def test_too_few_updates_give_no_pace() -> None:
    """One update below the limit gives no pace; as many as the limit give one."""
    points = updates(FEWEST_UPDATES)
    assert pace_of(COUNTER, points[:-1]) is None
    assert pace_of(COUNTER, points) is not None


def test_a_pace_survives_json() -> None:
    """A pace reads back equal from the JSON form in which it is stored."""
    pace = pace_of(COUNTER, updates(10))
    assert pace is not None
    assert Pace.from_dict(pace.as_dict()) == pace


def test_an_edge_lies_between_the_middles_of_two_reads() -> None:
    """The edge lies between the middles of two reads, or at the stamp that the instrument gives."""
    polled = edge(Reading(100, 110, 5), Reading(200, 220, 6))
    assert (polled.not_before_ns, polled.not_after_ns, polled.counts) == (105, 210, 6)
    stamped = edge(Reading(100, 100, 5), Reading(200, 200, 6))
    assert (stamped.not_before_ns, stamped.not_after_ns) == (200, 200)


@pytest.mark.parametrize("period_s", [0.001, 0.008, 2.0])
def test_polling_finds_the_period_of_a_real_file_tree(tmp_path: Path, period_s: float) -> None:
    """Periods of 1 ms, 8 ms and 2 s are found at 2 % jitter; edges to hundredths of a period."""
    bench = VirtualBench(
        tmp_path, [SimulatedDomain("intel-rapl:0", "package-0", update_period_s=period_s,
                                   jitter=0.02)],
    )  # fmt: skip
    (pace,) = bench.learn(bench.domains(), 20.0, longest_s=100 * period_s).values()
    assert pace.period_s == pytest.approx(period_s, rel=0.02)
    assert pace.poll_s < 0.05 * period_s
    assert pace.updates > 60


def test_a_domain_that_vanishes_keeps_what_was_seen(tmp_path: Path) -> None:
    """If a domain vanishes, the observation of the others goes on, and the fault is named."""
    bench = VirtualBench(
        tmp_path,
        [SimulatedDomain("intel-rapl:0", "package-0"), SimulatedDomain("intel-rapl:1", "psys")],
        faults=[SimulatedFault(0.05, FaultKind.VANISH, "intel-rapl:1")],
    )
    domains = bench.domains()
    paces = bench.learn(domains, 20.0, longest_s=0.2)
    assert paces["intel-rapl:0"].updates > 100
    seen = bench.observations["intel-rapl:1"]
    assert seen.fault is not None
    assert seen.fault.stored.startswith("vanished: ")


def test_an_edge_that_is_known_badly_says_nothing_of_the_noise() -> None:
    """Every fifth edge anywhere in half a period: the noise stays what the others show."""
    clean = updates(400, white_j=2e-5)
    chance = random.Random(5)
    smeared = [
        TracePoint(p.not_before_ns - 250_000 + (off := chance.randint(-200_000, 200_000)),
                   p.not_after_ns + 250_000 + off, p.counts) if n % 5 == 2 else p
        for n, p in enumerate(clean)
    ]  # fmt: skip
    whole, part = pace_of(COUNTER, clean), pace_of(COUNTER, smeared)
    assert whole is not None
    assert part is not None
    assert part.white_j2 == pytest.approx(whole.white_j2, rel=0.3)


def test_a_quiet_counter_mostly_has_no_accumulating_noise() -> None:
    """A slope that chance alone explains is taken for none, in three of four series."""
    paces = [pace_of(COUNTER, updates(200, white_j=2e-5, seed=n)) for n in range(60)]
    assert sum(pace.walk_j2 == 0 for pace in paces if pace) > 45


def test_accumulating_noise_is_not_underestimated_in_short_series() -> None:
    """The noise that fixing the ends of a series by its mean power takes away is given back."""
    truth_j2 = (0.05 * 10e-3) ** 2
    paces = [pace_of(COUNTER, updates(64, walk=0.05, seed=n)) for n in range(400)]
    found = [pace.walk_j2 + pace.white_j2 / 8 for pace in paces if pace]
    assert 0.91 < statistics.fmean(found) / truth_j2 < 1.09
