# SPDX-License-Identifier: Apache-2.0
"""The kernel's counters of what else happened on the machine during a window."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from joulemark import _core
from joulemark.meters.sysfs import text_or_none

_PACKAGE_ZONES: Final = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc_thermal")
"""Types of /sys/class/thermal zones that stand for the CPU package."""
_CHAIN_REPEATS: Final = 5


def package_thermal_zone(sysfs: Path) -> Path | None:
    """The temperature file of the CPU package; None without one."""
    for zone in sorted((sysfs / "class/thermal").glob("thermal_zone*")):
        if text_or_none(zone / "type") in _PACKAGE_ZONES:
            return zone / "temp"
    return None


class SystemActivity:
    """The counters of this machine, for the calling thread; `Activity` says what each counts.

    Args:
        sysfs: root of the sysfs tree, for the temperature.
    """

    def __init__(self, sysfs: Path) -> None:
        self._zone = package_thermal_zone(sysfs)

    chain_adds = _core.CHAIN_ADDS
    thread_cpu_ns = staticmethod(_core.thread_cpu_ns)
    machine_busy_ns = staticmethod(_core.machine_busy_ns)
    machine_steal_ns = staticmethod(_core.machine_steal_ns)
    run_queue_wait_ns = staticmethod(_core.run_queue_wait_ns)

    def chain_ticks(self) -> int | None:
        """TSC ticks of the fastest of a few clock probes, some microseconds each."""
        return _core.core_chain_ticks(_CHAIN_REPEATS)

    def suspended_ns(self) -> int:
        """Time for which the machine slept: CLOCK_BOOTTIME counts it, CLOCK_MONOTONIC does not."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()

    def temperature_mdeg(self) -> int | None:
        """Temperature of the CPU package in millidegrees Celsius."""
        text = text_or_none(self._zone) if self._zone else None
        return int(text) if text and text.lstrip("-").isdecimal() else None
