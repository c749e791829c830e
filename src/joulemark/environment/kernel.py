# SPDX-License-Identifier: Apache-2.0
"""The kernel, and those of its settings that bear on a measurement."""

from __future__ import annotations

from typing import Any

from joulemark.environment.source import Source

__all__ = ["read"]


def read(source: Source) -> dict[str, Any]:
    """Facts about the kernel, by field of `Environment`."""
    return {
        "kernel_release": source.fact("kernel_release", "proc/sys/kernel/osrelease", parse=str),
        "os_name": source.fact(
            "os_name", "etc/os-release", "usr/lib/os-release", parse=_pretty_name
        ),
        "address_randomisation": source.fact(
            "address_randomisation", "proc/sys/kernel/randomize_va_space", parse=int
        ),
        "perf_event_paranoid": source.fact(
            "perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid", parse=int
        ),
        "mitigations": _mitigations(source),
        "clock_source": source.fact(
            "clock_source",
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            parse=str,
        ),
        "memory_bytes": source.fact("memory_bytes", "proc/meminfo", parse=_memory),
    }


def _mitigations(source: Source) -> dict[str, str] | None:
    """What the kernel says of each weakness, but for those that this CPU does not have.

    References:
        Linux: Documentation/ABI/testing/sysfs-devices-system-cpu, `vulnerabilities`.
    """
    paths = list(source.folders("sys/devices/system/cpu/vulnerabilities/*"))
    if not paths:
        return source.unknown("mitigations", "the kernel lists no weaknesses of this CPU here")
    said = {path.rpartition("/")[2]: source.text(path) for path in paths}
    return {name: text for name, text in said.items() if text and text != "Not affected"}


def _pretty_name(text: str) -> str:
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "PRETTY_NAME" and value.strip("\"'"):
            return value.strip("\"'")
    raise ValueError("no PRETTY_NAME")


def _memory(text: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "MemTotal":
            number, unit = value.split()
            if unit == "kB":
                return int(number) * 1024
    raise ValueError("no MemTotal")
