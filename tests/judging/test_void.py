# SPDX-License-Identifier: Apache-2.0
"""Counter arithmetic and the rules that make a window void, on traces written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from energy_windows import DOMAIN, GAUGE, RANGE, points, window
from joulemark.judging.void import Advance, Void, VoidReason, advance, foreign_ns, void_in, void_of
from joulemark.records.energy_window import (
    LONGEST_GAP_S,
    Domain,
    DomainTrace,
    Fault,
    MeterRecord,
    TraceFault,
    WindowKind,
)
from joulemark.records.figures import Evidence


def reason(*readings: tuple[float, int], domain: Domain = DOMAIN) -> VoidReason | None:
    """Why a counter's trace is void."""
    found = void_of(window(DomainTrace(domain.id, points(*readings))), domain, 0.01)
    return found.reason if found else None


def test_an_advance_without_wrap() -> None:
    """Without a wrap, the advance is the difference of the two counts."""
    assert advance(DOMAIN, points((0, 10), (1, 5010))) == Advance(5000, 0)


def test_a_wrap_is_corrected_once() -> None:
    """A count just below the range, followed by one just above 0, is one wrap."""
    assert advance(DOMAIN, points((0, RANGE - 1000), (1, 4000))) == Advance(5000, 1)


def test_two_wraps_are_corrected_when_reads_lie_between() -> None:
    """Several wraps of a window are undone if each gap between reads holds at most one wrap."""
    trace = points((0, 900_000), (4, 200_000), (8, 500_000), (12, 800_000), (16, 100_000))
    assert advance(DOMAIN, trace) == Advance(1_200_000, 2)


def test_a_gap_of_more_than_half_the_wrap_time_is_ambiguous() -> None:
    """A gap of more than 5 s is ambiguous at 100 W, whatever the counts say."""
    assert reason((0, 10), (4.9, 50_000)) is None
    assert reason((0, 10), (5.1, 50_000)) is VoidReason.AMBIGUOUS_WRAP


def test_readings_that_go_back_in_time_are_void() -> None:
    """A damaged file may say so; a mean power over no time, or less, is no power."""
    assert reason((0, 10), (2, 5000), (1, 9000)) is VoidReason.UNREADABLE
    assert reason((1, 10), (0, 5000)) is VoidReason.UNREADABLE
    assert reason((1, 10), (1, 5000)) is VoidReason.UNREADABLE


@given(
    start=st.integers(0, RANGE - 1),
    steps=st.lists(st.integers(1, 90_000), min_size=1, max_size=40),
)
def test_any_path_within_the_limits_is_recovered(start: int, steps: list[int]) -> None:
    """With a read each second and up to 90 W, the total is exact for any start, never negative."""
    counts = [start]
    for step in steps:
        counts.append((counts[-1] + step) % RANGE)
    found = advance(DOMAIN, points(*enumerate(counts)))
    assert isinstance(found, Advance)
    assert found.counts == sum(steps)


@given(st.lists(st.tuples(st.floats(0.001, 10), st.integers(0, 2**70)), min_size=2, max_size=8))
def test_no_trace_whatever_gives_a_negative_or_zero_advance(
    steps: list[tuple[float, int]],
) -> None:
    """Any trace is either void or an advance of at least one count."""
    moments = [sum(gap for gap, _ in steps[: place + 1]) for place in range(len(steps))]
    trace = points(*zip(moments, [counts for _, counts in steps], strict=True))
    for domain in (DOMAIN, replace(DOMAIN, wraps_at_counts=None), replace(DOMAIN, falls=True)):
        found = advance(domain, trace)
        assert isinstance(found, Void) or found.counts >= 1


def test_a_decrease_of_unknown_range_is_void() -> None:
    """Without a known range a decrease is void: it is neither negative nor guessed as a wrap."""
    unknown = replace(DOMAIN, wraps_at_counts=None)
    assert reason((0, 5000), (1, 10), domain=unknown) is VoidReason.STEPPED_BACK
    assert unknown.longest_gap_s == LONGEST_GAP_S


def test_a_reset_is_no_wrap() -> None:
    """A reset is refused, since as a wrap it would be half the range in a second, 500 W."""
    assert reason((0, 500_000), (1, 10)) is VoidReason.STEPPED_BACK


def test_a_power_out_of_reach_is_void() -> None:
    """A jump forward of 200 J in a second is implausible for a package of 100 W."""
    assert reason((0, 10), (1, 200_010)) is VoidReason.IMPLAUSIBLE


def test_a_counter_that_stood_still_is_stuck() -> None:
    """A counter that stood still is void as stuck, and is not 0 J."""
    assert reason((0, 10), (1, 10)) is VoidReason.STUCK


@pytest.mark.parametrize("lost", [3000, 4500])
def test_a_step_back_hidden_in_a_window_is_uneven_power(lost: int) -> None:
    """Of 8 s at 5 W the sixth loses 3 or 4.5 J: the whole still advances, the window is void."""
    readings = [(float(n), 10 + 5000 * n - (lost if n >= 6 else 0)) for n in range(9)]
    assert reason(*readings) is VoidReason.UNEVEN
    idle = window(DomainTrace("p", points(*readings)), kind=WindowKind.DEEP_IDLE)
    assert void_of(idle, DOMAIN, 0.01) is None


def test_a_read_that_is_a_period_old_is_not_uneven() -> None:
    """With a period of 0.4 s, a stretch of 1 s may hold up to a period's energy more or less."""
    fresh = points(*((float(n), 10 + 5000 * n) for n in range(9)))
    old = [
        replace(point, not_before_ns=point.not_before_ns - 400_000_000, counts=point.counts - late)
        for point, late in zip(fresh[1:-1], [0, 1900, 100, 1900, 0, 2000, 0], strict=True)
    ]
    trace = DomainTrace("p", (fresh[0], *old, fresh[-1]))
    assert void_of(window(trace), DOMAIN, 0.01) is None


def test_one_reading_is_too_short() -> None:
    """A counter needs two readings, a gauge three."""
    assert reason((0, 10)) is VoidReason.TOO_SHORT
    assert reason((0, 9), (1, 10), domain=GAUGE) is VoidReason.TOO_SHORT


def test_a_falling_counter_counts_down() -> None:
    """A battery that gives 3 J advances by 3 J; a battery that gains energy is void."""
    falling = replace(DOMAIN, falls=True, wraps_at_counts=None)
    assert advance(falling, points((0, 9000), (1, 6000))) == Advance(3000, 0)
    assert reason((0, 6000), (1, 9000), domain=falling) is VoidReason.STEPPED_BACK


@pytest.mark.parametrize(
    ("meter", "reason"),
    [
        ("powercap", VoidReason.STUCK),
        ("simulated:fault=stuck@3", VoidReason.STUCK),
        ("simulated:static_w=5", VoidReason.STARVED),
        ("simulated", VoidReason.STARVED),
    ],
)
def test_a_simulator_without_cpu_time_is_not_a_stuck_meter(meter: str, reason: VoidReason) -> None:
    """A counter that its simulator had no CPU time to move is told from a counter that is stuck."""
    record = MeterRecord(meter, "any", Evidence.SIMULATED, "edges", (DOMAIN,), "p", 1.0)
    still = window(DomainTrace("p", fault=TraceFault(Fault.STUCK, "p showed 10 for 5 s")))
    void = void_in(still, DOMAIN, record)
    assert void is not None
    assert void.reason is reason
    assert void.text.startswith("p showed 10 for 5 s")
    assert ("update_ms=10" in void.text) is (reason is VoidReason.STARVED)


def test_a_gauge_that_says_the_same_eight_times_is_stuck() -> None:
    """A gauge may repeat itself seven times, by coarse digits; a gauge of 0 W is never believed."""
    assert reason(*((n, 500) for n in range(7)), domain=GAUGE) is None
    assert reason(*((n, 500) for n in range(8)), domain=GAUGE) is VoidReason.STUCK
    assert reason(*((n, 0) for n in range(3)), domain=GAUGE) is VoidReason.STUCK


@pytest.mark.parametrize("state", ["Charging", "Full", "Not charging", "Discharging, mains online"])
def test_a_battery_that_does_not_feed_the_machine_alone_voids(state: str) -> None:
    """One sample in which the battery is not the only supply voids the window."""
    trace = points((0, 5), (1, 6), (2, 7), state="Discharging")
    assert void_of(window(DomainTrace("b", trace)), GAUGE, 0.01) is None
    flipped = (*trace[:2], replace(trace[2], state=state))
    void = void_of(window(DomainTrace("b", flipped)), GAUGE, 0.01)
    assert void is not None
    assert void.reason is VoidReason.EXTERNAL_POWER


@pytest.mark.parametrize("kind", list(Fault))
def test_a_fault_is_stored_and_read_back(kind: Fault) -> None:
    """Kind and sentence, whatever the sentence holds; each kind is a reason of a void window."""
    fault = TraceFault(kind, "energy_uj: it is not there: any more")
    assert TraceFault.from_stored(fault.stored) == fault
    void = void_of(window(DomainTrace("p", fault=fault)), DOMAIN, 0.01)
    assert void is not None
    assert (void.reason.value, void.text) == (kind.value, fault.text)


def test_a_fault_that_nobody_knows_is_unreadable() -> None:
    """A kind of fault that a damaged store made up is read as unreadable, and voids the window."""
    fault = TraceFault.from_stored("bewitched: by the moon")
    void = void_of(window(DomainTrace("p", fault=fault)), DOMAIN, 0.01)
    assert void is not None
    assert (void.reason, void.text) == (VoidReason.UNREADABLE, "bewitched: by the moon")


def test_a_fault_of_the_meter_is_the_reason() -> None:
    """A window with a fault is void with the kind and the sentence that the meter's reader gave."""
    trace = DomainTrace(
        "p", points((0, 1)), TraceFault(Fault.VANISHED, "energy_uj is not there any more")
    )
    void = void_of(window(trace), DOMAIN, 0.01)
    assert void == Void(VoidReason.VANISHED, "energy_uj is not there any more")
    assert trace.fault is not None
    assert void.sentence == trace.fault.stored


def test_a_domain_that_was_not_read_is_void() -> None:
    """A window without a trace of the domain is void, since a missing reading is never zero."""
    void = void_of(window(DomainTrace("other", points((0, 1), (1, 2)))), DOMAIN, 0.01)
    assert void is not None
    assert void.reason is VoidReason.UNREADABLE


def test_a_machine_that_slept_voids_the_window() -> None:
    """A window is void if the suspended time exceeds the time between reading the two clocks."""
    trace = DomainTrace("p", points((0, 10), (1, 5010)))
    assert void_of(window(trace, suspended_ns=999_999), DOMAIN, 0.01) is None
    void = void_of(window(trace, suspended_ns=2_000_000), DOMAIN, 0.01)
    assert void is not None
    assert void.reason is VoidReason.SUSPENDED


def test_foreign_cpu_time_over_the_limit_voids_the_window() -> None:
    """A window is void if foreign CPU time exceeds both the share and three ticks of 10 ms."""
    trace = DomainTrace("p", points((0, 10), (1, 5010)))

    def found(busy_ns: int | None, limit: float) -> Void | None:
        return void_of(window(trace, machine_busy_ns=busy_ns), DOMAIN, limit)

    assert found(10**9 + 29_999_999, 0.01) is None
    assert found(10**9 + 30_000_001, 0.05) is None
    assert found(None, 0.01) is None
    void = found(10**9 + 30_000_001, 0.01)
    assert void is not None
    assert void.reason is VoidReason.FOREIGN_CPU


def test_foreign_time_is_never_negative() -> None:
    """Foreign time is at least 0, though busy ticks may show less than the thread's exact time."""
    trace = DomainTrace("p")
    assert foreign_ns(window(trace, machine_busy_ns=990_000_000)) == 0
    assert foreign_ns(window(trace, machine_busy_ns=None)) is None
