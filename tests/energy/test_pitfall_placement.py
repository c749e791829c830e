# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of the machine around the load: clock, turbo, power limits, neighbours.

The pitfalls are those of the survey's section "RAPL semantics", part "Frequency, turbo, SMT,
placement".
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    STATIC_W,
    bench_of,
    folder,
    is_right,
    judged,
    one_window,
    package,
    powers,
    prepared_on,
    run_on,
    why_void,
)

from joulemark.environment import capture
from joulemark.environment.facts import advice
from joulemark.foreign.records import record_from_json
from joulemark.judging.void import VoidReason
from joulemark.measure.meter_of_run import cpu_facts
from joulemark.records.energy_window import EnergyWindow, MeterRecord
from virtual_bench import WorldActivity

TRUTH_W = STATIC_W + LOAD_W
CPU = "sys/devices/system/cpu"


def machine(root: Path, **changes: str) -> None:
    """The files of a laptop of two threads on one core, at the governor `performance`."""
    files = {
        f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
        f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_pstate",
        f"{CPU}/cpu0/cpufreq/cpuinfo_min_freq": "400000",
        f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "4700000",
        f"{CPU}/cpu0/cpufreq/scaling_min_freq": "800000",
        f"{CPU}/cpu0/cpufreq/scaling_max_freq": "2800000",
        f"{CPU}/cpu0/topology/thread_siblings_list": "0-1",
        f"{CPU}/cpu1/topology/thread_siblings_list": "0-1",
        f"{CPU}/intel_pstate/no_turbo": "0",
        **changes,
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{text}\n")


def test_pitfall_clock_settings_are_recorded() -> None:
    """Energy at a fixed clock and at turbo are different results: what was set is recorded."""
    with folder() as root:
        machine(root)
        found = capture(root)
    assert (found.governor, found.frequency_driver) == ("performance", "intel_pstate")
    assert (found.frequency_min_hz, found.frequency_max_hz) == (400_000_000, 4_700_000_000)
    assert found.frequency_limit_low_hz == 800_000_000
    assert found.frequency_limit_high_hz == 2_800_000_000
    assert found.turbo is True


def test_pitfall_performance_governor_does_not_stop_turbo() -> None:
    """With the governor `performance` turbo may be on: the advice says so, with the switch."""
    with folder() as root:
        machine(root)
        loud = " ".join(advice(capture(root)))
        machine(root, **{f"{CPU}/intel_pstate/no_turbo": "1"})
        quiet = " ".join(advice(capture(root)))
    assert "governor" not in loud
    assert "Turbo is on" in loud
    assert "no_turbo" in loud
    assert "Turbo" not in quiet


def test_pitfall_busy_sibling_threads() -> None:
    """The sibling lists show whether cores run two threads, and the advice says so."""
    with folder() as root:
        machine(root)
        shared = capture(root)
        assert shared.smt_active is True
        assert any("SMT" in name for name in advice(shared))
        alone = {f"{CPU}/cpu{n}/topology/thread_siblings_list": str(n) for n in (0, 1)}
        machine(root, **alone)
        assert capture(root).smt_active is False


def test_pitfall_measured_average_frequency_is_recorded() -> None:
    """Settings are not what ran, so each load window carries two probes of its clock."""

    class Probed(WorldActivity):
        def chain_ticks(self) -> int | None:
            return 6144

    with bench_of(package()) as bench:
        bench.activity = Probed(bench.world)
        window, _ = one_window(bench, 0.2)
    assert window.core_chain_adds > 0
    assert (window.chain_ticks_before, window.chain_ticks_after) == (6144, 6144)
    assert record_from_json(EnergyWindow, window.as_dict()) == window


def test_pitfall_power_limits_are_recorded() -> None:
    """A power limit makes a step after tens of seconds: limit and time window are in the record."""
    with bench_of(package(limit_w=28.0)) as bench:
        record = prepared_on(bench).record
    limits = str(record_from_json(MeterRecord, record.as_dict()).facts["power_limits"])
    assert PACKAGE in limits
    assert "28" in limits
    assert "27.98" in limits


def test_pitfall_power_limit_takes_hold_in_a_window() -> None:
    """A window in which the power falls from 210 W to 60 W is of neither: it is refused."""
    with bench_of(package()) as bench:
        run_load = bench.world.run_load

        def limited(duration_ns: int, watts: float, busy: float = 1.0) -> None:
            free = bench.world._now_ns < bench.world.start_ns + 700_000_000
            run_load(duration_ns, watts if free else watts / 4, busy)

        bench.world.run_load = limited  # type: ignore[method-assign]
        assert why_void(judged(bench, 1.0, watts=200.0)) is VoidReason.UNEVEN


@pytest.mark.parametrize(("share", "void"), [(0.0, False), (0.005, False), (0.05, True)])
def test_pitfall_package_sees_all_cores(share: float, void: bool) -> None:
    """A window in which other programs used more than 1 % of a CPU is void."""
    with bench_of(package()) as bench:
        bench.activity.foreign_share = share
        power = judged(bench, 10.0)
    if void:
        assert why_void(power) is VoidReason.FOREIGN_CPU
    else:
        assert is_right(power, TRUTH_W)


def test_pitfall_foreign_limit_is_the_runs_own() -> None:
    """A limit that the user set is stored with the run, and judges its windows later as well."""
    with bench_of(package()) as bench:
        bench.activity.foreign_share = 0.03
        window, record = one_window(bench, 10.0)
        strict = prepared_on(bench, foreign_limit=0.02).record
        lax = prepared_on(bench, foreign_limit=0.04).record
    assert why_void(powers(window, strict)[PACKAGE]) is VoidReason.FOREIGN_CPU
    assert is_right(powers(window, lax)[PACKAGE], TRUTH_W)
    assert record.foreign_limit == 0.01


def test_pitfall_own_threads_are_no_foreign_load() -> None:
    """The CPU time of the load itself, however long, never makes its window void."""
    with bench_of(package()) as bench:
        window, _ = one_window(bench, 10.0)
    assert window.machine_busy_ns is not None
    assert window.machine_busy_ns - window.thread_cpu_ns < 1_000_000
    assert window.thread_cpu_ns > 9_900_000_000


def test_pitfall_time_and_energy_are_of_the_same_windows() -> None:
    """Energy per message is power times the time of the same window, never of another run."""
    with bench_of(package(jitter=0.02)) as bench:
        record = bench.record(bench.domains(), 0.2)
        quick = run_on(bench, record, rounds=3, ns_per_message=1000).of()
        slow = run_on(bench, record, rounds=3, ns_per_message=4000).of()
    assert quick.joules_per_message is not None
    assert slow.joules_per_message is not None
    ratio = slow.joules_per_message.median / quick.joules_per_message.median
    assert ratio == pytest.approx(4.0, rel=0.002)


def test_pitfall_busy_siblings_of_the_core_are_on_record(tmp_path: Path) -> None:
    """Siblings idle, "check thread-sibling lists": which CPUs share the core stands in each run."""
    topology = tmp_path / "devices/system/cpu/cpu3/topology"
    topology.mkdir(parents=True)
    (topology / "thread_siblings_list").write_text("1,3\n")
    (topology / "core_siblings_list").write_text("0-7\n")
    assert cpu_facts(3, tmp_path) == {
        "measured_cpu": 3, "thread_siblings": "1,3", "core_siblings": "0-7",
    }  # fmt: skip
    assert cpu_facts(2, tmp_path)["thread_siblings"] is None
