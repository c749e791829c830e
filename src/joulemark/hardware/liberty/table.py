# SPDX-License-Identifier: Apache-2.0
"""Look-up tables over slew and load, as the non-linear delay model has them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Table", "constant"]


@dataclass(frozen=True, slots=True)
class Table:
    """Values over the slew of the input (first axis) and the load of the output (second).

    The table does not depend on an axis of one point. Units are the library's.
    """

    slews: tuple[float, ...]
    loads: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]

    def at(self, slew: float, load: float) -> float:
        """The value at a slew and a load: linear between and beyond points, as timing tools do."""
        if len(self.slews) == 1:
            return _along(self.loads, self.rows[0], load)
        high = _segment(self.slews, slew)
        low_slew, high_slew = self.slews[high - 1], self.slews[high]
        below, above = self.rows[high - 1], self.rows[high]
        if len(self.loads) == 1:
            first, second = below[0], above[0]
        else:
            first, second = _along(self.loads, below, load), _along(self.loads, above, load)
        return first + (second - first) * (slew - low_slew) / (high_slew - low_slew)


def constant(value: float) -> Table:
    """A table with the same value everywhere."""
    return Table((0.0,), (0.0,), ((value,),))


def _segment(axis: Sequence[float], value: float) -> int:
    """Index of the upper end of the stretch of the axis to interpolate or extrapolate on."""
    return min(max(bisect_right(axis, value), 1), len(axis) - 1)


def _along(axis: Sequence[float], values: Sequence[float], value: float) -> float:
    if len(axis) == 1:
        return values[0]
    high = _segment(axis, value)
    start, end = axis[high - 1], axis[high]
    return values[high - 1] + (values[high] - values[high - 1]) * (value - start) / (end - start)
