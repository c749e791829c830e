# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of counters: their unit, their range, and the wrap at its end.

The pitfalls are those of the survey's section "RAPL semantics", part "Units and wrap", and of the
tools it names.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    STATIC_W,
    SleepyActivity,
    bench_of,
    contains_truth,
    every_fault,
    fault,
    folder,
    is_right,
    judged,
    one_window,
    package,
    powers,
    run_on,
    why_void,
)

from joulemark.analyse.window import WindowPower, power_of
from joulemark.judging.void import Void, VoidReason
from joulemark.meters import Roots
from joulemark.meters.instruments.perf_power import PerfPower
from joulemark.meters.simulated import RAPL_RANGE_J, FaultKind, SimulatedFault
from joulemark.meters.window import take_window
from joulemark.records.energy_window import LONGEST_GAP_S, DomainKind, MeterRecord, WindowRequest
from joulemark.records.figures import Evidence
from simulated_world import World
from virtual_bench import WorldActivity, WorldLoad

TRUTH_W = STATIC_W + LOAD_W
SMALL_J = 100.0
"""A range that 50 W fill in 2 s; with `CEILING_W` it must be read every 0.25 s."""
CEILING_W = 200.0


def test_pitfall_single_wrap_gives_no_negative() -> None:
    """A `delta < 0` correction is right for one wrap: pyRAPL and others gave a negative instead."""
    with bench_of(package(start_j=RAPL_RANGE_J - 20.0)) as bench:
        power = judged(bench, 1.0)
    assert is_right(power, TRUTH_W)
    assert isinstance(power, WindowPower)
    assert power.wraps == 1


def test_pitfall_two_wraps_are_not_taken_for_one() -> None:
    """A lost wrap is plausible and too low: reads in the middle count every wrap of a window."""
    with bench_of(package(wraps_at_j=SMALL_J, limit_w=66.0, start_j=90.0)) as bench:
        power = judged(bench, 4.0)
    assert is_right(power, TRUTH_W)
    assert isinstance(power, WindowPower)
    assert power.wraps == 2


def test_pitfall_gap_over_half_wrap_voids_the_window() -> None:
    """A window with a gap between reads above half the wrap time (a blocked process) is void."""
    late = fault(FaultKind.LATE, 1.0, duration_s=2.5)
    with bench_of(package(wraps_at_j=SMALL_J, limit_w=66.0), faults=[late]) as bench:
        assert why_void(judged(bench, 4.0)) is VoidReason.AMBIGUOUS_WRAP


def test_pitfall_suspend_voids_the_window() -> None:
    """A machine that slept in the window has counted something else than the load."""
    with bench_of(package()) as bench:
        bench.activity = SleepyActivity(bench.world)
        assert why_void(judged(bench, 0.5)) is VoidReason.SUSPENDED


def test_pitfall_unreadable_range_gives_unknown_and_no_negative() -> None:
    """Without a range file a decrease must yield unknown (codecarbon issue 1309)."""
    with bench_of(package(start_j=RAPL_RANGE_J - 20.0, range_file=False)) as bench:
        assert bench.domains()[0].wraps_at_counts is None
        power = judged(bench, 1.0)
    assert why_void(power) is VoidReason.STEPPED_BACK
    assert isinstance(power, Void)
    assert "unknown" in power.text


def test_pitfall_unknown_range_is_not_an_infinite_one() -> None:
    """A counter of unknown range may wrap and end higher than it was: it is read all the same."""
    small = package(wraps_at_j=3500.0, range_file=False, start_j=100.0)
    with bench_of(small) as bench:
        assert bench.domains()[0].longest_gap_s == LONGEST_GAP_S
        power = judged(bench, 100.0)
    assert why_void(power) is VoidReason.STEPPED_BACK


def test_pitfall_unreadable_range_is_no_reason_to_refuse_a_rise() -> None:
    """Missing range is not a missing counter: a window in which it only rises is good."""
    with bench_of(package(range_file=False)) as bench:
        assert is_right(judged(bench, 1.0), TRUTH_W)


@pytest.mark.parametrize(
    ("quantum_j", "limit_w", "ceiling_w", "gap_s"),
    [
        pytest.param(61.035e-6, 15.0, 200.0, 60.0, id="262 kJ at 15 W"),
        pytest.param(15.258e-6, 350.0, 1312.5, 24.97, id="65 kJ at 350 W"),
        pytest.param(15.258e-6, 45.0, 200.0, 60.0, id="65 kJ at 45 W"),
        pytest.param(15.258e-6, None, 1500.0, 21.8, id="65 kJ, no limit"),
    ],
)
def test_pitfall_time_to_wrap_is_computed_and_not_a_rule_of_thumb(
    quantum_j: float, limit_w: float | None, ceiling_w: float, gap_s: float
) -> None:
    """A wrap "every 60 s" fits few parts: it follows from the range file and the power limit."""
    with bench_of(package(quantum_j=quantum_j, limit_w=limit_w)) as bench:
        (domain,) = bench.domains()
    assert domain.ceiling_w == pytest.approx(ceiling_w)
    assert domain.longest_gap_s == pytest.approx(gap_s, rel=0.01)
    wrap_s = 2**32 * quantum_j / domain.ceiling_w
    assert domain.longest_gap_s <= wrap_s / 2 * 1.0001


def test_pitfall_unit_is_the_counters_own() -> None:
    """Memory in steps of 15.3 uJ and a psys in whole joules stand beside a package in 61 uJ."""
    memory = package("intel-rapl:0:0", name="dram", quantum_j=15.3e-6, static_w=3.0, load_share=0.1)
    psys = package("intel-rapl:1", name="psys", quantum_j=1.0, static_w=30.0)
    with bench_of(psys, package(), memory) as bench:
        window, record = one_window(bench, 8.0)
    steps = {domain.kind: domain.resolution for domain in record.domains}
    assert steps[DomainKind.DRAM] == pytest.approx(15.3e-6, rel=0.001)
    assert steps[DomainKind.PACKAGE] == pytest.approx(61.035e-6, rel=0.001)
    assert steps[DomainKind.PSYS] == pytest.approx(1.0, rel=0.001)
    found = powers(window, record)
    assert is_right(found["intel-rapl:0:0"], 3.0 + 0.1 * LOAD_W)
    assert is_right(found[PACKAGE], TRUTH_W)
    assert is_right(found["intel-rapl:1"], 30.0 + LOAD_W)


def test_pitfall_range_is_one_unit_more_than_the_highest_count() -> None:
    """`max_energy_range_uj` is the last count; the counter is 0 again one unit later."""
    with bench_of(package(quantum_j=1.0)) as bench:
        (domain,) = bench.domains()
    assert domain.wraps_at_counts == 2**32 * 1_000_000


class _WorldCounter:
    """A perf event over the energy of a simulated package."""

    def __init__(self, world: World, scale_j: float) -> None:
        self.world = world
        self.scale_j = scale_j

    def count(self) -> int:
        """The count that the kernel would show, which it adds up each millisecond."""
        now_ns = self.world._now_ns // 1_000_000 * 1_000_000
        return int(self.world.true_energy_j(PACKAGE, self.world.start_ns, now_ns) / self.scale_j)

    def close(self) -> None:
        """Does nothing, since nothing is open."""


def _perf_files(root: Path) -> None:
    events = root / "sys/bus/event_source/devices/power/events"
    events.mkdir(parents=True)
    (events.parent / "type").write_text("25\n")
    (events.parent / "cpumask").write_text("0\n")
    for name, text in (("", "event=0x02"), (".unit", "Joules"), (".scale", str(2.0**-32))):
        (events / f"energy-pkg{name}").write_text(f"{text}\n")


def test_pitfall_perf_overflow_timer_is_marginal_at_high_power() -> None:
    """The kernel's timer is sized for 200 W, so a perf counter is read every minute anyway."""
    with folder() as root:
        world = World(root / "machine", [package(static_w=400.0, quantum_j=15.258e-6)])
        _perf_files(root)
        roots = Roots(root / "sys", root / "proc", world.now_ns)
        meter = PerfPower(roots, lambda *_: _WorldCounter(world, 2.0**-32))
        (domain,) = meter.survey().domains
        assert domain.longest_gap_s <= LONGEST_GAP_S
        window = take_window(
            meter, [domain], WorldLoad(world, LOAD_W), world, WorldActivity(world),
            WindowRequest(150_000_000_000, {domain.id: 0.001}),
        )  # fmt: skip
    reads = [point.not_after_ns for point in window.traces[0].points]
    assert max(b - a for a, b in itertools.pairwise(reads)) <= LONGEST_GAP_S * 1e9
    record = MeterRecord(
        "perf-power", "", Evidence.SIMULATED, "edges", (domain,), domain.id, window_s=150.0
    )
    assert is_right(power_of(window, domain, record), 400.0 + LOAD_W)


def test_pitfall_reset_is_not_a_wrap() -> None:
    """A counter that starts again at 0 would, as a wrap, be 262 kJ in a moment: refused."""
    reset = fault(FaultKind.RESET, 0.5)
    with bench_of(package(start_j=5000.0), faults=[reset]) as bench:
        assert why_void(judged(bench, 1.0)) is VoidReason.STEPPED_BACK


def test_pitfall_step_backwards_is_not_a_wrap() -> None:
    """A counter that falls by some joules was disturbed: no power explains it, so it is refused."""
    step = fault(FaultKind.NEGATIVE_STEP, 0.5, step_j=100.0)
    with bench_of(package(start_j=5000.0), faults=[step]) as bench:
        assert why_void(judged(bench, 1.0)) is VoidReason.STEPPED_BACK


@pytest.mark.parametrize("kind", [FaultKind.NEGATIVE_STEP, FaultKind.RESET])
def test_pitfall_fall_within_a_window_that_ends_higher(kind: FaultKind) -> None:
    """5 J that are lost in a window of 50 J leave a rise, 10 % too low: a part gives it away."""
    lost = fault(kind, 0.105, step_j=5.0)
    with bench_of(package(), faults=[lost]) as bench:
        reason = why_void(judged(bench, 1.0))
    assert reason in {VoidReason.UNEVEN, VoidReason.STEPPED_BACK}


def test_pitfall_one_disturbed_window_does_not_move_the_figure() -> None:
    """A step back of a twentieth of a window cannot be seen; the run's median stands."""
    step = fault(FaultKind.NEGATIVE_STEP, 0.6, step_j=0.5)
    with bench_of(package(jitter=0.02), faults=[step]) as bench:
        energy = run_on(bench, bench.record(bench.domains(), 0.2), rounds=10).of()
    assert energy.windows_kept == 10
    assert energy.watts is None or contains_truth(energy.watts, TRUTH_W)
    assert contains_truth(energy.joules_per_message, LOAD_W * 1e-6)


@pytest.mark.parametrize("period_s", [0.001, 0.008, 2.0])
@pytest.mark.parametrize("befalls", every_fault())
def test_pitfall_no_fault_gives_a_plausible_wrong_number(
    befalls: SimulatedFault, period_s: float
) -> None:
    """Whatever happens to the counter, a window is right or refused: never negative, never 0."""
    simulated = package(start_j=5000.0, update_period_s=period_s, jitter=0.02)
    at_s = {0.001: 0.55, 0.008: 0.55, 2.0: 5.0}[period_s]
    moved = SimulatedFault(at_s, befalls.kind, befalls.domain, befalls.step_j, befalls.duration_s)
    with bench_of(simulated, faults=[moved]) as bench:
        power = judged(bench, 1.0 if period_s < 1 else 8.0)
    if isinstance(power, WindowPower):
        assert is_right(power, TRUTH_W)
    else:
        assert why_void(power) in VoidReason
