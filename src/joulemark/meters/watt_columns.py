# SPDX-License-Identifier: Apache-2.0
"""The columns of a file of watts: how words are separated, and which words are time and power.

A header names its columns with their units: `time_s`, `time_ms`, `time_us`, `time_ns`, `epoch_s`,
`monotonic_ns`, `timestamp` (ISO 8601), `power_w`, `power_mw`, `power_uw`, `watts`, `voltage_v`,
`voltage_mv`, `volts`, `current_a`, `current_ma`, `current_ua`, `amperes`. "Power (mW)" is the same
as `power_mw`. Words before such a name, as in "Arc Main Current (A)", are passed over where no
other column has the bare name; two columns that are then alike are refused. So are a bare name
beside a second channel, as in `current_ma,current2_ma`, and MW, which may be mega or milli. A
column whose words say that it is no measured amount ("Set Current", "Max Power", "Alarm Power") is
left out. A bare voltage and a bare current go before a power with words before it. Volts of one
channel are never multiplied by amperes of another, nor volts by amperes of alternating current,
which shows by RMS or AC, a frequency, a phase angle, a power factor, or an active or apparent power
without watts.

Semicolons, tabs or commas separate. Where semicolons or tabs do, commas are decimal signs. A number
such as `40.590` or `40,590`, whose sign may separate thousands, is refused where another column has
the other sign and no number shows that this one is decimal.

Exports of instruments whose headers leave out a unit:
    - Qoitech Otii: "Timestamp" beside a current of an "Arc" or "Ace" is in seconds;
    - Joulescope, statistics to a file (joulescope_ui 0.9 and 1.x): its first line is a comment,
      "#time,current,voltage,power,charge,energy", in SI units.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

MISSING: Final = {"nan", "+nan", "-nan", "null", "none", "na", "n/a"}
"""Words of instruments for a number that they do not have."""
ROUNDED: Final = re.compile(r"[+-]?[\d.,]{1,11}e", re.ASCII | re.IGNORECASE)
"""Beginning of a stamp such as 1.76433e+09, which leaves out the seconds."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_SCALES: Final = {"": 1.0, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_TIME_NS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_TIME_WORD: Final = "(?:time|timestamp|datetime|date|t|unix|epoch|monotonic)"
_TIME: Final = rf"(?P<name>{_TIME_WORD}(?:_{_TIME_WORD}){{0,2}})(?:_(?P<unit>s|ms|us|ns))?"
_LIKE_TIME: Final = re.compile(
    r"(?:.*_)?(?:(?:run|up|date)?time|timestamp|date|elapsed|duration)(?:_.*)?|[tsh]|t_.*|"
    r"(?:unix|epoch|monotonic)_.*|(?:(?:milli|micro|nano)?sec(?:ond)?|minute|hour|hr|day)s?|mins"
)
"""Names of columns that people write for a time, in whatever unit."""
_POWER: Final = r"(?:power|p)_([kmun]?)w|(?:power_)?(kilo|milli|micro)?watts?"
_VOLTS: Final = r"(?:voltage|u|v)_([mu]?)v|(milli)?volts?"
_AMPERES: Final = r"(?:current|i)_([mun]?)a|(milli|micro)?(?:amperes?|amps?)"
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""A number whose sign may separate thousands."""
_NOT_MEASURED: Final = re.compile(
    r"(?:.*_)?(?:max|maximum|min|minimum|peak|set|setpoint|limit|target|rated|nominal|expected|"
    r"reference|reactive|apparent|shunt|burden|ovp|ocp|opp|error|std|stddev|alarm|alert|threshold|"
    r"trigger|noise|uncertainty|tolerance|deviation|accuracy|resolution|saved|savings?|predicted|"
    r"forecast|estimated)_.*"
)
"""Words before a name whose column is a setting, an extreme, a part, a spread or a forecast of the
amount."""
_NO_BLANKS: Final = "blanks separate no columns; write commas, semicolons or tabs between them"
_ALTERNATING: Final = re.compile(
    r".*power_factor|(?:.*_)?pf|cos_?(?:phi|\u03c6)|.*_[km]?(?:va|var)|"
    r"(?:.*_)?(?:re)?active_power(?:_.*)?|(?:.*_)?(?:apparent|real|true)_power(?:_.*)?|"
    r"(?:.*_)?(?:ac|t?rms|[vui]rms)_(?:voltage|current|volts?|amps?|amperes?|[vui])(?:_.*)?|"
    r"(?:.*_)?(?:voltage|current|[vui])_(?:ac|t?rms)(?:_.*)?|"
    r"(?:.*_)?(?:[vuia]rms|vac|aac)(?:_[kmu]?[va])?|"
    r"(?:(?:ac|line|mains|grid|supply|input|voltage|current|[vui])_)*(?:freq(?:uency)?(?:_hz)?|f_hz)|"
    r"hz|(?:.*_)?phase_(?:angle|shift)(?:_.*)?|phase_(?:deg|degrees|rad)|phi(?:_.*)?"
)
"""Names of columns that instruments for alternating current write. "Frequency (MHz)" is a clock,
and "Phase" alone may be a part of a program."""
_NUMBERED: Final = re.compile(
    r"(power|p|voltage|u|v|current|i)_?(\d+)(?=_)|(.+_[kmun]?[wva])_(\d+)$"
)
"""A name with a channel's number behind it, as in `current2_ma` and `current_ma_2`."""
_PREFIXED: Final = re.compile(
    r"(?<![0-9])_(?:[mun]s(?:ec)?|[kmun]w|[mu]v|[mun]a|(?:kilo|milli|micro|nano)"
    r"(?:s|seconds?|watts?|volts?|amps?|amperes?))_"
)
"""A unit with a prefix among the words of a comment, without a number before it."""
_QUANTITIES: Final = re.compile(
    r"(?:.*_)?(?:time|timestamp|t|s|sec|seconds?|power|p|w|watts?|voltage|u|v|volts?|current|i|a|"
    r"amps?|amperes?)(?:_.*)?"
)
"""A word of a comment that names a quantity or a unit."""
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
    without_unit: str = ""
    """Half a sentence on a column that seems to be the time and is not read; else empty."""

    @property
    def last(self) -> int:
        """The last column that a line must have."""
        return max(self.time or 0, *(column for column, _ in self.factors))


class Numbers:
    """Reads the numbers of one file, and remembers their decimal signs."""

    def __init__(self) -> None:
        self._signs: dict[int, str] = {}
        """Column -> the decimal sign of its numbers so far."""
        self._decimal: set[str] = set()
        """Signs of numbers in which they cannot separate thousands."""

    def plain(self, word: str, column: int, columns: Columns) -> str | None:
        """A word as a number with a decimal point; None if it is no number."""
        sign = next((sign for sign in ",." if sign in word), None)
        if sign == "," and columns.separator == ",":
            return None
        plain = word.replace(",", ".")
        if not _NUMBER.fullmatch(plain):
            return None
        if sign is None:
            return plain
        if self._signs.setdefault(column, sign) != sign:
            raise ValueError(f"says '{word[:20]}', and numbers above it have another decimal sign")
        if not _THOUSANDS.fullmatch(word):
            self._decimal.add(sign)
        signs = set(self._signs.values())
        doubtful = signs - self._decimal
        if doubtful and len(signs) > 1:
            other = "and" if sign not in doubtful else "in which"
            raise ValueError(
                f"says '{word[:20]}', {other} '{min(doubtful)}' may separate thousands, since "
                "other columns have another decimal sign; write all numbers alike"
            )
        return plain

    def amount(self, word: str, column: int, columns: Columns) -> float | None:
        """A finite number; None where the instrument says that its number is missing."""
        if not word or word.lower() in MISSING:
            return None
        plain = self.plain(word, column, columns)
        if plain is None:
            several = any(map(str.isspace, word)) and all(map(_NUMBER.fullmatch, word.split()))
            blanks = f"several numbers: {_NO_BLANKS}" if several else "no number"
            raise ValueError(f"says '{word[:20]}', which is {blanks}")
        value = float(plain)
        if not math.isfinite(value):
            raise ValueError(f"says '{word[:20]}', which is no possible amount")
        return value


def iso_ns(word: str) -> int:
    """Nanoseconds since 1970 of an ISO 8601 stamp with its time zone."""
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise ValueError(f"is stamped '{word[:30]}', which is no time") from None
    if moment.tzinfo is None:
        raise ValueError(f"is stamped '{word[:30]}' without time zone; end stamps with Z")
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1) * 1000


def decoded(line: bytes) -> str:
    """A line in UTF-8, or in code page 1252, in which older programs for Windows write."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


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


def learnt(line: str, comments: Sequence[str]) -> tuple[Columns, bool]:
    """The columns by the first line, and whether that line is their header."""
    words = split_words(line, separator_of(line))
    if not is_header(words):
        plain = _unnamed(line)
        hidden = next((text for text in comments if _names(text, plain)), None)
        if hidden is not None:
            raise ValueError(
                f"has no header above it but the comment '{hidden[:40]}', which may name other "
                "columns or units; remove its #, and name the columns like time_s,power_w"
            )
        return plain, False
    if len(words) == 1 and _by_blanks(words[0]):
        raise ValueError(f"names several columns, '{words[0][:40]}': {_NO_BLANKS}")
    columns = columns_of(line)
    if columns is None:
        raise ValueError(
            f"names no power with its unit: '{','.join(words)[:60]}'; name the columns like "
            "time_s,power_w or time_s,voltage_v,current_a"
        )
    return columns, True


def _unnamed(line: str) -> Columns:
    """The columns of lines without a header, by their number."""
    separator = separator_of(line)
    words = split_words(line, separator)
    count = len(words)
    if separator == "," and count == 3 and all(re.fullmatch(r"\d+", word) for word in words):
        raise ValueError(
            f"may be a time, volts and amperes, or two numbers of which one has a decimal comma: "
            f"'{line[:40]}'; let a first line name the columns"
        )
    amounts: dict[int, tuple[int, ...]] = {1: (0,), 2: (1,), 3: (1, 2)}
    if count not in amounts:
        raise ValueError(f"has {count} columns and no header line names them")
    factors = tuple((column, 1.0) for column in amounts[count])
    return Columns(separator, count, None if count == 1 else 0, 10**9, None, factors)


def columns_of(header: str) -> Columns | None:
    """The columns that a header names; None if it names neither a power nor a current."""
    separator = separator_of(header)
    words = split_words(header.lstrip("#"), separator)
    names = [_plain(word) for word in words]
    if header.startswith("#") and names[: len(_JOULESCOPE)] == _JOULESCOPE:
        watts = (_JOULESCOPE.index("power"), 1.0)
        return Columns(separator, len(words), 0, 10**9, None, (watts,))
    power = _find(names, _POWER)
    if power and not power.channel:
        volts = amperes = None
    else:
        volts, amperes = _find(names, _VOLTS), _find(names, _AMPERES)
    alternating = next(filter(_ALTERNATING.fullmatch, names), None)
    bare = volts and amperes and not volts.channel and not amperes.channel
    if power and power.channel and bare and not alternating:
        power = None
    if not power and not amperes:
        return None
    if power and "MW" in words[power.column]:
        raise ValueError(
            f"names '{words[power.column][:40]}', which may be megawatts or milliwatts; write "
            "power_kw or power_mw"
        )
    if not power and alternating:
        raise ValueError(
            f"names {'volts and ' if volts else ''}amperes beside {alternating}: of alternating "
            "current their product is no power; record watts"
        )
    channels = {found.channel for found in (volts, amperes) if found and found.channel}
    if not power and len(channels) > 1:
        both = " and ".join(found.name for found in (volts, amperes) if found)
        raise ValueError(f"names {both}, which are of two channels; keep one channel")
    named = [power] if power else [volts, amperes]
    factors = tuple((found.column, _scale(found.match)) for found in named if found)
    columns = Columns(
        separator, len(words), None, 10**9, None, factors, lacks_voltage=not power and not volts
    )
    time = _find(names, _TIME)
    if time is None:
        unread = [column for column in range(len(words)) if column not in dict(factors)]
        like = next((place for place in unread if _LIKE_TIME.fullmatch(names[place])), None)
        if like is None:
            return columns
        why = f", since '{words[like][:40]}' of its header is no name of a time in s, ms, us or ns"
        return replace(columns, without_unit=why)
    word, unit = time.match["name"], time.match["unit"]
    clock = "monotonic" if "monotonic" in word else None
    clock = "epoch" if "epoch" in word or "unix" in word else clock
    otii = any(_OTII.fullmatch(names[column]) for column, _ in factors)
    unit_ns = _TIME_NS[unit] if unit else 10**9 if otii else 0
    return replace(columns, time=time.column, unit_ns=unit_ns, clock=clock)


def _by_blanks(header: str) -> bool:
    """Whether blanks separate the names of a time and amounts; a unit in brackets is no name."""
    names = [_plain(word) for word in re.sub(r"\s+(?=[(\[])", "", header).split()]
    kinds = f"{_POWER}|{_VOLTS}|{_AMPERES}"
    amounts = [name for name in names if re.fullmatch(kinds, name)]
    return len(amounts) + (len(names) > 1 and bool(_LIKE_TIME.fullmatch(names[0]))) > 1


def names_columns(line: str) -> bool:
    """Whether a line is a header, also one that is refused for alike columns."""
    with suppress(ValueError):
        return columns_of(line) is not None
    return True


def commented_header(text: str) -> Columns | None:
    """The columns and time that a comment names, as Joulescope writes its header."""
    try:
        columns = columns_of(text)
    except ValueError:
        return None
    return columns if columns and columns.time is not None else None


def _names(comment: str, columns: Columns) -> bool:
    """Whether a comment says what columns are, and not just that they are as without a header.

    It does if it names a unit with a prefix, other than behind a number as in "every 10 ms"; or if
    it has as many words as a line, each of them a quantity or a unit.
    """
    text = re.sub(r"\bUS\b", "", comment.lstrip("# "))
    if _PREFIXED.search(f"_{_plain(text)}_"):
        return True
    usual = {1: "w", 2: "sw", 3: "sva"}[columns.count]
    for words in (split_words(text, columns.separator), text.split()):
        names = [_plain(word) for word in words]
        if len(names) == columns.count and all(map(_QUANTITIES.fullmatch, names)):
            return "".join(name.rpartition("_")[2][:1] for name in names) != usual
    return False


def _plain(word: str) -> str:
    """A name with its unit in small letters, with `_` for all that is no letter and no digit.

    Letters beyond ASCII stay, and so do signs for a letter that was lost: `(\u00e6A)` and `(?A)`,
    which were `(\u00b5A)` in another code page, are no `(A)`.
    """
    micro = word.lower().replace("\u00b5", "u").replace("\u03bc", "u")
    return re.sub(r"[^\w\ufffd?]+|_+", "_", micro).strip("_")


@dataclass(frozen=True, slots=True)
class _Found:
    """A column with the name and unit of a pattern."""

    column: int
    name: str
    match: re.Match[str]

    @property
    def channel(self) -> str:
        """The words before the bare name; empty without any."""
        return self.match["channel"] or ""


def _find(names: Sequence[str], pattern: str) -> _Found | None:
    """The column of a name: the bare one, else the only one with words before it.

    Of several bare times the first is taken. A bare name is that of the first channel where others
    have a number and none has the number 1, so nothing may be taken without the others.
    """
    whole = f"(?P<channel>(?:[^\\W_]+_)*?)(?:{pattern})"
    matches = [
        _Found(column, name, match)
        for column, name in enumerate(names)
        if (match := re.fullmatch(whole, _NUMBERED.sub(r"\2\4_\1\3", name)))
        and not _NOT_MEASURED.fullmatch(match["channel"])
    ]
    bare = [found for found in matches if not found.channel]
    numbers = {number for found in matches for number in re.findall(r"\d+(?=_$)", found.channel)}
    several = pattern != _TIME and (len(bare) > 1 or (numbers and not numbers & {"0", "1"}))
    if len(matches) > 1 and (several or not bare):
        alike = ", ".join(found.name for found in matches)
        raise ValueError(f"names {alike}, and not which of these to take; keep one of each kind")
    return next(iter(bare or matches), None)


def _scale(match: re.Match[str]) -> float:
    """The factor from a unit with its prefix, which is the only group without a name."""
    prefix = next((group for group in match.groups()[1:] if group), "")
    return _SCALES[{"kilo": "k", "milli": "m", "micro": "u"}.get(prefix, prefix)]
