# SPDX-License-Identifier: Apache-2.0
"""Lines of equal power behind a chart of energy against time.

Energy is power times time: with both axes logarithmic, all points of one power lie on a line that
rises by one decade for each decade. Nanojoules over nanoseconds are watts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.report.rows import Row
from joulemark.units import format_si

ALL_LENGTHS = ""
"""Value of the page's choice of a length if all lengths are shown."""

_STEPS = (1, 2, 5)
_MOST_LINES = 8
"""More lines than these are thinned to powers of ten."""
_ROOM = 2.0
"""Factor by which the lines reach beyond the points on both axes. Neighbouring steps are at most a
factor 2.5 apart, so the lines on both sides of all points have a place: they cross a corner that is
widened by more than the square root of 2.5."""


def iso_power(data: Sequence[Row]) -> list[Row]:
    """Ends and label of each line, for each part of `data` that is shown by itself.

    A part is one algorithm in one workload, at all lengths (`shown` is `ALL_LENGTHS`) or at one.

    Args:
        data: rows with time (`time`, `time_low`, `time_high`) and energy (`value`, `low`, `high`),
            all above 0.
    """
    pictures: dict[tuple[str, str, str | int], list[Row]] = {}
    for row in data:
        for shown in (ALL_LENGTHS, row["bytes"]):
            pictures.setdefault((row["algorithm"], row["workload"], shown), []).append(row)
    return [
        {"algorithm": algorithm, "workload": workload, "shown": shown, **line}
        for (algorithm, workload, shown), members in pictures.items()
        for line in _lines(members)
    ]


def _lines(members: Sequence[Row]) -> list[Row]:
    first_time = min(row["time_low"] for row in members) / _ROOM
    last_time = max(row["time_high"] for row in members) * _ROOM
    least = min(row["low"] for row in members) / _ROOM
    most = max(row["high"] for row in members) * _ROOM
    lines = []
    for power in _powers([row["value"] / row["time"] for row in members]):
        start, end = max(first_time, least / power), min(last_time, most / power)
        if start < end:
            lines.append(
                {
                    "power_w": power,
                    "label": format_si(power, "W"),
                    "time": start,
                    "time_end": end,
                    "value": start * power,
                    "value_end": end * power,
                }
            )
    return lines


def _powers(powers: Sequence[float]) -> list[float]:
    """Round powers from one at or below all of `powers` to one at or above, few enough to read."""
    fine = _between(powers, _STEPS)
    return fine if len(fine) <= _MOST_LINES else _between(powers, (1,))


def _between(powers: Sequence[float], steps: Sequence[int]) -> list[float]:
    low, high = min(powers), max(powers)
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    every = [float(f"{step}e{decade}") for decade in decades for step in steps]
    first = max(power for power in every if power <= low)
    last = min(power for power in every if power >= high)
    if first == last:
        place = every.index(first)
        first, last = every[place - 1], every[place + 1]
    return [power for power in every if first <= power <= last]
