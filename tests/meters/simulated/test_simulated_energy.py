# SPDX-License-Identifier: Apache-2.0
"""The simulated counters against closed forms: energy, steps, wraps, jitter and noise."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.meters import read_count
from joulemark.meters.simulated import SimulatedDomain, UpdateGrid
from simulated_world import World

MS = 1_000_000
ZONE = "sys/class/powercap/intel-rapl:0/energy_uj"


def _package(**facts: object) -> SimulatedDomain:
    return SimulatedDomain(**{"id": "intel-rapl:0", "name": "package-0", **facts})


def _count(root: Path) -> int:
    return read_count(root / ZONE)


def test_constant_power_gives_power_times_time(tmp_path: Path) -> None:
    """At 10 W the counter holds 10 W times the time of the newest update, cut to whole steps."""
    world = World(tmp_path, [_package(static_w=10.0, quantum_j=1e-6)])
    world.sleep_ns(1234 * MS + 567)
    assert _count(tmp_path) == 12_340_000
    assert world.true_energy_j("intel-rapl:0", world.start_ns, world.start_ns + 1234 * MS) == 12.34


def test_energy_is_cut_to_whole_steps(tmp_path: Path) -> None:
    """A counter with steps of 61.035 microjoules shows whole steps, scaled and cut."""
    world = World(tmp_path, [_package(static_w=10.0)])
    world.sleep_ns(7 * MS)
    steps = 70_000_000 // 61_035
    assert _count(tmp_path) == steps * 61_035 // 1000


def test_changing_power_is_summed_piece_by_piece(tmp_path: Path) -> None:
    """Each domain gets its static power all the time and its share of the load while it runs."""
    core = SimulatedDomain("intel-rapl:0:0", "core", static_w=2.0, load_share=0.8, quantum_j=1e-6)
    world = World(tmp_path, [_package(static_w=10.0, quantum_j=1e-6), core])
    world.sleep_ns(100 * MS)
    world.run_load(250 * MS, 30.0)
    world.run_load(50 * MS, 3000.0, busy=0.5)
    world.sleep_ns(100 * MS)
    load_j = 0.25 * 30 + 0.05 * 1500
    end_ns = world.start_ns + 500 * MS
    assert world.true_energy_j("intel-rapl:0", world.start_ns, end_ns) == 5.0 + load_j
    assert world.true_energy_j("intel-rapl:0:0", world.start_ns, end_ns) == 1.0 + 0.8 * load_j
    assert _count(tmp_path) == round((5.0 + load_j) * 1e6)
    middle_ns = world.start_ns + 200 * MS
    assert world.true_energy_j("intel-rapl:0", middle_ns, middle_ns + 10 * MS) == pytest.approx(0.4)
    assert world.cpu_ns == 275 * MS


def test_the_count_is_of_the_update_not_of_the_read(tmp_path: Path) -> None:
    """Between two updates the count stands still, and the next comes at its instant."""
    world = World(tmp_path, [_package(quantum_j=1e-6)], read_cost_ns=3)
    world.sleep_ns(5 * MS - 1)
    assert _count(tmp_path) == 40_000
    world.now_ns()
    assert _count(tmp_path) == 50_000


def test_load_within_a_period_is_latched_exactly(tmp_path: Path) -> None:
    """An update inside a load holds the energy of that instant, not of the load's end."""
    world = World(tmp_path, [_package(static_w=0.0, quantum_j=1e-6, update_period_s=0.01)])
    world.sleep_ns(9 * MS)
    world.run_load(5 * MS, 100.0)
    assert _count(tmp_path) == 100_000


def test_the_counter_wraps_at_its_range(tmp_path: Path) -> None:
    """The count after the last step of the range is 0, and the range file says the last step."""
    world = World(tmp_path, [_package(static_w=1.0, quantum_j=1e-3, wraps_at_j=1.0, start_j=0.9)])
    assert read_count(tmp_path / ZONE.replace("energy_uj", "max_energy_range_uj")) == 999_000
    world.sleep_ns(99 * MS)
    assert _count(tmp_path) == 999_000
    world.sleep_ns(1 * MS)
    assert _count(tmp_path) == 0
    world.sleep_ns(2050 * MS)
    assert _count(tmp_path) == 50_000


def test_the_usual_range_is_that_of_real_hardware(tmp_path: Path) -> None:
    """The range file says what kernels say for energy unit 14; it can be missing."""
    World(tmp_path / "a", [_package()])
    World(tmp_path / "b", [_package(range_file=False)])
    name = ZONE.replace("energy_uj", "max_energy_range_uj")
    assert read_count(tmp_path / "a" / name) == 262_143_328_850
    assert not (tmp_path / "b" / name).exists()


def test_a_mirror_shows_the_same_counts(tmp_path: Path) -> None:
    """A mirrored die repeats its original at every moment, noise and start included."""
    mirror = SimulatedDomain("intel-rapl:1", "package-1", static_w=99.0, mirror_of="intel-rapl:0")
    world = World(tmp_path, [_package(noise=0.1, jitter=0.1, start_j=3.0), mirror])
    for _ in range(20):
        world.run_load(3 * MS, 20.0)
        other = read_count(tmp_path / ZONE.replace("l:0", "l:1"))
        assert _count(tmp_path) == other >= 3_000_000


def test_jitter_has_the_stated_deviation_and_does_not_drift() -> None:
    """2000 instants deviate from their grid by 2 % of a period on average and keep order."""
    grid = UpdateGrid(0, MS, 0.02, "seed")
    off = [(grid.instant_ns(n) - n * MS) / MS for n in range(2000)]
    assert abs(statistics.fmean(off)) < 0.002
    assert 0.019 < statistics.stdev(off) < 0.021
    wild = UpdateGrid(0, MS, 5.0, "seed")
    instants = [wild.instant_ns(n) for n in range(500)]
    assert instants == sorted(set(instants))
    assert all(wild.last(moment) == n for n, moment in enumerate(instants))
    assert all(wild.last(moment - 1) == n - 1 for n, moment in enumerate(instants))


def test_noise_has_the_stated_deviation_and_accumulates(tmp_path: Path) -> None:
    """Increments of 10 mJ scatter by 5 % without bias, and their errors add up as independent."""
    world = World(tmp_path, [_package(noise=0.05, quantum_j=1e-6)])
    increments = []
    for _ in range(4000):
        before = _count(tmp_path)
        world.sleep_ns(MS)
        increments.append(_count(tmp_path) - before)
    assert statistics.fmean(increments) == pytest.approx(10_000, rel=4 * 0.05 / 4000**0.5)
    assert 0.047 < statistics.stdev(increments) / 10_000 < 0.053
    blocks = [sum(increments[place : place + 40]) for place in range(0, 4000, 40)]
    assert 0.8 < statistics.stdev(blocks) / (10_000 * 0.05 * 40**0.5) < 1.2


def test_an_increment_is_never_negative(tmp_path: Path) -> None:
    """Even with absurd noise the counter does not fall."""
    world = World(tmp_path, [_package(noise=3.0, quantum_j=1e-6)])
    counts = []
    for _ in range(200):
        world.sleep_ns(MS)
        counts.append(_count(tmp_path))
    assert counts == sorted(counts)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_seed_repeats_itself_however_time_is_cut(tmp_path: Path, noise: float) -> None:
    """The same seed gives the same counts in one leap or in many; another seed gives others."""
    facts = {"jitter": 0.1, "noise": noise, "quantum_j": 1e-6}
    leap = World(tmp_path / "leap", [_package(**facts)], seed=7)
    steps = World(tmp_path / "steps", [_package(**facts)], seed=7)
    other = World(tmp_path / "other", [_package(**facts)], seed=8)
    leap.run_load(100 * MS, 20.0)
    other.run_load(100 * MS, 20.0)
    for _ in range(1000):
        steps.run_load(MS // 10, 20.0)
    assert _count(tmp_path / "leap") == _count(tmp_path / "steps") != _count(tmp_path / "other")


def test_time_moves_with_every_look_and_polling_costs_energy(tmp_path: Path) -> None:
    """Three looks at the clock cost one reading's time, at the power stated for reading."""
    world = World(tmp_path, [_package(static_w=0.0)], read_cost_ns=1500, reading_w=7.0)
    moments = [world.now_ns() for _ in range(300)]
    assert moments == [world.start_ns + 500 * n for n in range(1, 301)]
    used_j = world.true_energy_j("intel-rapl:0", moments[0], moments[-1])
    assert used_j == pytest.approx(7.0 * 299 * 500e-9)


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"id": "intel-rapl"}, "id"),
        ({"id": "../etc"}, "id"),
        ({"static_w": -1.0}, "static_w"),
        ({"noise": float("nan")}, "noise"),
        ({"quantum_j": float("inf")}, "quantum_j"),
        ({"update_period_s": 0.0}, "update_period_s"),
        ({"wraps_at_j": 1e-6}, "wraps_at_j"),
        ({"limit_w": 0.0}, "limit_w"),
        ({"mirror_of": "intel-rapl:5"}, "mirror_of"),
    ],
)
def test_facts_out_of_bounds_are_refused(
    tmp_path: Path, facts: dict[str, object], word: str
) -> None:
    """Each bad fact of a domain gets a sentence that names it."""
    with pytest.raises(UsageError, match=word):
        World(tmp_path, [_package(**facts)])


def test_true_energy_is_only_of_the_past(tmp_path: Path) -> None:
    """Energy is refused for moments that have not passed, and for an unknown domain."""
    world = World(tmp_path, [_package()])
    with pytest.raises(UsageError, match="past"):
        world.true_energy_j("intel-rapl:0", world.start_ns, world.start_ns + 1)
    with pytest.raises(UsageError, match="no simulated domain"):
        world.true_energy_j("BAT0", world.start_ns, world.start_ns)
    with pytest.raises(UsageError, match="back"):
        world.sleep_ns(-1)
