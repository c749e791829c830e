# SPDX-License-Identifier: Apache-2.0
"""Lines of watts with stamps become energy: the pure part of the meter `external`.

Forms of a line: `watts` (stamped on arrival), `time,watts`, `time,volts,amperes`; or any columns
under a header that names them with their units: `time_s`, `time_ms`, `time_us`, `time_ns`,
`epoch_s`, `monotonic_ns`, `timestamp` (ISO 8601), `power_w`, `power_mw`, `power_uw`, `watts`,
`voltage_v`, `voltage_mv`, `volts`, `current_a`, `current_ma`, `current_ua`, `amperes`. "Power (mW)"
is the same as `power_mw`. Commas, semicolons and tabs separate. Blank lines and lines that begin
with # are passed over. A line without its newline is not yet complete.

Energy between two samples is the mean of both powers times the time between their stamps
(trapezoid), added exactly: nanowatts times nanoseconds are integers of 1e-18 J. Samples that
arrived together are spread evenly over the time since the arrival before.

A break is a sample that is not a number (an instrument writes NaN where its bus lost data), or a
gap longer than 5 sample periods. The period is the median of the last 32 intervals, or fewer,
before the gap. Nothing is added across a break; `breaks` counts them. Any other line that cannot be
understood, a negative power, or a stamp before the last stamp ends the stream for good.
"""

from __future__ import annotations

import math
import re
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Final

from joulemark.meters.contract import MeterError
from joulemark.records.domain import Fault

__all__ = [
    "GAP_PERIODS",
    "INTERVALS_NEEDED",
    "Columns",
    "WattStream",
    "columns_of",
    "split_columns",
]

GAP_PERIODS: Final = 5
INTERVALS_NEEDED: Final = 5
"""Intervals between stamps after which the period, and so the length of a gap, is known."""
_INTERVALS_KEPT: Final = 32
_LONGEST_LINE: Final = 4096
_POWER_MAX_W: Final = 1e9
_STAMP_MAX_NS: Final = 2**63
_SCALES: Final = {"": 1.0, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_TIME_NS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_TIME_WORD: Final = "(?:time|timestamp|datetime|date|t|unix|epoch|monotonic)"
_TIME: Final = re.compile(rf"({_TIME_WORD}(?:_{_TIME_WORD}){{0,2}})(?:_(s|ms|us|ns))?")
_POWER: Final = re.compile(r"(?:power|p)_([kmun]?)w|(?:power_)?(kilo|milli|micro)?watts?")
_VOLTS: Final = re.compile(r"(?:voltage|u|v)_([mu]?)v|(milli)?volts?")
_AMPERES: Final = re.compile(r"(?:current|i)_([mun]?)a|(milli|micro)?(?:amperes?|amps?)")
_MISSING: Final = {"nan", "+nan", "-nan", "null", "none", "na", "n/a"}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that time and power are read from, counted from 0."""

    time: int | None
    """None where samples are stamped on arrival."""
    unit_ns: int
    """Nanoseconds in one unit of time; 0 where the header states no unit, so that stamps must be
    ISO 8601."""
    clock: str | None
    """`epoch` or `monotonic` where the header names the clock."""
    factors: tuple[tuple[int, float], ...]
    """Columns whose numbers multiply to the power, each with the scale to its SI unit: watts, or
    volts and amperes."""


def split_columns(line: str) -> list[str]:
    """The words of a line, without the space and quotes around them."""
    return [word.strip().strip('"') for word in re.split(r"[,;\t]", line)]


def _is_header(words: list[str]) -> bool:
    """Whether some word is text other than the words for a missing or an infinite number."""
    return any(
        re.match(r"[^\W\d_]", word) and word.lower() not in _MISSING | {"inf", "infinity"}
        for word in words
    )


def _scale(match: re.Match[str]) -> float:
    prefix = next((group for group in match.groups() if group), "")
    return _SCALES[{"kilo": "k", "milli": "m", "micro": "u"}.get(prefix, prefix)]


def columns_of(words: list[str]) -> Columns | None:
    """The columns that a header names; None if it names no power."""
    names = [re.sub(r"[^a-z0-9]+", "_", word.lower().replace("µ", "u")).strip("_")
             for word in words]  # fmt: skip

    def first(pattern: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
        matches = ((index, pattern.fullmatch(name)) for index, name in enumerate(names))
        return next(((index, match) for index, match in matches if match), None)

    power = first(_POWER)
    named = [power] if power else [first(_VOLTS), first(_AMPERES)]
    factors = tuple((column[0], _scale(column[1])) for column in named if column)
    if len(factors) < len(named):
        return None
    time, unit_ns, clock = None, 0, None
    if (column := first(_TIME)) is not None:
        time, match = column
        unit_ns = _TIME_NS.get(match[2], 0)
        clock = "monotonic" if "monotonic" in match[1] else None
        clock = "epoch" if "epoch" in match[1] or "unix" in match[1] else clock
    return Columns(time, unit_ns, clock, factors)


_BY_COUNT: Final = {
    1: Columns(None, 10**9, None, ((0, 1.0),)),
    2: Columns(0, 10**9, None, ((1, 1.0),)),
    3: Columns(0, 10**9, None, ((1, 1.0), (2, 1.0))),
}
"""Number of columns -> their meaning where no header names them."""


class WattStream:
    """Adds up energy from lines.

    Args:
        where: name of the source in messages.
        clock: `epoch`, `monotonic` or `arrival`; None: as the header or ISO stamps say.
    """

    def __init__(self, where: str, clock: str | None = None) -> None:
        self.where = where
        self.clock = clock
        self.lines = 0
        self.samples = 0
        self.breaks = 0
        """Gaps and missing samples so far."""
        self.stamp_ns = 0
        """Stamp of the newest complete sample, on `clock`."""
        self.error: MeterError | None = None

        self._columns: Columns | None = None
        self._attojoules_twice = 0
        self._last_nw: int | None = None
        self._learnt = False
        self._intervals_ns: deque[int] = deque(maxlen=_INTERVALS_KEPT)
        self._batch: list[int | None] = []
        self._batch_ns: int | None = None
        self._arrived_ns: int | None = None

    @property
    def microjoules(self) -> int:
        """Energy since the first sample, breaks left out."""
        return self._attojoules_twice // (2 * 10**12)

    @property
    def period_ns(self) -> float | None:
        """Median interval of the latest samples; None before there are enough."""
        if len(self._intervals_ns) < INTERVALS_NEEDED:
            return None
        return median(self._intervals_ns)

    def line(self, text: str, arrived_ns: int | None = None) -> None:
        """Takes one complete line.

        Raises:
            MeterError: UNREADABLE; every later line raises the same error.
        """
        if self.error is not None:
            raise self.error
        self.lines += 1
        try:
            self._take(text.strip().lstrip("\ufeff"), arrived_ns)
        except MeterError as error:
            self.error = error
            raise

    def _refusal(self, text: str) -> MeterError:
        return MeterError(Fault.UNREADABLE, f"line {self.lines} of {self.where} {text}")

    def _take(self, text: str, arrived_ns: int | None) -> None:
        if len(text) > _LONGEST_LINE:
            raise self._refusal(f"is longer than {_LONGEST_LINE} characters; is it text at all?")
        if not text or text.startswith("#"):
            return
        words = split_columns(text)
        if self._columns is None and self._learn(words):
            return
        columns = self._columns
        assert columns is not None
        if len(words) <= max(columns.time or 0, *(column for column, _ in columns.factors)):
            raise self._refusal(f"has {len(words)} columns, which is too few: '{text[:40]}'")
        nanowatts = self._nanowatts(words, columns)
        if columns.time is None and self.clock not in {None, "arrival"}:
            raise self._refusal(f"has no time, but clock={self.clock} was given")
        if self.clock == "arrival" or columns.time is None:
            if arrived_ns is None:
                raise self._refusal(
                    "has no time of its own and no known arrival; record `time_s,power_w`, or "
                    "give a pipe or a serial port"
                )
            self.clock = "arrival"
            self._arrival(arrived_ns, nanowatts)
        else:
            self._sample(self._stamp(words[columns.time], columns), nanowatts)

    def _learn(self, words: list[str]) -> bool:
        """Sets the columns; True if the line was their header."""
        if _is_header(words):
            self._columns = columns_of(words)
            if self._columns is None:
                raise self._refusal(
                    f"names no power with its unit: '{','.join(words)[:60]}'; name the columns "
                    "like time_s,power_w or time_s,voltage_v,current_a"
                )
            return True
        self._columns = _BY_COUNT.get(len(words))
        if self._columns is None:
            raise self._refusal(f"has {len(words)} columns and no header line names them")
        return False

    def _number(self, word: str) -> float | None:
        """A finite number; None where the instrument says that its number is missing."""
        if not word or word.lower() in _MISSING:
            return None
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", word, re.ASCII):
            raise self._refusal(f"says '{word[:20]}', which is no number")
        value = float(word)
        if not math.isfinite(value):
            raise self._refusal(f"says '{word[:20]}', which is no possible amount")
        return value

    def _nanowatts(self, words: list[str], columns: Columns) -> int | None:
        numbers = [(self._number(words[column]), scale) for column, scale in columns.factors]
        amounts = [number * scale for number, scale in numbers if number is not None]
        if len(amounts) < len(numbers):
            return None
        watts = math.prod(amounts)
        if not -_POWER_MAX_W <= watts <= _POWER_MAX_W:
            raise self._refusal(f"says {watts:g} W, which is no possible power")
        if watts < 0:
            raise self._refusal(f"says {watts:g} W: swap the leads, or correct the zero point")
        return round(watts * 1e9)

    def _stamp(self, word: str, columns: Columns) -> int:
        """Nanoseconds on the stream's clock, without the rounding of a float."""
        match = re.fullmatch(r"(\d{1,19})(?:\.(\d{0,30}))?", word, re.ASCII)
        clock = columns.clock
        if match is not None and not columns.unit_ns:
            raise self._refusal("has a time whose unit the header does not name; write time_s")
        if match is not None:
            stamp_ns = int(match[1]) * columns.unit_ns
            part = match[2] or ""
            stamp_ns += int(part or "0") * columns.unit_ns // 10 ** len(part)
        else:
            clock, stamp_ns = "epoch", self._iso(word)
        self._agree(clock)
        if not 0 <= stamp_ns < _STAMP_MAX_NS:
            raise self._refusal(f"is stamped '{word[:30]}', which is no possible time")
        return stamp_ns

    def _iso(self, word: str) -> int:
        try:
            moment = datetime.fromisoformat(word)
        except ValueError:
            raise self._refusal(f"is stamped '{word[:30]}', which is no time") from None
        if moment.tzinfo is None:
            raise self._refusal(f"is stamped '{word[:30]}' without time zone; end stamps with Z")
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
        return since // timedelta(microseconds=1) * 1000

    def _agree(self, clock: str | None) -> None:
        """One clock for the whole stream: the user's, the header's, or that of ISO stamps."""
        if clock is not None and self.clock is not None and clock != self.clock:
            raise self._refusal(f"is stamped by clock {clock}, but clock={self.clock} was given")
        self.clock = self.clock or clock
        if self.clock is None:
            raise self._refusal(
                "has stamps of an unknown clock; add clock=epoch or clock=monotonic to the meter"
            )

    def _arrival(self, arrived_ns: int, nanowatts: int | None) -> None:
        """Holds samples until the next arrival; those of one arrival are spread evenly."""
        if arrived_ns != self._batch_ns:
            self.flush()
            self._batch_ns = arrived_ns
        self._batch.append(nanowatts)

    def flush(self) -> None:
        """Counts the samples of the newest arrival, which is complete."""
        if self._batch_ns is None:
            return
        count, before_ns = len(self._batch), self._arrived_ns
        for index, nanowatts in enumerate(self._batch, 1):
            if before_ns is not None:
                step_ns = (self._batch_ns - before_ns) * index // count
                self._sample(before_ns + step_ns, nanowatts)
            elif index == count:
                self._sample(self._batch_ns, nanowatts)
        self._arrived_ns, self._batch_ns = self._batch_ns, None
        self._batch.clear()

    def _sample(self, stamp_ns: int, nanowatts: int | None) -> None:
        if nanowatts is None:
            self._break()
            return
        interval_ns = stamp_ns - self.stamp_ns
        if self.samples and interval_ns < 0:
            raise self._refusal("is stamped earlier than the line before; was the clock set back?")
        if self._last_nw is not None:
            if self._is_gap(interval_ns):
                # After a gap the source may run at another rate; it is learnt again.
                self._break()
                self._intervals_ns.clear()
                self._learnt = False
            else:
                self._attojoules_twice += (self._last_nw + nanowatts) * interval_ns
                if interval_ns:
                    self._intervals_ns.append(interval_ns)
        self._last_nw = nanowatts
        self.stamp_ns = stamp_ns
        self.samples += 1
        if not self._learnt and self.period_ns is not None:
            # No period was known to judge the first intervals by, so they are judged now.
            self._learnt = True
            self.breaks += self._is_gap(max(self._intervals_ns))

    def _is_gap(self, interval_ns: int) -> bool:
        period_ns = self.period_ns
        return period_ns is not None and interval_ns > GAP_PERIODS * period_ns

    def _break(self) -> None:
        self.breaks += 1
        self._last_nw = None
