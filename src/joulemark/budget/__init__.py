# SPDX-License-Identifier: Apache-2.0
"""From a MAC to a battery: packets, radios and processors as joules, days and years.

All functions are pure: they take values of the planning catalogue and counts of core cycles.
`planner` takes names and gives every figure, `plan` ranks MACs, and each other module answers one
question of a planner.

Here are values of the catalogue as numbers with an uncertainty, and a record of those that were
used. A value that stands in several places of a sum is one variable there, so that what it adds to
both sides of a comparison cancels (`uncertainties` keeps the correlation).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from uncertainties import ufloat, umath

from joulemark.catalogue.nodes import DataSheet, Lengths, SourcedNumber, ValueOrigin

Number = Any
"""A float, or a number of `uncertainties`."""
SPREADS: Final = {ValueOrigin.READ: 0.10, ValueOrigin.REMEMBERED: 0.25}
"""Half of the 95 % interval over a value of which nothing more is known: our assumption."""
NORMAL_95: Final = 1.96
"""Standard deviations of a normal variable in half of its 95 % interval."""


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """A figure with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class UsedValue:
    """A value that a figure rests on."""

    path: str
    """Id of the file and key in it, as in "cc2420: send_current"; of two files with one id the
    second is shown with what tells it from the first, as in "cc2420 (my/cc2420.toml): voltage"."""
    text: str
    """Number and unit of the value, as the file has them."""
    document: str
    place: str
    state: ValueOrigin


@dataclass(slots=True)
class Inputs:
    """Makes numbers of values, and remembers the values."""

    spreads: dict[ValueOrigin, float] = field(default_factory=lambda: dict(SPREADS))
    _numbers: dict[str, Number] = field(default_factory=dict)
    _used: dict[str, UsedValue] = field(default_factory=dict)
    _shown: dict[int, tuple[DataSheet, str]] = field(default_factory=dict)
    """`id` of a sheet's object -> the sheet, which lives as long, and the name that it has here."""

    def take(self, sheet: DataSheet, path: str, value: SourcedNumber) -> Number:
        """Returns a value, which stands under a key of a file, as a number in its SI unit."""
        name = self._name(sheet, path)
        if name not in self._numbers:
            self._note(name, sheet, value)
            spread = self.spreads[value.state] if value.spread is None else value.spread
            deviation = abs(value.si) * spread / NORMAL_95
            self._numbers[name] = ufloat(value.si, deviation, name) if deviation else value.si
        return self._numbers[name]

    def exact(self, sheet: DataSheet, path: str, value: SourcedNumber) -> float:
        """Returns a value that somebody chose, which has no uncertainty, in its SI unit."""
        self._note(self._name(sheet, path), sheet, value)
        return value.si

    def whole(self, sheet: DataSheet, path: str, value: SourcedNumber) -> int:
        """Returns the value as a number of bytes, which has no uncertainty."""
        self._note(self._name(sheet, path), sheet, value)
        return int(value.value)

    def lengths(self, sheet: DataSheet, path: str, value: Lengths) -> list[int]:
        """Returns the value as numbers of bytes."""
        self._note(self._name(sheet, path), sheet, value)
        return value.value

    def _name(self, sheet: DataSheet, path: str) -> str:
        """Returns the name of a value; values of different sheets never have one name."""
        if id(sheet) not in self._shown:
            others = {name: other for other, name in self._shown.values()}
            free = (name for name in _names(sheet) if others.get(name, sheet) == sheet)
            self._shown[id(sheet)] = sheet, next(free)
        return f"{self._shown[id(sheet)][1]}: {path}"

    def _note(self, name: str, sheet: DataSheet, value: SourcedNumber | Lengths) -> None:
        if name not in self._used:
            document = sheet.documents[value.document]
            self._used[name] = UsedValue(name, value.text, document, value.place, value.state)

    @property
    def used(self) -> list[UsedValue]:
        """The values that were taken so far, in the order of taking."""
        return [*self._used.values()]


def _names(sheet: DataSheet) -> Iterator[str]:
    """Yields the names that a sheet may be shown with, the shortest first."""
    yield sheet.id
    yield f"{sheet.id} ({sheet.origin})"
    yield from (f"{sheet.id} ({number})" for number in count(2))


def nominal(number: Number) -> float:
    """Returns a number without its uncertainty."""
    value: Any = getattr(number, "nominal_value", number)
    return float(value)


def interval(number: Number) -> BoundedFigure:
    """Returns a number with its 95 % interval, which ends at 0 if the number is not negative."""
    value = nominal(number)
    half = NORMAL_95 * float(getattr(number, "std_dev", 0.0))
    low = value - half
    return BoundedFigure(value, max(low, 0.0) if value >= 0 else low, value + half)


def spread_of(number: Number) -> float:
    """Returns half of the 95 % interval over the value; 0 for a number that is exact."""
    value = nominal(number)
    return NORMAL_95 * float(getattr(number, "std_dev", 0.0)) / abs(value) if value else 0.0


# How long a battery lasts under a mean power, its self-discharge and its shelf life.

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
    def bounds(self) -> BoundedFigure:
        """Years of use with their 95 % interval, none beyond the shelf life."""
        energy = interval(self.by_energy)
        if self.shelf is None:
            return energy
        return BoundedFigure(
            *(min(end, self.shelf) for end in (energy.value, energy.low, energy.high))
        )

    @property
    def is_shelf(self) -> bool:
        """Whether the battery grows too old before it is empty."""
        return self.shelf is not None and nominal(self.by_energy) > self.shelf


def years_of(battery_j: Number, power_w: Number, discharge_per_year: Number) -> Number:
    """Returns the years until a battery, of joules and a mean power above 0, is empty.

    The energy E that is left falls by the load P and by a share s of itself: dE/dt = -P - s E. From
    E0 to 0 this takes ln(1 + s E0 / P) / s, and E0 / P without self-discharge.

    Example:
        >>> round(years_of(31_557_600.0, 1.0, 0.0), 6)
        1.0
    """
    loaded = battery_j / (power_w * YEAR_S)
    if nominal(discharge_per_year) == 0:
        return loaded
    return umath.log1p(discharge_per_year * loaded) / discharge_per_year
