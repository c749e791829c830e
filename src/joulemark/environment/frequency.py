# SPDX-License-Identifier: Apache-2.0
"""How the clock of the cores is set, and between which bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joulemark.environment.source import SystemFiles

_CPU = "sys/devices/system/cpu"


_WORDS = {
    "frequency_driver": "scaling_driver",
    "governor": "scaling_governor",
    "energy_preference": "energy_performance_preference",
}
"""Field of `Environment` -> file in a CPU's folder `cpufreq`."""
_BOUNDS: dict[str, tuple[str, Callable[[list[int]], int]]] = {
    "frequency_min_hz": ("cpuinfo_min_freq", min),
    "frequency_max_hz": ("cpuinfo_max_freq", max),
    "frequency_limit_low_hz": ("scaling_min_freq", min),
    "frequency_limit_high_hz": ("scaling_max_freq", max),
}
"""Field of `Environment` -> file of kilohertz, and the choice among the CPUs' values."""


def read(source: SystemFiles) -> dict[str, Any]:
    """Facts about frequency, by field of `Environment`."""
    return {
        **{name: _of_every_cpu(source, name, file) for name, file in _WORDS.items()},
        **{name: _bound(source, name, *bound) for name, bound in _BOUNDS.items()},
        "turbo": _turbo(source),
    }


def _of_every_cpu(source: SystemFiles, name: str, file: str) -> str | None:
    words = set(_values(source, file))
    return "+".join(sorted(words)) or source.unknown(name, _absent(source, file))


def _bound(
    source: SystemFiles, name: str, file: str, choose: Callable[[list[int]], int]
) -> int | None:
    values_khz = [int(value) for value in _values(source, file) if value.isdigit()]
    return choose(values_khz) * 1000 if values_khz else source.unknown(name, _absent(source, file))


def _values(source: SystemFiles, file: str) -> list[str]:
    paths = source.folders(f"{_CPU}/cpu[0-9]*/cpufreq/{file}")
    return [value for path in paths if (value := source.text(path))]


def _absent(source: SystemFiles, file: str) -> str:
    if any(source.folders(f"{_CPU}/cpu[0-9]*/cpufreq")):
        return f"the frequency driver shows no {file}"
    return "the kernel does not set the frequency here (usual in a virtual machine)"


def _turbo(source: SystemFiles) -> bool | None:
    """Whether cores may pass their base frequency; 1 means no in `no_turbo` and yes in `boost`."""
    for file, yes in (("intel_pstate/no_turbo", "0"), ("cpufreq/boost", "1")):
        text = source.text(f"{_CPU}/{file}")
        if text in {"0", "1"}:
            return text == yes
    policies = set(_values(source, "boost"))
    if policies and policies <= {"0", "1"}:
        return "1" in policies
    return source.unknown("turbo", "the kernel shows no turbo or boost switch here")
