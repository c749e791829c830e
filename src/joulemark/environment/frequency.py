# SPDX-License-Identifier: Apache-2.0
"""Who sets the clock of the cores, and between which bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joulemark.environment.source import Source

__all__ = ["read"]

_CPU = "sys/devices/system/cpu"


def read(source: Source) -> dict[str, Any]:
    """Facts about frequency, by field of `Environment`."""
    return {
        "frequency_driver": _of_every_cpu(source, "frequency_driver", "scaling_driver"),
        "governor": _of_every_cpu(source, "governor", "scaling_governor"),
        "energy_preference": _of_every_cpu(
            source, "energy_preference", "energy_performance_preference"
        ),
        "frequency_min_hz": _bound(source, "frequency_min_hz", "cpuinfo_min_freq", min),
        "frequency_max_hz": _bound(source, "frequency_max_hz", "cpuinfo_max_freq", max),
        "frequency_limit_low_hz": _bound(source, "frequency_limit_low_hz", "scaling_min_freq", min),
        "frequency_limit_high_hz": _bound(
            source, "frequency_limit_high_hz", "scaling_max_freq", max
        ),
        "turbo": _turbo(source),
    }


def _of_every_cpu(source: Source, name: str, file: str) -> str | None:
    found = set(_values(source, file))
    return "+".join(sorted(found)) or source.unknown(name, _absent(source, file))


def _bound(source: Source, name: str, file: str, choose: Callable[[list[int]], int]) -> int | None:
    found = [int(value) for value in _values(source, file) if value.isdigit()]
    if not found:
        return source.unknown(name, _absent(source, file))
    return choose(found) * 1000


def _values(source: Source, file: str) -> list[str]:
    paths = source.folders(f"{_CPU}/cpu[0-9]*/cpufreq/{file}")
    return [value for path in paths if (value := source.text(path))]


def _absent(source: Source, file: str) -> str:
    if any(source.folders(f"{_CPU}/cpu[0-9]*/cpufreq")):
        return f"the frequency driver shows no {file}"
    return "the kernel does not set the frequency here (usual in a virtual machine)"


def _turbo(source: Source) -> bool | None:
    """Whether cores may pass their base frequency; the two files say it with opposite signs."""
    no_turbo = source.text(f"{_CPU}/intel_pstate/no_turbo")
    if no_turbo in {"0", "1"}:
        return no_turbo == "0"
    boost = source.text(f"{_CPU}/cpufreq/boost")
    if boost in {"0", "1"}:
        return boost == "1"
    policies = set(_values(source, "boost"))
    if policies and policies <= {"0", "1"}:
        return "1" in policies
    return source.unknown("turbo", "the kernel shows no turbo or boost switch here")
