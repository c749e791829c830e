# SPDX-License-Identifier: Apache-2.0
"""Records of energy that the tests of the store put in and expect back."""

from __future__ import annotations

from typing import Any

from store_data import OTHER_TRIAL, TRIAL

from joulemark.records.energy_window import (
    Domain,
    DomainKind,
    DomainTrace,
    EnergyWindow,
    Fault,
    MeterRecord,
    Quantity,
    TraceFault,
    TracePoint,
    WindowKind,
)
from joulemark.records.figures import Evidence
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store

LARGEST_COUNTS = 2**64 - 1
"""Largest value of an unsigned counter of the kernel, more than a column of 64 bits can hold."""

METER = MeterRecord(
    meter="powercap",
    title="RAPL through powercap",
    evidence=Evidence.SIMULATED,
    method="edges",
    domains=(
        Domain(
            "intel-rapl:0",
            "package-0",
            DomainKind.PACKAGE,
            Quantity.ENERGY,
            1e-6,
            6.103515625e-05,
            wraps_at_counts=2**38,
            package=0,
            die=1,
        ),
        Domain(
            "intel-rapl:0:0",
            "core",
            DomainKind.CORE,
            Quantity.ENERGY,
            1e-6,
            6.103515625e-05,
            parent="intel-rapl:0",
            update_period_s=0.001,
        ),
    ),
    headline="intel-rapl:0",
    window_s=0.25,
    paces={"intel-rapl:0": {"period_s": 0.00097, "reads": 4096}},
    facts={"driver": "intel_rapl_msr", "energy_filter": None},
)


def window(**changes: Any) -> EnergyWindow:
    """A window with every counter different, the largest counts at the edge of 64 bits."""
    values: dict[str, Any] = {
        "kind": WindowKind.LOAD,
        "round_index": 0,
        "position": 2,
        "attempt": 0,
        "generation": 1,
        "wall_start_ns": 2**52 + 1,
        "wall_ns": 2**34 + 3,
        "messages": 2**33,
        "thread_cpu_ns": 2**34 - 1,
        "reading_ns": 12_345,
        "reads": 6,
        "machine_busy_ns": 2**35,
        "machine_steal_ns": 0,
        "run_queue_wait_ns": None,
        "suspended_ns": 0,
        "traces": (
            DomainTrace(
                "intel-rapl:0",
                (
                    TracePoint(2**53 + 1, 2**53 + 3, LARGEST_COUNTS),
                    TracePoint(2**62 + 1, 2**63 - 1, 5, "Discharging"),
                ),
            ),
            DomainTrace("intel-rapl:0:0", fault=TraceFault(Fault.VANISHED, "the zone is gone")),
        ),
        "core_chain_adds": 8192,
        "chain_ticks_before": 2**33 + 1,
        "chain_ticks_after": None,
        "temperature_start_mdeg": None,
        "temperature_end_mdeg": -1500,
    }
    return EnergyWindow(**{**values, **changes})


def windows_of_a_round() -> list[StoredWindow]:
    """A round: both baselines, a window that was void, the same taken again, and another trial."""
    idle = {"messages": 0, "traces": (), "thread_cpu_ns": 0}
    deep = window(kind=WindowKind.DEEP_IDLE, position=0, **idle)
    active = window(kind=WindowKind.ACTIVE_IDLE, position=1, **idle)
    return [
        StoredWindow(None, deep, None),
        StoredWindow(None, active, None),
        StoredWindow(TRIAL, window(), "the machine did other work for 3.1 % of the window"),
        StoredWindow(TRIAL, window(attempt=1), None),
        StoredWindow(OTHER_TRIAL, window(position=3), None),
    ]


def add_energy(store: Store, run_id: int) -> None:
    """Record the meter and one round of windows."""
    store.set_meter(run_id, METER)
    for stored_window in windows_of_a_round():
        store.add_energy_window(
            run_id, stored_window.trial, stored_window.window, stored_window.void
        )
