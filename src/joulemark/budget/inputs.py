# SPDX-License-Identifier: Apache-2.0
"""Values of the catalogue as numbers with an uncertainty, and a record of those that were used.

A value that stands in several places of a sum is one variable there, so that what it adds to both
sides of a comparison cancels (`uncertainties` keeps the correlation).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from uncertainties import ufloat

from joulemark.catalogue.planning.sourced import Lengths, Sheet, SourcedNumber, ValueOrigin

__all__ = [
    "SPREADS",
    "Inputs",
    "Interval",
    "Number",
    "UsedValue",
    "interval",
    "nominal",
    "spread_of",
]

Number = Any
"""A float, or a number of `uncertainties`."""
SPREADS: Final = {ValueOrigin.READ: 0.10, ValueOrigin.REMEMBERED: 0.25}
"""Half of the 95 % interval over a value of which nothing more is known: our assumption."""
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its bounds of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class UsedValue:
    """A value that a figure rests on."""

    path: str
    """Kind, id and key, as in "radio cc2420: send_current"."""
    text: str
    """Number and unit."""
    document: str
    place: str
    state: ValueOrigin


@dataclass(slots=True)
class Inputs:
    """Makes numbers of values, and remembers which."""

    spreads: dict[ValueOrigin, float] = field(default_factory=lambda: dict(SPREADS))
    _numbers: dict[str, Number] = field(default_factory=dict)
    _used: dict[str, UsedValue] = field(default_factory=dict)

    def take(self, sheet: Sheet, path: str, value: SourcedNumber) -> Number:
        """The number of a value in its SI unit.

        Args:
            sheet: the file that it stands in.
            path: its key there.
            value: the value.
        """
        name = f"{sheet.id}: {path}"
        if name not in self._numbers:
            self._note(name, sheet, value)
            spread = self.spreads[value.state] if value.spread is None else value.spread
            deviation = abs(value.si) * spread / _NORMAL_95
            self._numbers[name] = ufloat(value.si, deviation, name) if deviation else value.si
        return self._numbers[name]

    def whole(self, sheet: Sheet, path: str, value: SourcedNumber) -> int:
        """A number of bytes, which has no uncertainty."""
        self._note(f"{sheet.id}: {path}", sheet, value)
        return int(value.value)

    def lengths(self, sheet: Sheet, path: str, value: Lengths) -> list[int]:
        """Numbers of bytes."""
        self._note(f"{sheet.id}: {path}", sheet, value)
        return value.value

    def _note(self, name: str, sheet: Sheet, value: SourcedNumber | Lengths) -> None:
        if name not in self._used:
            document = sheet.documents[value.document]
            self._used[name] = UsedValue(name, value.text, document, value.place, value.state)

    @property
    def used(self) -> list[UsedValue]:
        """Every value taken so far, in order."""
        return [*self._used.values()]


def nominal(number: Number) -> float:
    """A number without its uncertainty."""
    value: Any = getattr(number, "nominal_value", number)
    return float(value)


def interval(number: Number) -> Interval:
    """A number with its bounds of 95 %, of which the lower is not below 0 for a positive one."""
    value = nominal(number)
    half = _NORMAL_95 * float(getattr(number, "std_dev", 0.0))
    low = value - half
    return Interval(value, max(low, 0.0) if value >= 0 else low, value + half)


def spread_of(number: Number) -> float:
    """Half of the interval over the value; 0 for a number that is exact."""
    value = nominal(number)
    return _NORMAL_95 * float(getattr(number, "std_dev", 0.0)) / abs(value) if value else 0.0
