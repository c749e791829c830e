# SPDX-License-Identifier: Apache-2.0
"""Pitfalls of trust: filters, models, differences that an instrument cannot show.

The pitfalls are those of the survey's section "RAPL semantics", part "Accuracy and filtering", and
of the tools it names.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pitfalls import (
    LOAD_W,
    PACKAGE,
    TRIAL,
    bench_of,
    folder,
    one_window,
    package,
    powers,
    prepared_on,
    run_on,
)

from joulemark.analyse.estimate import estimate
from joulemark.analyse.window import WindowPower
from joulemark.foreign.records import record_from_json
from joulemark.meters import Roots, rapl_access
from joulemark.records import ImplementationFacts
from joulemark.records.energy_window import MeterRecord
from joulemark.records.figures import Absence, Evidence
from joulemark.records.sample import RawSample
from virtual_bench import VirtualBench

SAMPLE = RawSample(
    round_index=0, position=0, generation=0, messages=1000, wall_start_ns=10**12, wall_ns=100_000,
    thread_cpu_ns=99_900, tsc_ticks=210_000, perf_core_cycles=None, voluntary_switches=0,
    involuntary_switches=0, run_queue_wait_ns=0, machine_busy_ns=0, machine_steal_ns=0,
    chain_adds=8192, chain_ticks_before=None, chain_ticks_after=None,
)  # fmt: skip
FACTS = ImplementationFacts(
    TRIAL.implementation, kind="mac", provider="joulemark", library_version="1", compiler="gcc",
    flags="-O2", cpu_features=(), lanes=1, constant_time=True, block_bytes=64, output_bytes=32,
    key_bytes_min=0, key_bytes_max=None, key_bytes=32,
)  # fmt: skip
NO_METER = Absence("no meter here")


def intel(bench: VirtualBench, model: int, flags: str = "fpu") -> None:
    """Makes the simulated machine an Intel processor of the given model."""
    text = (
        f"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {model}\n"
        f"flags\t\t: {flags}\n"
    )
    (bench.root / "proc/cpuinfo").write_text(text)


def test_pitfall_filter_bit_is_recorded_with_every_run() -> None:
    """With the filter bit set readings may be half the truth: bit or "unknown" is in the record."""
    with bench_of(package()) as bench:
        record = prepared_on(bench).record
    again = record_from_json(MeterRecord, record.as_dict())
    assert str(again.facts["energy_filter"]).startswith("unknown: ")
    assert "sgx" in again.facts


@pytest.mark.parametrize("value", [0, 1])
def test_pitfall_filter_bit_is_read_from_its_register(value: int) -> None:
    """The bit is read where the register can be, and makes a note on every figure."""
    with folder() as root:
        (root / "cpu/0").mkdir(parents=True)
        (root / "cpu/0/msr").write_bytes(bytes(0xBC) + value.to_bytes(8, "little"))
        (root / "cpuinfo").write_text("vendor_id\t: GenuineIntel\n")
        roots = Roots(Path("/sys"), root)
        assert rapl_access.energy_filter(roots, root / "cpu") is bool(value)
    facts = {"energy_filter": bool(value), "sgx": False, "modelled_by_processor": None}
    assert ("distorts" in (rapl_access.trust_note(facts) or "")) is bool(value)


def test_pitfall_sgx_falsifies_readings() -> None:
    """With SGX in use microcode distorts the counters: the record and the domain's note say so."""
    with bench_of(package()) as bench:
        intel(bench, 0x9E, "fpu sgx")
        record = prepared_on(bench).record
    assert record.facts["sgx"] is True
    assert "SGX" in (record.domains[0].note or "")


@pytest.mark.parametrize(("model", "modelled"), [(0x3A, True), (0x3F, None)])
def test_pitfall_modelled_before_haswell(model: int, modelled: bool | None) -> None:
    """Ivy Bridge computes its energy from a model, Haswell-EP measures it: that is recorded."""
    with bench_of(package()) as bench:
        intel(bench, model)
        record = prepared_on(bench).record
    assert record.facts["modelled_by_processor"] is modelled
    assert ("from a model" in (record.domains[0].note or "")) is bool(modelled)


def test_pitfall_test_double_is_never_called_measured() -> None:
    """A figure from a simulated machine carries the word simulated, from meter to figure."""
    with bench_of(package()) as bench:
        record = prepared_on(bench).record
        energy = run_on(bench, record, rounds=2).of()
    assert record.evidence is Evidence.SIMULATED
    assert energy.evidence is Evidence.SIMULATED
    assert energy.watts is not None
    assert energy.watts.evidence is Evidence.SIMULATED


def test_pitfall_stated_power_is_no_fallback_for_a_missing_meter() -> None:
    """A stated power is modelled, in a column apart; other tools fell back to the design power."""
    result = estimate(TRIAL, FACTS, [SAMPLE], energy_absence=NO_METER, modelled_watts=LOAD_W)
    assert result.joules_per_message is None
    assert result.gross_joules_per_message is None
    assert result.reasons["joules_per_message"].sentence == NO_METER.text
    assert result.modelled_joules_per_message is not None
    assert result.modelled_joules_per_message.evidence is Evidence.MODELLED


def test_pitfall_time_stamp_ticks_are_not_core_cycles() -> None:
    """The time-stamp counter runs at a constant rate: without a core counter, no cycles."""
    result = estimate(TRIAL, FACTS, [SAMPLE])
    assert result.tsc_ticks_per_message is not None
    assert result.core_cycles_per_message is None
    assert result.reasons["core_cycles_per_message"].sentence


def test_pitfall_noise_of_the_counter_is_in_the_stated_error() -> None:
    """A counter whose steps scatter by 20 % states a wider error than a quiet one does."""
    errors = []
    for noise in (0.0, 0.2):
        with bench_of(package(noise=noise)) as bench:
            record = prepared_on(bench, window_s=0.2).record
            window, _ = one_window(bench, 0.2)
        power = powers(window, record)[PACKAGE]
        assert isinstance(power, WindowPower), power
        errors.append(power.power_w.std_dev)
    assert errors[1] > 3 * errors[0]
