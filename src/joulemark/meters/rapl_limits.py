# SPDX-License-Identifier: Apache-2.0
"""The power limits that RAPL zones state: for the record, and as a bound on what is believed.

Limits are the `constraint_*` files of Documentation/power/powercap/powercap.rst. Firmware and
governor keep the mean power below them; for a moment the hardware can draw more, so the ceiling
lies well above them. The ceiling tells a wrap from a reset, which needs no close bound; but it must
not be absurdly high either, since it also says how often a counter must be read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from joulemark.meters.contract import MeterError
from joulemark.meters.rapl import ZONE
from joulemark.meters.sysfs import read_count, text_or_none
from joulemark.records.domain import CEILING_W, DomainKind

__all__ = ["ceiling_w", "power_limits"]

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


def power_limits(powercap: Path) -> dict[str, list[dict[str, Any]]]:
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


def _constraints(zone: Path) -> list[dict[str, Any]]:
    try:
        matches = [_CONSTRAINT.fullmatch(path.name) for path in zone.iterdir()]
    except OSError:
        return []
    limits = []
    for number in sorted({int(match[1]) for match in matches if match}):
        start = zone / f"constraint_{number}"
        limit: dict[str, Any] = {"name": text_or_none(Path(f"{start}_name"))}
        limit |= {key: _millionths(Path(f"{start}_{end}")) for key, end in _NUMBERS.items()}
        limits.append({key: value for key, value in limit.items() if value is not None})
    return [limit for limit in limits if limit]


def _millionths(path: Path) -> float | None:
    """Millionths in a file as watts or seconds; None where the file is missing, garbled or 0."""
    try:
        count = read_count(path)
    except MeterError:
        return None
    return count / 1e6 if 0 < count < 10**_LONGEST_DIGITS else None
