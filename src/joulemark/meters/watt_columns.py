# SPDX-License-Identifier: Apache-2.0
"""The columns of a file of watts: how words are separated, and which words are time and power.

A header names its columns with their units: `time_s`, `time_ms`, `time_us`, `time_ns`, `epoch_s`,
`monotonic_ns`, `timestamp` (ISO 8601), `power_w`, `power_mw`, `power_uw`, `watts`, `voltage_v`,
`voltage_mv`, `volts`, `current_a`, `current_ma`, `current_ua`, `amperes`. "Power (mW)" is the same
as `power_mw`. Words before such a name, as in "Arc Main Current (A)", are passed over where no
other column has the bare name; two columns that are then alike are refused.

Semicolons, tabs or commas separate. Where semicolons or tabs do, commas are decimal signs.

Exports of instruments whose headers leave out a unit:
    - Qoitech Otii: "Timestamp" beside a current of an "Arc" or "Ace" is in seconds;
    - Joulescope, statistics to a file (joulescope_ui 0.9 and 1.x): its first line is a comment,
      "#time,current,voltage,power,charge,energy", in SI units.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

MISSING: Final = {"nan", "+nan", "-nan", "null", "none", "na", "n/a"}
"""Words of instruments for a number that they do not have."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_SCALES: Final = {"": 1.0, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_TIME_NS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_TIME_WORD: Final = "(?:time|timestamp|datetime|date|t|unix|epoch|monotonic)"
_TIME: Final = rf"({_TIME_WORD}(?:_{_TIME_WORD}){{0,2}})(?:_(s|ms|us|ns))?"
_POWER: Final = r"(?:power|p)_([kmun]?)w|(?:power_)?(kilo|milli|micro)?watts?"
_VOLTS: Final = r"(?:voltage|u|v)_([mu]?)v|(milli)?volts?"
_AMPERES: Final = r"(?:current|i)_([mun]?)a|(milli|micro)?(?:amperes?|amps?)"
_OTII: Final = re.compile(r"(?:arc|ace)_.*")
_JOULESCOPE: Final = ["time", "current", "voltage", "power", "charge", "energy"]


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that time and power are read from, counted from 0."""

    separator: str
    count: int
    """Words in a line."""
    time: int | None
    """None where samples are stamped on arrival."""
    unit_ns: int
    """Nanoseconds in one unit of time; 0 where the header states no unit, so that stamps must be
    ISO 8601."""
    clock: str | None
    """`epoch` or `monotonic` where the header names the clock."""
    factors: tuple[tuple[int, float], ...]
    """Columns whose numbers multiply to the power, each with the scale to its SI unit: watts, or
    volts and amperes, or amperes alone."""
    lacks_voltage: bool = False
    """Whether the factors are amperes alone."""

    @property
    def last(self) -> int:
        """The last column that a line must have."""
        return max(self.time or 0, *(column for column, _ in self.factors))


class Numbers:
    """Reads the numbers of one file, and remembers their decimal signs."""

    def __init__(self) -> None:
        self._signs: dict[int, str] = {}
        """Column -> the decimal sign of its numbers so far."""

    def plain(self, word: str, column: int, columns: Columns) -> str | None:
        """A word as a number with a decimal point; None if it is no number."""
        sign = next((sign for sign in ",." if sign in word), None)
        if sign == "," and columns.separator == ",":
            return None
        plain = word.replace(",", ".")
        if not _NUMBER.fullmatch(plain):
            return None
        if sign is not None and self._signs.setdefault(column, sign) != sign:
            raise ValueError("and numbers above it have another decimal sign")
        return plain


def separator_of(line: str) -> str:
    """The sign that separates the words of a line, outside of quotes."""
    bare = re.sub(r'"[^"]*"', "", line)
    return next((sign for sign in ";\t" if sign in bare), ",")


def split_words(line: str, separator: str) -> list[str]:
    """The words of a line, without the space and quotes around them."""
    words = line.split(separator)
    if '"' in line:
        # A line end in the middle is such an error: the plain words are then refused.
        with suppress(csv.Error):
            words = next(csv.reader([line], delimiter=separator, skipinitialspace=True), words)
    return [word.strip().strip('"') for word in words]


def is_header(words: Sequence[str]) -> bool:
    """Whether some word is text other than the words for a missing or an infinite number."""
    return any(
        re.match(r"[^\W\d_]", word) and word.lower() not in MISSING | {"inf", "infinity"}
        for word in words
    )


def unnamed(line: str) -> Columns | None:
    """The columns of lines without a header, by their number; None for a number without meaning."""
    separator = separator_of(line)
    count = len(split_words(line, separator))
    factors: dict[int, tuple[tuple[int, float], ...]] = {
        1: ((0, 1.0),),
        2: ((1, 1.0),),
        3: ((1, 1.0), (2, 1.0)),
    }
    if count not in factors:
        return None
    return Columns(separator, count, None if count == 1 else 0, 10**9, None, factors[count])


def columns_of(header: str) -> Columns | None:
    """The columns that a header names; None if it names neither a power nor a current."""
    separator = separator_of(header)
    words = split_words(header.lstrip("#"), separator)
    names = [_plain(word) for word in words]
    if header.startswith("#") and names[: len(_JOULESCOPE)] == _JOULESCOPE:
        watts = (_JOULESCOPE.index("power"), 1.0)
        return Columns(separator, len(words), 0, 10**9, None, (watts,))
    power, volts, amperes = (_find(names, pattern) for pattern in (_POWER, _VOLTS, _AMPERES))
    named = [power] if power else [volts, amperes]
    factors = tuple((found[0], _scale(found[1])) for found in named if found)
    if not power and not amperes:
        return None
    columns = Columns(
        separator, len(words), None, 10**9, None, factors, lacks_voltage=not power and not volts
    )
    time = _find(names, _TIME)
    if time is None:
        return columns
    index, match = time
    clock = "monotonic" if "monotonic" in match[1] else None
    clock = "epoch" if "epoch" in match[1] or "unix" in match[1] else clock
    otii = any(_OTII.fullmatch(names[column]) for column, _ in factors)
    unit_ns = _TIME_NS[match[2]] if match[2] else 10**9 if otii else 0
    return replace(columns, time=index, unit_ns=unit_ns, clock=clock)


def _plain(word: str) -> str:
    """A name with its unit in small letters, with `_` for all other signs."""
    micro = word.lower().replace("\u00b5", "u").replace("\u03bc", "u")
    return re.sub(r"[^a-z0-9]+", "_", micro).strip("_")


def _find(names: Sequence[str], pattern: str) -> tuple[int, re.Match[str]] | None:
    """The column of a name: the first bare one, else the only one with words before it."""
    for prefix, most in (("", len(names)), ("(?:[a-z0-9]+_)+", 1)):
        matches = [
            (index, re.fullmatch(f"{prefix}(?:{pattern})", name))
            for index, name in enumerate(names)
        ]
        found = [(index, match) for index, match in matches if match]
        if len(found) > most:
            alike = ", ".join(names[index] for index, _ in found)
            raise ValueError(f"{alike}, and not which of these to take")
        if found:
            return found[0]
    return None


def _scale(match: re.Match[str]) -> float:
    prefix = next((group for group in match.groups() if group), "")
    return _SCALES[{"kilo": "k", "milli": "m", "micro": "u"}.get(prefix, prefix)]
