# SPDX-License-Identifier: Apache-2.0
"""The kernel, and those of its settings that bear on a measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joulemark.environment.source import SystemFiles


def read(source: SystemFiles) -> dict[str, Any]:
    """Facts about the kernel, by field of `Environment`."""
    facts = {name: source.fact(name, *files, parse=parse) for name, files, parse in _FACTS}
    return {**facts, "mitigations": _mitigations(source)}


def _mitigations(source: SystemFiles) -> dict[str, str] | None:
    """Weakness -> the kernel's words on it, without the weaknesses that this CPU does not have.

    References:
        Linux: Documentation/ABI/testing/sysfs-devices-system-cpu, `vulnerabilities`.
    """
    paths = list(source.folders("sys/devices/system/cpu/vulnerabilities/*"))
    if not paths:
        return source.unknown("mitigations", "the kernel lists no weaknesses of this CPU here")
    texts = {path.rpartition("/")[2]: source.text(path) for path in paths}
    return {name: text for name, text in texts.items() if text and text != "Not affected"}


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


_FACTS: tuple[tuple[str, tuple[str, ...], Callable[[str], str | int]], ...] = (
    ("kernel_release", ("proc/sys/kernel/osrelease",), str),
    ("os_name", ("etc/os-release", "usr/lib/os-release"), _pretty_name),
    ("address_randomisation", ("proc/sys/kernel/randomize_va_space",), int),
    ("perf_event_paranoid", ("proc/sys/kernel/perf_event_paranoid",), int),
    ("clock_source", ("sys/devices/system/clocksource/clocksource0/current_clocksource",), str),
    ("memory_bytes", ("proc/meminfo",), _memory),
)
"""Field of `Environment`, its files in order of preference, and the function that reads a text."""
