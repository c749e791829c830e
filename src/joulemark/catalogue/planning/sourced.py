# SPDX-License-Identifier: Apache-2.0
"""A value with unit, document, place and state; every unit of the planning files is here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

_UNITS: Final[dict[str, dict[str, float]]] = {
    "current": {"A": 1, "mA": 1e-3, "uA": 1e-6, "nA": 1e-9},
    "voltage": {"V": 1, "mV": 1e-3},
    "frequency": {"Hz": 1, "kHz": 1e3, "MHz": 1e6},
    "time": {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "energy": {"J": 1, "mJ": 1e-3, "uJ": 1e-6, "nJ": 1e-9},
    "charge": {"A s": 1, "Ah": 3600, "mAh": 3.6},
    "current for a clock": {"A/Hz": 1, "uA/MHz": 1e-12},
    "bit rate": {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6},
    "number of bytes": {"byte": 1},
    "share": {"1": 1, "%": 1e-2},
    "share of a year": {"1/year": 1, "%/year": 1e-2},
    "number a year": {"1/year": 1},
    "number": {"1": 1},
    "number of symbols": {"symbol": 1},
    "number of years": {"year": 1},
}
"""Dimension -> unit -> its factor to the SI unit (bytes and years kept)."""
_FACTORS: Final = {unit: factor for units in _UNITS.values() for unit, factor in units.items()}

_LEAST: Final = 1e-15
_MOST: Final = 1e15
"""Bounds of a number in SI units other than 0; a number beyond them is a slip, and may overflow."""
_MOST_TIMES: Final = 1e3
"""The most times that a packet is sent; a larger number is a slip."""


class ValueOrigin(StrEnum):
    """Whether somebody of this project saw the value in its document."""

    READ = "read"
    REMEMBERED = "remembered"


class PlanningRecord(BaseModel):
    """A part of a planning file, which has no other keys than the declared ones."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _StatedValue(PlanningRecord):
    """The facts of every value beside its number."""

    unit: str
    document: str
    """A key of the file's `documents`."""
    place: str
    """Section, table or page."""
    state: ValueOrigin
    note: str = ""


class SourcedNumber(_StatedValue):
    """One number."""

    value: Annotated[float, Field(strict=True)]
    spread: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Half of the 95 % interval over the value; None: the usual spread of values of this state."""

    @property
    def si(self) -> float:
        """The number in its SI unit."""
        return self.value * _FACTORS[self.unit]

    @property
    def text(self) -> str:
        """Number and unit, as in "8 mA"."""
        return f"{self.value:g}" + ("" if self.unit == "1" else f" {self.unit}")


class Lengths(_StatedValue):
    """Several lengths in bytes, the usual one first."""

    value: list[int]

    @property
    def text(self) -> str:
        """The numbers and the unit, as in "4, 8 byte"."""
        return f"{', '.join(map(str, self.value))} {self.unit}"


def _of(dimension: str, *, positive: bool = False) -> AfterValidator:
    """A check that a value has a unit of the dimension, and is 0 or more, or `positive`."""

    def check(number: SourcedNumber) -> SourcedNumber:
        units = _UNITS[dimension]
        if number.unit not in units:
            raise ValueError(
                f"the unit '{number.unit}' is no unit of {dimension} (take {', '.join(units)})"
            )
        if not 0 <= number.value < math.inf:
            raise ValueError(
                f"{number.text} is negative" if number.value < 0 else "it is no number"
            )
        if positive and number.value == 0:
            raise ValueError("it is 0, and must be more")
        if number.value and not _LEAST <= number.si <= _MOST:
            raise ValueError(f"{number.text} is out of all proportion")
        return number

    return AfterValidator(check)


def _whole(number: SourcedNumber) -> SourcedNumber:
    if number.value != int(number.value):
        raise ValueError(f"{number.text} is no whole number of bytes")
    return number


def _at_most_all(number: SourcedNumber) -> SourcedNumber:
    if number.si > 1:
        raise ValueError(f"{number.text} is more than the whole")
    return number


def _at_least_once(number: SourcedNumber) -> SourcedNumber:
    if not 1 <= number.value <= _MOST_TIMES:
        raise ValueError(f"it is {number.text}, and must be from 1 to {_MOST_TIMES:g}")
    return number


def _lengths(lengths: Lengths) -> Lengths:
    if lengths.unit != "byte":
        raise ValueError(f"the unit '{lengths.unit}' is no unit of lengths (take byte)")
    if not lengths.value or min(lengths.value) < 0:
        raise ValueError("it needs one length at least, and none is negative")
    return lengths


Current = Annotated[SourcedNumber, _of("current")]
WorkingCurrent = Annotated[SourcedNumber, _of("current", positive=True)]
"""Current of a working part, which is above 0."""
Voltage = Annotated[SourcedNumber, _of("voltage", positive=True)]
Frequency = Annotated[SourcedNumber, _of("frequency", positive=True)]
Time = Annotated[SourcedNumber, _of("time")]
Energy = Annotated[SourcedNumber, _of("energy", positive=True)]
Charge = Annotated[SourcedNumber, _of("charge", positive=True)]
CurrentPerClock = Annotated[SourcedNumber, _of("current for a clock")]
Rate = Annotated[SourcedNumber, _of("bit rate", positive=True)]
Bytes = Annotated[SourcedNumber, _of("number of bytes"), AfterValidator(_whole)]
Fraction = Annotated[SourcedNumber, _of("share", positive=True)]
FractionPerYear = Annotated[SourcedNumber, _of("share of a year")]
ShareOrNone = Annotated[SourcedNumber, _of("share"), AfterValidator(_at_most_all)]
"""A share from none to the whole."""
Times = Annotated[SourcedNumber, _of("number"), AfterValidator(_at_least_once)]
"""How often something is done, on average: once or more."""
NumberPerYear = Annotated[SourcedNumber, _of("number a year")]
Symbols = Annotated[SourcedNumber, _of("number of symbols", positive=True)]
Years = Annotated[SourcedNumber, _of("number of years", positive=True)]
BytesList = Annotated[Lengths, AfterValidator(_lengths)]


class DataSheet(PlanningRecord):
    """The keys that every planning file has."""

    id: str
    """Also the file's name without `.toml`."""
    title: str
    documents: dict[str, str] = Field(default_factory=dict)
    """Key -> title of a document, with publisher, revision and year as far as known."""
    notes: list[str] = Field(default_factory=list)
    """Sentences for everybody who uses the file."""

    @model_validator(mode="after")
    def _documents_are_named(self) -> DataSheet:
        for path, sourced in sourced_values(self):
            if sourced.document not in self.documents:
                raise ValueError(
                    f"{path}: there is no document '{sourced.document}' in [documents]"
                )
        return self


def sourced_values(part: Any, path: str = "") -> Iterator[tuple[str, SourcedNumber | Lengths]]:
    """Every value of a file or of a part of it, with its dotted path."""
    if isinstance(part, SourcedNumber | Lengths):
        yield path, part
    elif isinstance(part, BaseModel | dict):
        for name, item in dict(part).items():
            yield from sourced_values(item, f"{path}.{name}" if path else name)
    elif isinstance(part, list):
        for place, item in enumerate(part):
            yield from sourced_values(item, f"{path}[{place}]")
