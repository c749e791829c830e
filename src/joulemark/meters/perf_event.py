# SPDX-License-Identifier: Apache-2.0
"""Opening a counting perf event of a whole CPU, without a library.

perf_event_open has no wrapper in the C library (man 2 perf_event_open), so it is called by number.
The attributes are sent in the first published size, PERF_ATTR_SIZE_VER0 of
include/uapi/linux/perf_event.h, which every kernel accepts.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import platform
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from joulemark.meters import MeterError, MeterRefusal, Roots, read_count, read_text
from joulemark.records.energy_window import DomainKind, Fault

_SYSTEM_CALL: Final = {"x86_64": 298, "aarch64": 241}
"""Numbers of perf_event_open: arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h."""
_ATTRIBUTES: Final = struct.Struct("=IIQQQQQIIQ")
"""type, size, config, sample_period, sample_type, read_format, flags, wakeup_events, bp_type,
config1: 64 bytes. With all but the first three 0 the event counts from the start, in all modes,
and a read gives the count alone."""
_CLOSE_ON_EXEC: Final = 8
_EVERY_PROCESS: Final = -1
_NO_GROUP: Final = -1
_COUNT: Final = struct.Struct("=Q")


class CpuCounter(Protocol):
    """An open event."""

    def count(self) -> int:
        """The count since the event was opened."""

    def close(self) -> None:
        """Closes the event; may be called twice."""


Opener = Callable[[int, int, int], CpuCounter]
"""(type of the unit, config of the event, CPU) -> the event, opened for every process.

Raises OSError."""


class PerfCounter:
    """An open event of this machine's kernel, by its file descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def count(self) -> int:
        """The count since the event was opened."""
        if self._descriptor is None:
            raise OSError(errno.EBADF, "the event is closed")
        data = os.read(self._descriptor, _COUNT.size)
        if len(data) != _COUNT.size:
            # The kernel answers with an end of file where the event's CPU or unit went away.
            raise OSError(errno.ENODEV, "the event is gone")
        (count,) = _COUNT.unpack(data)
        return int(count)

    def close(self) -> None:
        """Closes the event; may be called twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def open_counter(unit_type: int, config: int, cpu: int) -> CpuCounter:
    """Opens an event of this machine's kernel; see `Opener`."""
    number = _SYSTEM_CALL.get(platform.machine())
    if number is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    attributes = ctypes.create_string_buffer(
        _ATTRIBUTES.pack(unit_type, _ATTRIBUTES.size, config, *[0] * 7), _ATTRIBUTES.size
    )
    system_call = ctypes.CDLL(None, use_errno=True).syscall
    system_call.restype = ctypes.c_long
    descriptor = system_call(
        ctypes.c_long(number),
        attributes,
        ctypes.c_long(_EVERY_PROCESS),
        ctypes.c_long(cpu),
        ctypes.c_long(_NO_GROUP),
        ctypes.c_ulong(_CLOSE_ON_EXEC),
    )
    if descriptor < 0:
        trouble = ctypes.get_errno()
        raise OSError(trouble, os.strerror(trouble))
    return PerfCounter(int(descriptor))


# The RAPL events that the kernel's perf units offer, as their files describe them.
#
# Format: Documentation/ABI/testing/sysfs-bus-event_source-devices-events and
# arch/x86/events/rapl.c of Linux. `events/NAME` gives the event's number, `.scale` and `.unit` what
# a count means (2^-32 J), `cpumask` the CPUs to ask: one for each package or die, or for each core.

UNITS: Final = ("power", "power_core")
"""`power_core` is AMD's: one event for each core."""
_KINDS: Final = {
    "energy-psys": DomainKind.PSYS,
    "energy-pkg": DomainKind.PACKAGE,
    "energy-cores": DomainKind.CORE,
    "energy-core": DomainKind.CORE,
    "energy-gpu": DomainKind.UNCORE,
    "energy-ram": DomainKind.DRAM,
}
_NUMBER: Final = re.compile(r"event=(0x[0-9a-fA-F]+|[0-9]+)")
_RANGE: Final = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_MOST_CPUS: Final = 1 << 16
"""A mask beyond this is garbage; Linux is built for 8192 CPUs at most."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event on one CPU, which stands for a package, a die or a core."""

    unit: str
    unit_type: int
    name: str
    config: int
    joules_per_count: float
    cpu: int
    package: int | None
    die: int | None

    @property
    def id(self) -> str:
        """Name of the event, which is the same in every process of one boot."""
        return f"{self.unit}/{self.name}/cpu{self.cpu}"

    @property
    def kind(self) -> DomainKind:
        """The part of the machine that the event meters; RAIL where its name is not known."""
        return _KINDS.get(self.name, DomainKind.RAIL)

    @property
    def rank(self) -> tuple[int, str, int, str]:
        """Place in the order of parents before children: platform, packages, then their parts."""
        first = {DomainKind.PSYS: 0, DomainKind.PACKAGE: 1}
        return (first.get(self.kind, 2), self.unit, self.cpu, self.name)


def find_events(roots: Roots) -> tuple[list[Event], list[MeterRefusal]]:
    """Every event that is described in full, parents first; and a refusal of every other event."""
    events: list[Event] = []
    refused: list[MeterRefusal] = []
    for unit in UNITS:
        folder = roots.sysfs / "bus/event_source/devices" / unit
        if not folder.is_dir():
            continue
        try:
            unit_type = read_count(folder / "type")
            cpus = parse_cpus(read_text(folder / "cpumask"), folder / "cpumask")
        except MeterError as error:
            refused.append(MeterRefusal(unit, str(error)))
            continue
        for name in _names(folder / "events"):
            try:
                config, scale_j = _number_and_scale(folder / "events", name)
            except MeterError as error:
                refused.append(MeterRefusal(f"{unit}/{name}", str(error)))
                continue
            for cpu in cpus:
                package = _topology(roots, cpu, "physical_package_id")
                die = _topology(roots, cpu, "die_id")
                events.append(Event(unit, unit_type, name, config, scale_j, cpu, package, die))
    return sorted(events, key=lambda event: event.rank), refused


def dies_apart(events: Iterable[Event]) -> set[int]:
    """Packages whose dies are metered apart.

    The unit `power` has one CPU of each package in its mask, or one of each die (rapl.c,
    PERF_PMU_SCOPE_DIE); so several CPUs of a package stand for its dies. AMD's `power_core` has one
    CPU of each core, which says nothing about dies.
    """
    cpus = {(event.package, event.cpu) for event in events if event.unit == UNITS[0]}
    counts = Counter(package for package, _ in cpus if package is not None)
    return {package for package, count in counts.items() if count > 1}


def parse_cpus(text: str, path: Path) -> list[int]:
    """CPU numbers of a list such as `0-1,28` (Documentation/core-api/printk-formats.rst, %*pbl)."""
    cpus: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, _MOST_CPUS)
        if not first <= last < _MOST_CPUS:
            shown = text[:20] or "nothing"
            raise MeterError(Fault.UNREADABLE, f"{path} says '{shown}', which is no list of CPUs")
        cpus.extend(range(first, last + 1))
    return cpus


def _names(folder: Path) -> Iterator[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return
    yield from (name for name in names if name.startswith("energy-") and "." not in name)


def _number_and_scale(folder: Path, name: str) -> tuple[int, float]:
    """Number of an event, and joules per count."""
    text = read_text(folder / name)
    number = _NUMBER.fullmatch(text)
    if number is None:
        raise MeterError(Fault.UNREADABLE, f"{folder / name} says '{text[:20]}', not event=NUMBER")
    unit = read_text(folder / f"{name}.unit")
    if unit != "Joules":
        raise MeterError(Fault.UNREADABLE, f"{folder / name}.unit says '{unit[:20]}', not Joules")
    text = read_text(folder / f"{name}.scale")
    try:
        scale_j = float(text)
    except ValueError:
        scale_j = math.nan
    if not 0 < scale_j < math.inf:
        raise MeterError(Fault.UNREADABLE, f"{folder / name}.scale says '{text[:20]}', no scale")
    return int(number[1], 0), scale_j


def _topology(roots: Roots, cpu: int, name: str) -> int | None:
    try:
        return read_count(roots.sysfs / f"devices/system/cpu/cpu{cpu}/topology" / name)
    except MeterError:
        return None
