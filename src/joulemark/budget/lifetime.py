# SPDX-License-Identifier: Apache-2.0
"""How long a battery lasts under a mean power and its self-discharge."""

from __future__ import annotations

from typing import Final

from uncertainties import umath

from joulemark.budget.inputs import Number, nominal

__all__ = ["YEAR_S", "years_of"]

YEAR_S: Final = 365.25 * 86_400
"""Seconds of a Julian year."""


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
