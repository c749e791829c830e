# SPDX-License-Identifier: Apache-2.0
"""Records that the tests of the store put in and expect back."""

from __future__ import annotations

from typing import Any

from joulemark.records import Failure, FailureKind, ImplementationFacts
from joulemark.records.core_report import ModuleFigures, StoredCoreReport
from joulemark.records.sample import ClockCount, FirmwareCount, RawSample
from joulemark.records.trial import RTL, Cache, KeySetup, Mode, Trial, Workload
from joulemark.store.repository import Store

DIGEST = "a5f0"
ENVIRONMENT: dict[str, Any] = {
    "cpu_model": "Model T",
    "turbo": None,
    "smt_active": False,
    "caches_bytes": {"L1d": 32768},
    "reasons": {"turbo": "no switch"},
}
LARGEST = 2**63 - 1

FACTS = ImplementationFacts(
    implementation="hmac-sha256/shani",
    kind="mac",
    provider="joulemark",
    library_version="0.1.0",
    compiler="gcc 12.2.0",
    flags="-O3 -msha",
    cpu_features=("sha_ni", "sse4_1"),
    lanes=1,
    constant_time=True,
    block_bytes=64,
    output_bytes=32,
    key_bytes_min=0,
    key_bytes_max=None,
    key_bytes=32,
)
FAILURE = Failure("hmac-sha256/openssl", FailureKind.HANG, "no answer within 5 s at 64 bytes", 64)
TRIAL = Trial("hmac-sha256/shani", Workload(64))
OTHER_TRIAL = Trial(
    "hmac-sha256/shani#2",
    Workload(0, Mode.LATENCY, Cache.COLD, KeySetup.FRESH, 16),
    "mcu:atmega128",
)
MIXED_TRIAL = Trial(
    "hmac-sha256/shani", Workload(64, key_setup=KeySetup.DISTINCT, batch=64, mix="imix")
)

PUBLISHED = {"schema_version": 6, "results": [{"median": 1.5e-7}]}

CORE_TRIAL = Trial("sha256/core_sha256_pipeline", Workload(0, Mode.LATENCY), RTL)
COUNT = ClockCount(2**33, LARGEST, None)
FIRMWARE_TRIAL = Trial("hmac-sha256/portable", Workload(33), "mcu:atmega128")
FIRMWARE_COUNT = FirmwareCount(
    core_cycles=LARGEST, instructions=286_156, key_core_cycles=None, code_bytes=31_494,
    constant_bytes=392, static_ram_bytes=0, state_bytes=None, stack_bytes=1551,
    evidence="simulated", compiler="avr-gcc (GCC) 5.4.0", flags="-mmcu=atmega128 -O2",
    simulator="simavr 1.6",
)  # fmt: skip
CORE_REPORT = StoredCoreReport(
    core="sha256_pipeline",
    title="SHA-256 in stages",
    algorithm="sha256",
    target="asic",
    parameters={"STAGES": 4, "ROUNDS": 1},
    figures={"clocks_per_block": 16, "area_ge": 60123.25, "luts": None},
    evidence={"clocks_per_block": "simulated", "area_ge": "modelled"},
    settings={"library": "sg13g2 typ 1.20 V", "clock_hz": 5e5, "tools": {"yosys": "0.70"}},
    device="sg13g2, typ, 1.20 V",
    modules=[ModuleFigures("u_round", 40_000.5, 12_000.25, 1e-6)],
    digest="c0ffee",
    joulemark_version="0.1.0",
    made_at="2026-01-02T03:04:05+00:00",
    configuration="fast",
    reasons={"luts": "standard cells have no LUTs"},
)


def sample(round_index: int = 0, **changes: Any) -> RawSample:
    """A sample with every counter different, the largest at the edge of 64 bits."""
    values: dict[str, Any] = {
        "round_index": round_index,
        "position": 3,
        "generation": 1,
        "messages": 2**33,
        "wall_start_ns": 2**52,
        "wall_ns": 2**34 + round_index,
        "thread_cpu_ns": 2**34 - 1,
        "tsc_ticks": LARGEST,
        "perf_core_cycles": None,
        "voluntary_switches": 0,
        "involuntary_switches": 5,
        "run_queue_wait_ns": None,
        "machine_busy_ns": 2**35,
        "machine_steal_ns": 0,
        "chain_adds": 2**20,
        "chain_ticks_before": None,
        "chain_ticks_after": 2**21,
    }
    return RawSample(**{**values, **changes})


def begin(store: Store, **changes: Any) -> int:
    """Begin a run that differs from the usual one by `changes`."""
    values: dict[str, Any] = {
        "study": {"algorithms": ["hmac-sha256"], "sizes_bytes": [0, 64]},
        "study_digest": DIGEST,
        "seed": 2**62,
        "rounds": 5,
        "environment": ENVIRONMENT,
        "joulemark_version": "0.1.0",
    }
    return store.begin_run(**{**values, **changes})
