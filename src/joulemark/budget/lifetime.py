# SPDX-License-Identifier: Apache-2.0
"""How long a battery lasts under a mean power, its self-discharge and its shelf life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from uncertainties import umath

from joulemark.budget.inputs import Interval, Number, interval, nominal

YEAR_S: Final = 365.25 * 86_400
"""Seconds of a Julian year."""


@dataclass(frozen=True, slots=True)
class Life:
    """Years until a battery is empty or too old."""

    by_energy: Number
    """Years until it is empty, if it never grew too old."""
    shelf: float | None
    """Years after which it is too old; None if they are unknown."""

    @property
    def bounds(self) -> Interval:
        """Years of use with their 95 % interval, none beyond the shelf life."""
        energy = interval(self.by_energy)
        if self.shelf is None:
            return energy
        return Interval(*(min(end, self.shelf) for end in (energy.value, energy.low, energy.high)))

    @property
    def is_shelf(self) -> bool:
        """Whether the battery grows too old before it is empty."""
        return self.shelf is not None and nominal(self.by_energy) > self.shelf


def years_of(battery_j: Number, power_w: Number, discharge_per_year: Number) -> Number:
    """Returns the years until a battery is empty.

    The energy E that is left falls by the load P and by a share s of itself: dE/dt = -P - s E.
    From E0 to 0 this takes ln(1 + s E0 / P) / s, and E0 / P without self-discharge.

    Args:
        battery_j: usable energy of a full battery, above 0.
        power_w: mean power of the node, above 0.
        discharge_per_year: share of the energy left that a year takes, 0 or more.

    Example:
        >>> round(years_of(31_557_600.0, 1.0, 0.0), 6)
        1.0
    """
    loaded = battery_j / (power_w * YEAR_S)
    if nominal(discharge_per_year) == 0:
        return loaded
    return umath.log(1 + discharge_per_year * loaded) / discharge_per_year
