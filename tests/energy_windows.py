# SPDX-License-Identifier: Apache-2.0
"""Energy windows written by hand, for tests of several rooms."""

from __future__ import annotations

from dataclasses import replace

from uncertainties import ufloat

from joulemark.analyse.window import WindowPower
from joulemark.records.energy_window import (
    Domain,
    DomainKind,
    DomainTrace,
    EnergyWindow,
    MeterRecord,
    Quantity,
    TracePoint,
    WindowKind,
)
from joulemark.records.figures import Evidence

__all__ = [
    "COUNTER", "DOMAIN", "GAUGE", "RANGE", "RECORD", "loads", "points", "power_at", "window",
]  # fmt: skip

RANGE = 1_000_000
DOMAIN = Domain(
    "p", "package-0", DomainKind.PACKAGE, Quantity.ENERGY, 1e-3, 1e-3,
    wraps_at_counts=RANGE, max_power_w=100.0,
)  # fmt: skip
"""A counter whose range is 1000 J: at 100 W it wraps in 10 s, and reads must be under 5 s apart."""
GAUGE = Domain("b", "BAT0", DomainKind.BATTERY, Quantity.POWER, 1e-6, 1e-3)
COUNTER = Domain("a", "a", DomainKind.PACKAGE, Quantity.ENERGY, 1e-6, 1e-6, wraps_at_counts=10**12)
RECORD = MeterRecord(
    "powercap", "RAPL through powercap", Evidence.MEASURED, "edges", (DOMAIN,), "p", 1.0
)


def points(*readings: tuple[float, int], state: str | None = None) -> tuple[TracePoint, ...]:
    """Points of a trace, from seconds and counts."""
    return tuple(TracePoint(round(s * 1e9), round(s * 1e9), n, state) for s, n in readings)


def window(trace: DomainTrace, **changes: object) -> EnergyWindow:
    """A quiet window of one second with this trace."""
    plain = EnergyWindow(
        kind=WindowKind.LOAD, round_index=0, position=0, attempt=0, generation=0,
        wall_start_ns=0, wall_ns=10**9, messages=1000, thread_cpu_ns=10**9, reading_ns=0, reads=4,
        machine_busy_ns=10**9, machine_steal_ns=0, run_queue_wait_ns=0, suspended_ns=0,
        traces=(trace,),
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def power_at(second: float, watts: float, error: float = 0.01) -> WindowPower:
    """A quiet window of one second around this moment, with that power."""
    raw = replace(window(DomainTrace("p")), wall_start_ns=round((second - 0.5) * 1e9))
    return WindowPower(raw, ufloat(watts, error), 1.0)


def loads(*watts: float, error: float = 0.01, messages: int = 1000) -> list[WindowPower]:
    """Load windows of one second each, in which each of 1000 messages takes 1 ms."""
    return [
        WindowPower(
            replace(window(DomainTrace("p")), wall_start_ns=n * 10**9, messages=messages,
                    round_index=n),
            ufloat(value, error), 1.0,
        )
        for n, value in enumerate(watts)
    ]  # fmt: skip
