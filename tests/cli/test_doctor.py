# SPDX-License-Identifier: Apache-2.0
"""`joulemark doctor`."""

from __future__ import annotations

import json

import pytest

from joulemark.cli import machine
from joulemark.cli.noise_floor import sentence_for
from joulemark.measure.pool import WorkerPool

QUICK = ("doctor", "--quick")


def test_the_quick_one_says_what_there_is(run):
    """Every section is there; no energy is claimed; the noise floor is said to be left out."""
    result = run(*QUICK)
    assert result.exit_code == 0, result.output
    for title in ("Clocks", "Disturbance", "Energy", "The loop itself", "Noise floor", "Providers"):
        assert f"\n{title}\n" in result.stdout
    assert "no energy meter is read in this version" in result.stdout
    assert "not measured (--quick)" in result.stdout
    assert "CLOCK_MONOTONIC, smallest step seen" in result.stdout


def test_json_has_the_same(run):
    """Figures in SI units; what is missing is null or has its reason, never zero."""
    found = json.loads(run(*QUICK, "--json").stdout)
    assert found["schema_version"] == 1
    assert found["noise_floor"] is None
    assert 0 < found["clocks"][0]["step_seconds"] < 1e-3
    loop = found["loop"]["seconds_per_message"]
    assert 0 < loop["minimum"] <= loop["median"] <= loop["maximum"] < 1e-6
    estimated = found["clocks"][-1]
    if estimated["evidence"] is not None:
        assert estimated["evidence"] == "modelled"
        assert estimated["low"] <= estimated["cycles_per_tsc_tick"] <= estimated["high"]
        assert 0.1 < estimated["cycles_per_tsc_tick"] < 10


@pytest.fixture
def answers(monkeypatch):
    """Changes what the worker says of its clocks."""
    ask = WorkerPool.ask_own

    def change(**changes):
        def altered(self, op, **fields):
            answer = ask(self, op, **fields)
            return {**answer, **changes} if op == "clocks" else answer

        monkeypatch.setattr(WorkerPool, "ask_own", altered)

    return change


def test_a_machine_without_counters_says_why(run, answers):
    """Without a TSC there is no estimate of core cycles, and no number in its place."""
    answers(tsc=False, chain_ticks=None, run_queue=False, perf_cycles_reason="not allowed")
    text = run(*QUICK).stdout
    assert "there is no time-stamp counter" in text
    assert "no: not allowed" in text
    assert "no: there is no TSC to hold the additions against" in text
    assert "CONFIG_SCHED_INFO" in text


def test_a_machine_with_a_cycle_counter_says_so(run, answers):
    """Counted core cycles are measured, the chain stays modelled."""
    answers(perf_cycles_reason=None)
    clocks = json.loads(run(*QUICK, "--json").stdout)["clocks"]
    assert clocks[2]["evidence"] == "measured"


def test_presence_of_energy_files_is_shown(run, monkeypatch, tmp_path):
    """What lies under /sys/class is listed, and still nothing is claimed to be read."""
    spaces = {str(tmp_path / "powercap"): "RAPL"}
    (tmp_path / "powercap" / "intel-rapl:0").mkdir(parents=True)
    monkeypatch.setattr(machine, "_SPACES", spaces)
    text = run(*QUICK).stdout
    assert "RAPL: intel-rapl:0" in text
    assert "no energy meter is read" in text


def test_the_noise_floor_in_words():
    """The floor is the end of the interval that is farther from one."""
    text = sentence_for(1.001, 0.996, 1.003)
    assert "differ by 0.1 % [-0.4 % to 0.3 %]" in text
    assert text.endswith("differences below 0.4 % are not worth believing here")


@pytest.mark.timing
def test_the_noise_floor_is_measured(run):
    """Twins measured alternately for some seconds agree within a broad limit on any machine."""
    floor = json.loads(run("doctor", "--json").stdout)["noise_floor"]
    assert floor["low"] <= floor["ratio"] <= floor["high"]
    assert 0.5 < floor["ratio"] < 2
    assert floor["believable_difference"] >= abs(floor["ratio"] - 1)
