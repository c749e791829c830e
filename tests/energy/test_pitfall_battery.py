# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of batteries: slow, coarse, signed, and in other units than they say.

The pitfalls are those of the survey's section "Energy meters in detail": the part "Battery", and
the column "what goes wrong".
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from pitfalls import LOAD_W, STATIC_W, bench_of, fault, folder, is_right, prepared_on, why_void

from joulemark.analyse.window import WindowPower, power_of
from joulemark.errors import UnavailableError
from joulemark.judging.domains import Pace, window_for_precision_s
from joulemark.judging.void import Void, VoidReason
from joulemark.meters import Roots
from joulemark.meters.instruments.battery import BatteryMeter
from joulemark.meters.simulated import AcpiRate, FaultKind, SimulatedDomain
from joulemark.records.energy_window import Domain, Quantity
from virtual_bench import VirtualBench

TRUTH_W = STATIC_W + LOAD_W


def battery(**changes: Any) -> SimulatedDomain:
    """A battery of 50 Wh that a machine of 10 W at rest lives on; its power scatters by 1 %."""
    return SimulatedDomain(**{"id": "BAT0", "static_w": STATIC_W, "update_period_s": 2.0,
                              "noise": 0.01, **changes})  # fmt: skip


def sampled(
    bench: VirtualBench, every_s: float, *, method: str = "gauge", samples: int = 30
) -> WindowPower | Void:
    """A window of the first gauge, of rest before it and load in it, as a run takes it."""
    gauge = next(domain for domain in bench.domains() if domain.quantity is Quantity.POWER)
    bench.world.sleep_ns(61_000_000_000)
    length_s = samples * every_s
    window = bench.window([gauge], LOAD_W, length_s, periods_s={gauge.id: every_s}, skip_s=4.0)
    return power_of(
        window, gauge, bench.record([gauge], length_s, method=method, headline=gauge.id)
    )


@pytest.mark.parametrize("method", ["gauge", "westermann2010"])
@pytest.mark.parametrize("refreshed_s", [2.0, 5.0, 20.0])
def test_pitfall_battery_refreshes_slowly(refreshed_s: float, method: str) -> None:
    """Values are 5 s to 30 s old: what was from before the load is no part of the load's power."""
    samples = 30 if refreshed_s < 20 else 90
    with bench_of(battery(update_period_s=refreshed_s), meter_name="battery") as bench:
        for _ in range(4):
            power = sampled(bench, 2.0, method=method, samples=samples)
            assert is_right(power, TRUTH_W, widest=0.02 if method == "gauge" else 0.12)


def test_pitfall_repeated_sample_is_no_new_information() -> None:
    """Reading a slow gauge ten times as often does not make it ten times as well known."""
    errors = []
    for every_s, samples in ((5.0, 40), (0.5, 400)):
        with bench_of(battery(update_period_s=5.0, noise=0.05), meter_name="battery") as bench:
            power = sampled(bench, every_s, samples=samples)
        assert isinstance(power, WindowPower), power
        errors.append(power.power_w.std_dev)
    assert errors[1] > errors[0] / 1.5


def test_pitfall_gauge_read_late_is_not_read_many_times_at_once() -> None:
    """A sample that takes longer than the interval (EnergiBridge issue 20) gives one sample."""
    late = fault(FaultKind.LATE, 70.0, duration_s=10.0)
    with bench_of(battery(update_period_s=0.5), faults=[late], meter_name="battery") as bench:
        gauge = bench.domains()[0]
        bench.world.sleep_ns(61_000_000_000)
        window = bench.window([gauge], LOAD_W, 30.0, periods_s={gauge.id: 0.5}, skip_s=4.0)
    assert len(window.traces[0].points) <= 42  # 20 s of samples are left, and one at the stall


def test_pitfall_battery_that_charges_is_no_meter() -> None:
    """The sign depends on the mains: a battery that does not discharge is not used at all."""
    with (
        bench_of(battery(), faults=[fault(FaultKind.CHARGING, 0.0, "BAT0")],
                 meter_name="battery") as bench,
        pytest.raises(UnavailableError, match=r"does not feed the machine alone.*unplug"),
    ):  # fmt: skip
        prepared_on(bench)


def test_pitfall_mains_plugged_in_during_a_window() -> None:
    """Discharging at first and charging at the end: the window is void, not half right."""
    plugged = fault(FaultKind.CHARGING, 90.0, "BAT0")
    with bench_of(battery(), faults=[plugged], meter_name="battery") as bench:
        power = sampled(bench, 2.0)
    assert why_void(power) is VoidReason.EXTERNAL_POWER


def _supply(root: Path, **files: str) -> BatteryMeter:
    battery_folder = root / "sys/class/power_supply/BAT0"
    battery_folder.mkdir(parents=True)
    for name, text in {"type": "Battery", "status": "Discharging", **files}.items():
        (battery_folder / name).write_text(f"{text}\n")
    return BatteryMeter(Roots(root / "sys", root / "proc"))


@pytest.mark.parametrize("sign", ["", "-"])
def test_pitfall_sign_of_the_current_is_the_drivers_taste(sign: str) -> None:
    """Some drivers give a discharging current as negative; the power is the same, above 0."""
    with folder() as root:
        meter = _supply(root, current_now=f"{sign}1500000", voltage_now="12000000")
        (gauge,) = meter.survey().domains
        assert meter.read(gauge.id).counts * gauge.per_count == pytest.approx(18.0)


def test_pitfall_gauge_of_0_w_is_not_a_measured_0() -> None:
    """0 W may be valid for a battery on the mains; for a machine that works it is no figure."""
    dead = battery(static_w=0.0, load_share=0.0)
    with bench_of(dead, meter_name="battery") as bench:
        assert why_void(sampled(bench, 2.0)) is VoidReason.STUCK


def test_pitfall_coarse_steps_need_long_windows() -> None:
    """In steps of 36 J, 1 % of 5 W takes some 10 minutes; 95 % of triangular errors are 28 J."""
    domain = _falling()
    pace = Pace(7.2, 0.0, 0.01, 5.0, 0.0, 0.0, 10)
    needed_s = window_for_precision_s(domain, pace, 0.01)
    assert 36 * (1 - math.sqrt(0.05)) / (0.01 * 5.0) <= needed_s <= 36 / (0.01 * 5.0)


def _falling() -> Domain:
    with bench_of(battery(), meter_name="battery") as bench:
        return next(domain for domain in bench.domains() if domain.quantity is Quantity.ENERGY)


@pytest.mark.parametrize("window_s", [60.0, 720.0])
def test_pitfall_difference_of_coarse_counts_is_off_by_a_step(window_s: float) -> None:
    """The energy left falls in steps of 36 J: the interval holds the truth, and is as wide."""
    coarse = battery(static_w=5.0, noise=0.0, update_period_s=0.5)
    with bench_of(coarse, meter_name="battery") as bench:
        domain = next(other for other in bench.domains() if other.falls)
        window = bench.window([domain], None, window_s, periods_s={domain.id: 7.2})
        power = power_of(window, domain, bench.record([domain], window_s, headline=domain.id))
    assert isinstance(power, WindowPower), power
    assert 36 / math.sqrt(6) / power.duration_s <= power.power_w.std_dev <= 36 / window_s
    assert abs(power.power_w.nominal_value - 5.0) <= 2 * power.power_w.std_dev


def test_pitfall_milliamperes_labelled_milliwatts() -> None:
    """/proc/acpi may call a current a power: the stated unit goes before the label, and is kept."""
    wrong = battery(acpi_rate=AcpiRate.MISLABELLED)
    with bench_of(wrong, meter_name="acpi-battery:rate=mA") as bench:
        assert is_right(sampled(bench, 2.0), TRUTH_W)
        facts = bench.meter.survey().facts
    assert facts["rate_label"] == {"BAT0": "mW"}
    assert facts["rate_override"] == "mA"


def test_pitfall_battery_taken_out() -> None:
    """A battery that goes away in a window gives no energy, and says so."""
    with bench_of(battery(), faults=[fault(FaultKind.VANISH, 90.0, "BAT0")],
                  meter_name="battery") as bench:  # fmt: skip
        assert why_void(sampled(bench, 2.0)) is VoidReason.VANISHED
