# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of windows: updates, edges, polling, clocks.

The pitfalls are those of the survey's section "RAPL semantics", part "Timing: minimum window", and
of the tools it names.
"""

from __future__ import annotations

import statistics
import time
from typing import NoReturn

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    STATIC_W,
    bench_of,
    contains_truth,
    fault,
    is_right,
    judged,
    one_window,
    package,
    powers,
    prepared_on,
    run_on,
    why_void,
)

from joulemark.analyse.window import WindowPower
from joulemark.errors import UnavailableError
from joulemark.judging.void import VoidReason
from joulemark.meters import Roots
from joulemark.meters.edges import SystemClock
from joulemark.meters.instruments import powercap
from joulemark.meters.simulated import FaultKind
from virtual_bench import VirtualBench

TRUTH_W = STATIC_W + LOAD_W
WINDOWS = 40


def _errors(bench: VirtualBench, window_s: float) -> list[float]:
    """Relative errors of windows that begin at no particular moment of the update period."""
    found = []
    for _ in range(WINDOWS):
        bench.world.sleep_ns(12_345_678)
        power = judged(bench, window_s)
        assert isinstance(power, WindowPower), power
        found.append(power.power_w.nominal_value / TRUTH_W - 1)
    return found


@pytest.mark.parametrize(
    ("period_s", "window_s", "free_running", "stated"),
    [
        pytest.param(0.001, 0.01, 0.087, 0.005, id="1 ms updates, 10 ms"),
        pytest.param(0.001, 0.1, 0.0089, 0.0005, id="1 ms updates, 100 ms"),
        pytest.param(0.008, 0.05, 0.13, 0.002, id="8 ms updates, 50 ms"),
        pytest.param(0.008, 0.4, 0.018, 0.001, id="8 ms updates, 400 ms"),
    ],
)
def test_pitfall_free_running_ends_cost_an_update_period(
    period_s: float, window_s: float, free_running: float, stated: float
) -> None:
    """With both ends on an edge no window comes near the error of free-running ends."""
    with bench_of(package(update_period_s=period_s, jitter=0.02)) as bench:
        errors = _errors(bench, window_s)
    assert max(map(abs, errors)) < stated < free_running / 10


def test_pitfall_start_edge_only_is_biased() -> None:
    """A window that starts on an edge and ends anywhere is 4.5 % low at 10 ms; ours has no bias."""
    with bench_of(package(jitter=0.02)) as bench:
        errors = _errors(bench, 0.01)
    bias = statistics.fmean(errors)
    assert abs(bias) < 4 * statistics.stdev(errors) / WINDOWS**0.5
    assert abs(bias) < 0.001


def test_pitfall_update_period_of_2_s() -> None:
    """A counter that moves every 2 s gives a right window as well, if the window is long enough."""
    with bench_of(package(update_period_s=2.0, jitter=0.02)) as bench:
        assert is_right(judged(bench, 20.0), TRUTH_W)


def test_pitfall_update_period_too_long_to_be_seen_is_refused() -> None:
    """Where the period cannot be measured nor is documented, no number is made up."""
    with (
        bench_of(package(update_period_s=3.0)) as bench,
        pytest.raises(UnavailableError, match="fewer than six times"),
    ):
        prepared_on(bench)


@pytest.mark.parametrize("period_s", [0.001, 0.008, 0.1])
def test_pitfall_update_period_is_measured_and_not_assumed(period_s: float) -> None:
    """The update period is found on each host, with its jitter, instead of taken for 1 ms."""
    with bench_of(package(update_period_s=period_s, jitter=0.02)) as bench:
        (domain,) = bench.domains()
        pace = bench.learn([domain], LOAD_W, most_updates=80)[domain.id]
    assert domain.update_period_s is None
    assert pace.period_s == pytest.approx(period_s, rel=0.01)
    assert 0 < pace.jitter_s < 0.1 * period_s


def test_pitfall_single_messages_are_unmeasurable() -> None:
    """A 64-byte message is a hundredth of a counter's step: a window holds millions of them."""
    ns_per_message = 43
    with bench_of(package(jitter=0.02)) as bench:
        prepared = prepared_on(bench)
        window, record = one_window(bench, prepared.record.window_s, ns_per_message=ns_per_message)
    step_j = record.domains[0].resolution
    assert LOAD_W * ns_per_message * 1e-9 < step_j / 10
    assert window.messages >= 1_000_000
    power = powers(window, record)[PACKAGE]
    assert is_right(power, TRUTH_W)


def test_pitfall_window_too_short_for_the_precision_is_not_taken() -> None:
    """The length follows from what a window can state: more precision, or slower, is longer."""
    with bench_of(package(update_period_s=0.1, jitter=0.02)) as bench:
        coarse = prepared_on(bench, precision=0.01).record.window_s
        fine = prepared_on(bench, precision=0.0001).record.window_s
    assert fine > coarse >= 4 * 0.1


def test_pitfall_polling_inside_the_window_perturbs_it() -> None:
    """Tools that poll at 1 kHz cost up to 46 %: between the edges there are a few checks alone."""
    with bench_of(package()) as bench:
        window, _ = one_window(bench, 2.0)
    assert len(window.traces[0].points) <= 10
    assert window.reads < 200  # two edges of 1 ms, in steps of 20 us
    assert window.reading_ns < 0.001 * window.wall_ns


def test_pitfall_edge_hunting_burns_power() -> None:
    """Reads near the edges take other power than the load, and the interval allows for that."""
    cost_ns, window_s = 30_000, 0.05
    with bench_of(package(jitter=0.02), read_cost_ns=cost_ns, reading_w=60.0) as bench:
        record = bench.record(bench.domains(), window_s, headline=PACKAGE)
        taken = run_on(bench, record, reading_w=60.0)
    load = next(window.window for window in taken.windows if window.trial)
    assert load.reading_ns > 0.01 * load.wall_ns
    assert contains_truth(taken.of().watts, TRUTH_W, within=0.05)


def test_pitfall_wall_clock_is_not_the_clock_of_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that may be set back or corrected is asked by nobody; CLOCK_MONOTONIC is."""

    def forbidden() -> NoReturn:
        raise AssertionError("the wall clock was asked")

    for name in ("time", "time_ns"):
        monkeypatch.setattr(time, name, forbidden)
    with bench_of(package()) as bench:
        meter = powercap.make(Roots(bench.world.roots.sysfs, bench.world.roots.proc), None)
        earlier_ns = time.monotonic_ns()
        reading = meter.read(PACKAGE)
        moment_ns = SystemClock().now_ns()
        later_ns = time.monotonic_ns()
    assert earlier_ns <= reading.before_ns <= reading.after_ns <= moment_ns <= later_ns


def test_pitfall_updates_are_not_atomic_across_domains() -> None:
    """Domains move at different instants, without a stamp: each has edges of its own."""
    core = package("intel-rapl:0:0", name="core", static_w=2.0, phase_s=0.0037,
                   update_period_s=0.008)  # fmt: skip
    with bench_of(package(update_period_s=0.008), core) as bench:
        window, record = one_window(bench, 0.2)
    ours, cores = (trace.points for trace in window.traces)
    assert abs(ours[0].not_after_ns - cores[0].not_after_ns) > 1_000_000
    for first in (ours[0], cores[0]):
        assert first.not_after_ns - first.not_before_ns < 500_000
    found = powers(window, record)
    assert is_right(found[PACKAGE], TRUTH_W)
    assert is_right(found["intel-rapl:0:0"], 2.0 + LOAD_W)


def test_pitfall_counter_that_stops_is_not_zero_watts() -> None:
    """A counter stuck in the middle of a window is said to be stuck, and gives no power."""
    with bench_of(package(), faults=[fault(FaultKind.STUCK, 0.5)]) as bench:
        assert why_void(judged(bench, 1.0)) is VoidReason.STUCK


def test_pitfall_counter_stuck_from_the_start_is_refused() -> None:
    """A counter that never moves is refused before the run, with the reason."""
    with (
        bench_of(package(), faults=[fault(FaultKind.STUCK, 0.0)]) as bench,
        pytest.raises(UnavailableError, match="cannot be used here"),
    ):
        prepared_on(bench)


@pytest.mark.parametrize("jitter", [0.0, 0.02])
def test_pitfall_stated_interval_holds_as_often_as_it_says(jitter: float) -> None:
    """With noise and jitter, 95 % intervals hold the truth about 95 times in 100."""
    window_s, held = 0.2, 0
    with bench_of(package(noise=0.05, jitter=jitter), seed=3) as bench:
        domains = bench.domains()
        bench.learn(domains, LOAD_W)
        for _ in range(WINDOWS):
            window = bench.window(domains, LOAD_W, window_s)
            record = bench.record(domains, window_s, headline=PACKAGE)
            power = powers(window, record)[PACKAGE]
            assert isinstance(power, WindowPower), power
            held += is_right(power, TRUTH_W, sigmas=1.96)
    assert held >= 0.85 * WINDOWS


def test_pitfall_a_window_of_less_than_two_updates_is_refused() -> None:
    """The sentence has the period that was found, and the shortest window that serves."""
    with (
        bench_of(package(update_period_s=0.08)) as bench,
        pytest.raises(UnavailableError, match=r"--energy-window 0\.1: package-0 of .* give 0\.16"),
    ):
        prepared_on(bench, window_s=0.1)
    with bench_of(package(update_period_s=0.08)) as bench:
        prepared = prepared_on(bench, window_s=0.17)
    assert [domain.name for domain in prepared.record.domains] == ["package-0"]
