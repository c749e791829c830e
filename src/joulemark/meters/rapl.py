# SPDX-License-Identifier: Apache-2.0
"""RAPL: what the kernel's names mean, how large a counter's step is, and when it wraps.

RAPL (running average power limit) is the energy meter inside Intel, AMD and Hygon processors: one
32-bit counter for each domain, in units of 2^-ESU joules (Intel SDM volume 3B, "Power and thermal
management", section "RAPL interfaces"). Linux shows the counters twice, through powercap and
through perf events; this file has the facts that both readers need, and reads one register that
Linux shows in neither place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from joulemark.errors import JoulemarkError
from joulemark.meters import MeterError, read_count, text_or_none
from joulemark.records.energy_window import CEILING_W, DomainKind

ZONE: Final = re.compile(r"(?P<control>intel-rapl(?:-mmio)?|arm-scmi)(?P<path>(?::[0-9a-f]+)+)")
"""Folder name of a zone: control type, then one hexadecimal index for each level
(drivers/powercap/powercap_sys.c, powercap_register_zone). AMD processors use Intel's names. The
zones of `arm-scmi` are no RAPL, but the power zones that the firmware of an Arm machine names."""
NOTES: Final = {
    DomainKind.PSYS: "the platform as its maker wired it, which is not always the whole machine",
    DomainKind.DRAM: "memory, which the figure of its package does not include",
}
_MISC_PACKAGE_CTLS: Final = 0xBC
"""Number of IA32_MISC_PACKAGE_CTLS; bit 0 is ENERGY_FILTERING_ENABLE (Intel SDM volume 4)."""
_REGISTER_BYTES: Final = 8
_COUNTER_VALUES: Final = 1 << 32
_USUAL_STEP_J: Final = 2.0**-14
"""61 µJ: the coarsest unit among those usual on Intel and AMD processors (ESU 14 and 16)."""
_PSYS_STEP_J: Final = 1.0
"""Sapphire and Emerald Rapids count psys in whole joules (arch/x86/events/rapl.c, SPR quirk)."""
_PACKAGE: Final = re.compile(r"package-(?P<package>[0-9]+)(?:-die-(?P<die>[0-9]+))?")
_PSYS: Final = re.compile(r"psys(?:-(?P<package>[0-9]+))?")
_PLAIN: Final = {"core": DomainKind.CORE, "uncore": DomainKind.UNCORE, "dram": DomainKind.DRAM}


def kind_of(name: str) -> DomainKind:
    """The part of the machine that a powercap zone meters; RAIL where its name is not known.

    The names are those of drivers/powercap/intel_rapl_common.c: `package-0`, `package-0-die-1`,
    `psys` (`psys-1` for a further package), `core`, `uncore`, `dram`.
    """
    if _PACKAGE.fullmatch(name):
        return DomainKind.PACKAGE
    if _PSYS.fullmatch(name):
        return DomainKind.PSYS
    return _PLAIN.get(name, DomainKind.RAIL)


def package_of(name: str) -> int | None:
    """Physical package in a zone's name; a zone's index is no package number."""
    match = _PACKAGE.fullmatch(name) or _PSYS.fullmatch(name)
    return int(match["package"]) if match and match["package"] else None


def die_of(name: str) -> int | None:
    """Die in the name of a package's zone: the kernel's `die_id`; None where dies count together.

    Only a package whose dies are metered apart has the die in its name (intel_rapl_common.c,
    rapl_add_package).
    """
    match = _PACKAGE.fullmatch(name)
    return int(match["die"]) if match and match["die"] else None


def join_notes(*notes: str | None) -> str | None:
    """Several notes on a domain as one; None where there is none."""
    return "; ".join(note for note in notes if note) or None


def modulus_uj(range_uj: int) -> int:
    """Count of microjoules at which a zone's counter is 0 again.

    `max_energy_range_uj` is the counter's highest value, 2^32 - 1 units
    (intel_rapl_common.c, get_max_energy_counter), so the counter is 0 again one unit later.
    """
    return round(range_uj * _COUNTER_VALUES / (_COUNTER_VALUES - 1))


def step_of(range_uj: int) -> float:
    """Joules by which a zone's counter moves: its range over 2^32, and at least a microjoule.

    The range is in the zone's own unit, so this also finds memory in steps of 15.3 µJ beside a
    package in steps of 61, and a psys that counts whole joules.
    """
    return max(1e-6, modulus_uj(range_uj) / _COUNTER_VALUES * 1e-6)


def supposed_step_j(kind: DomainKind) -> float:
    """Joules of a step where no file states it: rather too coarse than too fine."""
    return _PSYS_STEP_J if kind is DomainKind.PSYS else _USUAL_STEP_J


def range_of(zone: Path) -> int | None:
    """Highest count of a zone in microjoules; None where it is missing, garbled or 0."""
    try:
        return read_count(zone / "max_energy_range_uj") or None
    except JoulemarkError:
        return None


def zone_steps_j(powercap: Path) -> dict[DomainKind, float]:
    """Coarsest step of each kind of domain, from powercap's range files.

    Every user may read these files, even where only root may read the counters beside them.
    """
    steps: dict[DomainKind, float] = {}
    try:
        zones = [path for path in powercap.iterdir() if ZONE.fullmatch(path.name)]
    except OSError:
        return steps
    for zone in zones:
        name, range_uj = text_or_none(zone / "name"), range_of(zone)
        if name is not None and range_uj is not None:
            kind = kind_of(name)
            steps[kind] = max(steps.get(kind, 0.0), step_of(range_uj))
    return steps


def container(platforms: Mapping[str, int | None], package: int | None) -> str | None:
    """Id of the psys domain that contains a package, or the memory beside it.

    That is the psys of the package, else the first psys; None where there is no psys. Memory counts
    as part of psys because the platform feeds it. A second psys is taken to be part of the first:
    whether the first already counts all packages differs between machines, and a sum that is
    refused does less harm than a sum that counts twice.

    Args:
        platforms: id of each psys domain -> its package; the first psys has none.
        package: the package; None where it is not known.
    """
    own = [platform for platform, number in platforms.items() if number == package]
    first = [platform for platform, number in platforms.items() if number is None]
    return next(iter(own + first), None)


def filter_of_packages(devices: Path, sysfs: Path) -> bool | str:
    """Whether any package filters its energy counters, or why that is not known.

    The bit is in a register of each package, which root can read through the kernel module `msr`:
    a read at offset N of a CPU's file gives register N (man 4 msr).
    """
    try:
        cpus = sorted(int(path.name) for path in devices.iterdir() if path.name.isdecimal())
    except OSError:
        cpus = []
    registers: dict[str | None, Path] = {}
    for cpu in cpus:
        topology = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
        package = text_or_none(topology / "physical_package_id")
        registers.setdefault(package, devices / str(cpu) / "msr")
    bits = [_filter_bit(path) for path in registers.values()]
    if not bits:
        return f"unknown: {devices} shows no CPU; try: sudo modprobe msr"
    # One package that filters spoils the figures; only if every package answers does none filter.
    return True in bits or next((bit for bit in bits if bit is not False), False)


def _filter_bit(path: Path) -> bool | str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            register = os.pread(descriptor, _REGISTER_BYTES, _MISC_PACKAGE_CTLS)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return f"unknown: {path} is not there; try: sudo modprobe msr"
    except PermissionError:
        return f"unknown: {path} is for root only, and not even for root where the kernel is locked"
    except OSError as error:
        why = error.strerror or type(error).__name__
        return f"unknown: this processor does not show IA32_MISC_PACKAGE_CTLS in {path} ({why})"
    if len(register) != _REGISTER_BYTES:
        return f"unknown: {path} gives no whole register"
    return bool(register[0] & 1)


# The power limits that RAPL zones state: for the record, and as a bound on what is believed.
#
# Limits are the `constraint_*` files of Documentation/power/powercap/powercap.rst. Firmware and
# governor keep the mean power below them; for a moment the hardware can draw more, so the ceiling
# lies well above them. The ceiling tells a wrap from a reset, which needs no close bound; but it
# must not be absurdly high either, since it also says how often a counter must be read.

_LIMIT: Final = re.compile(r"constraint_[0-9]+_(?:max_power|power_limit)_uw")
_CONSTRAINT: Final = re.compile(r"constraint_([0-9]{1,4})_[a-z_]+")
_NUMBERS: Final = {
    "power_limit_w": "power_limit_uw",
    "time_window_s": "time_window_us",
    "max_power_w": "max_power_uw",
}
"""Key in the record -> ending of the file, which counts in millionths."""
_LONGEST_DIGITS: Final = 20
"""Digits of a number of 64 bits; the kernel writes no longer number."""
_OVERSHOOT: Final = 3.0
"""A limit is kept on average over a time window of up to 28 s or more, so power may exceed it
meanwhile: on desktop parts the second limit is about twice the first, and 3 leaves room."""
_LOWEST_CEILING_W: Final = 200.0
"""A user can set a limit far below what the hardware draws before the limit takes hold. The
kernel's own perf driver supposes 200 W too (arch/x86/events/rapl.c, rapl_check_hw_unit)."""


def ceiling_w(zone: Path, kind: DomainKind) -> float | None:
    """Three times the highest limit, within bounds; None where the zone states no limit.

    A limit of 0 is not stated, and a limit above the power that any such part reaches (a register
    left at its highest value, 4 kW and more) is none.
    """
    highest_w = CEILING_W[kind]
    try:
        files = [path for path in zone.iterdir() if _LIMIT.fullmatch(path.name)]
    except OSError:
        return None
    stated_w = [
        limit_w for file in files if (limit_w := _millionths(file) or highest_w) < highest_w
    ]
    return min(highest_w, max(_LOWEST_CEILING_W, _OVERSHOOT * max(stated_w))) if stated_w else None


def power_limits(powercap: Path) -> dict[str, list[dict[str, str | float]]]:
    """Id of each zone -> its stated limits, in the kernel's order.

    `long_term` holds on average over its time window and `short_term` over a shorter window, so
    power steps down once the long window is full, usually after tens of seconds. With the limits in
    the record such a step can be recognised later. Every user may read these files.
    """
    try:
        zones = sorted(path for path in powercap.iterdir() if ZONE.fullmatch(path.name))
    except OSError:
        return {}
    return {zone.name: _constraints(zone) for zone in zones}


def _constraints(zone: Path) -> list[dict[str, str | float]]:
    try:
        matches = [_CONSTRAINT.fullmatch(path.name) for path in zone.iterdir()]
    except OSError:
        return []
    limits = []
    for number in sorted({int(match[1]) for match in matches if match}):
        start = zone / f"constraint_{number}"
        found: dict[str, str | float | None] = {"name": text_or_none(Path(f"{start}_name"))}
        found |= {key: _millionths(Path(f"{start}_{end}")) for key, end in _NUMBERS.items()}
        limits.append({key: value for key, value in found.items() if value is not None})
    return [limit for limit in limits if limit]


def _millionths(path: Path) -> float | None:
    """Millionths in a file as watts or seconds; None where the file is missing, garbled or 0."""
    try:
        count = read_count(path)
    except MeterError:
        return None
    return count / 1e6 if 0 < count < 10**_LONGEST_DIGITS else None
