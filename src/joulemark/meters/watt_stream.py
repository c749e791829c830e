# SPDX-License-Identifier: Apache-2.0
"""Lines of watts with stamps become energy: the pure part of the meter `external`.

Forms of a line: `watts` (stamped on arrival), `time,watts`, `time,volts,amperes`; or any columns
under a header that names them with their units (`joulemark.meters.watt_columns`). A line with more
words than its header, or than the first line, is refused: its commas may be decimal signs where
commas separate. Blank lines and lines that begin with # are passed over, but for a comment that
names other columns than those that are read. A line without its newline is not yet complete.

Energy between two samples is the mean of both powers times the time between their stamps
(trapezoid), added exactly: nanowatts times nanoseconds are integers of 1e-18 J. Samples that
arrived together are spread evenly over the time since the arrival before. Samples under one stamp
are spread evenly over the time to the next stamp; those of the first and the last stamp do not
count where several share one, since they may be of a part of that time.

A break is a sample that is not a number (an instrument writes NaN where its bus lost data), or a
gap longer than 5 sample periods. The period is the median of the last 32 intervals, or fewer,
before the gap. Nothing is added across a break; `breaks` counts them. Any other line that cannot be
understood, or a stamp before the last stamp, ends the stream for good.

A power below zero is the noise of an instrument whose load takes nothing, if it is at most 1 mW or
5 % of the highest power so far below. It counts as it is, since noise that counts above zero alone
would add up. A power further below zero is a break, since leads may be swapped.
"""

from __future__ import annotations

import math
from collections import deque
from decimal import Decimal
from statistics import median
from typing import Final

from joulemark.meters import MeterError
from joulemark.meters.watt_columns import (
    ROUNDED,
    Columns,
    Numbers,
    commented_header,
    iso_ns,
    learnt,
    names_columns,
    separator_of,
    split_words,
)
from joulemark.records.energy_window import Fault
from joulemark.units import format_count

GAP_PERIODS: Final = 5
INTERVALS_NEEDED: Final = 5
"""Intervals between stamps after which the period, and so the length of a gap, is known."""
_INTERVALS_KEPT: Final = 32
_LONGEST_LINE: Final = 4096
_BLANK: Final = " \r\n"
_POWER_MAX_W: Final = 1e9
_STAMP_MAX_NS: Final = 2**63
_NEAR_ZERO: Final = 0.05
"""Part of the highest power that a zero point may be off by, noise included."""
_NEAR_ZERO_NW: Final = 10**6
"""The same where the highest power is small too: INA219 boards count 0.1 mA, 0.5 mW at 5 V."""
_YOUNGEST_EPOCH_NS: Final = 10**18
"""September 2001. An earlier stamp was counted from some other moment."""
RECORDED: Final = "recording"
"""Clock of stamps that are only compared with one another, in a recording that is read whole."""
_SWAPPED: Final = "swap the leads, or correct the zero point"
_LONGEST_STAMP: Final = 60
_START: Final = (
    "if they count from the start of the recording, state it, as in start=2026-11-28T09:30:00Z, or "
    "read the whole file with: joulemark meter --recorded"
)


class WattStream:
    """Adds up energy from lines.

    Args:
        where: name of the source in messages.
        clock: `epoch`, `monotonic`, `arrival` or RECORDED; None: as the header or ISO stamps say.
        volts: supply voltage, for lines with a current alone.
        start_ns: moment on `clock` from which stamps count; None: they are on the clock.
    """

    def __init__(
        self,
        where: str,
        clock: str | None = None,
        *,
        volts: float | None = None,
        start_ns: int | None = None,
    ) -> None:
        self.where = where
        self.clock = clock
        self._volts = volts
        self._start_ns = start_ns
        self.lines = 0
        self.samples = 0
        self.breaks = 0
        """Gaps, missing samples and powers far below zero so far."""
        self.last_break = ""
        """What the last break was, to follow the name of the source."""
        self.below_zero: MeterError | None = None
        """The refusal of the last power far below zero; None without one."""
        self.stamp_ns = 0
        """Stamp of the newest complete sample, on `clock`."""
        self.covered_ns = 0
        """Time over which energy was added."""
        self.error: MeterError | None = None

        self._numbers = Numbers()
        self._highest_nw: int | None = None
        self._lowest_nw = 0
        self._columns: Columns | None = None
        self._comments: list[str] = []
        self._attojoules_twice = 0
        self._most_attojoules_twice = 0
        self._last_nw: int | None = None
        self._learnt = False
        self._intervals_ns: deque[int] = deque(maxlen=_INTERVALS_KEPT)
        self._batch: list[int | None] = []
        """Samples of the newest arrival; or those of the newest stamp, but for its first."""
        self._batch_ns: int | None = None
        self._begun = False
        """Whether a stamp came before the newest one, and no gap lies between."""
        self._arrived_ns: int | None = None

    @property
    def microjoules(self) -> int:
        """Energy since the first sample, breaks left out; it never falls.

        It is 0 before the third sample, which may show that the first interval does not count.
        """
        return 0 if self.samples < 3 else self._most_attojoules_twice // (2 * 10**12)

    @property
    def is_negative(self) -> MeterError | None:
        """The refusal of a source that has not said any power above zero; None for others."""
        if self._highest_nw is None or self._highest_nw >= 0:
            return None
        text = f"{self.where} says {self._highest_nw / 1e9:g} W at most: {_SWAPPED}"
        return MeterError(Fault.UNREADABLE, text)

    @property
    def joules(self) -> float:
        """The same energy, with the parts of a microjoule."""
        return self._most_attojoules_twice / 2e18

    @property
    def period_ns(self) -> float | None:
        """Median interval of the latest samples; None before there are enough."""
        if len(self._intervals_ns) < INTERVALS_NEEDED:
            return None
        return median(self._intervals_ns)

    def line(self, text: str, arrived_ns: int | None = None) -> None:
        """Takes one complete line."""
        if self.error is not None:
            raise self.error
        self.lines += 1
        bare, columns = text.strip(), self._columns
        if (columns.separator if columns else separator_of(bare)) == "\t":
            # A tab at the start ends an empty first column.
            bare = text.strip(_BLANK) if columns and bare else text.rstrip().lstrip(_BLANK)
        try:
            self._take(bare.lstrip("\ufeff"), arrived_ns)
        except (MeterError, ValueError) as error:
            second = columns is not None and not bare.startswith("#") and names_columns(bare)
            said = "is a second header; keep one recording in a file" if second else error
            self.error = said if isinstance(said, MeterError) else self._refusal(str(said))
            raise self.error from None

    def _refusal(self, text: str) -> MeterError:
        return MeterError(Fault.UNREADABLE, f"line {self.lines} of {self.where} {text}")

    def _take(self, text: str, arrived_ns: int | None) -> None:
        if len(text) > _LONGEST_LINE:
            raise self._refusal(f"is longer than {_LONGEST_LINE} characters; is it text at all?")
        if not text or (text.startswith("#") and self._is_comment(text)):
            return
        if self._columns is None and self._learn(text):
            return
        columns = self._columns
        assert columns is not None
        words = split_words(text, columns.separator)
        while len(words) > columns.count and not words[-1]:
            words.pop()
        if len(words) <= columns.last:
            raise self._refusal(f"has {len(words)} columns, which is too few: '{text[:40]}'")
        if len(words) > columns.count:
            under = format_count(columns.count, "column")
            raise self._refusal(
                f"has {len(words)} words under {under}: '{text[:40]}'; if its commas are decimal "
                "signs, separate columns with semicolons or tabs"
            )
        nanowatts = self._nanowatts(words, columns)
        if columns.time is None and self.clock not in {None, "arrival"}:
            given = "" if self.clock == RECORDED else f", but clock={self.clock} was given"
            given = f"{columns.without_unit}{given}"
            raise self._refusal(f"has no time{given}; name the columns like time_s,power_w")
        if self.clock == "arrival" or columns.time is None:
            if arrived_ns is None:
                raise self._refusal(
                    f"has no time of its own{columns.without_unit} and no known arrival; record "
                    "`time_s,power_w`, or give a pipe or a serial port"
                )
            self.clock = "arrival"
            self._arrival(arrived_ns, nanowatts)
        else:
            stamp_ns, word = self._stamp(words, columns.time, columns), words[columns.time]
            self._stamped(stamp_ns, nanowatts, word)

    def _is_comment(self, text: str) -> bool:
        """Whether a line is a comment, and no header such as Joulescope's before the samples."""
        header = commented_header(text)
        if self._columns is None:
            self._comments.append(text)
            return not header
        if header and header != self._columns:
            raise self._refusal(f"names other columns than the lines above: '{text[:40]}'")
        return True

    def _learn(self, text: str) -> bool:
        """Sets the columns; True if the line was their header."""
        columns, header = learnt(text, self._comments)
        self._columns = columns
        if columns.lacks_voltage and self._volts is None:
            raise self._refusal(
                "names no power with its unit, but a current alone; state the supply voltage, as "
                f"in external:{self.where},voltage=3.3"
            )
        if self._volts is not None and not columns.lacks_voltage:
            raise self._refusal(
                "does not name a current alone, so no voltage is needed; leave out voltage="
            )
        pair = not header and (columns.separator, columns.count) == (",", 2)
        if pair and self.clock == "arrival":
            raise self._refusal(
                f"may be a time and watts, or one number with a decimal comma: '{text[:40]}'; let "
                "a first line name the columns"
            )
        return header

    def _nanowatts(self, words: list[str], columns: Columns) -> int | None:
        numbers = [
            (self._numbers.amount(words[column], column, columns), scale)
            for column, scale in columns.factors
        ]
        amounts = [number * scale for number, scale in numbers if number is not None]
        if len(amounts) < len(numbers):
            return None
        watts = math.prod(amounts) * (self._volts if columns.lacks_voltage and self._volts else 1.0)
        if not -_POWER_MAX_W <= watts <= _POWER_MAX_W:
            raise self._refusal(f"says {watts:g} W, which is no possible power")
        return round(watts * 1e9)

    def _stamp(self, words: list[str], column: int, columns: Columns) -> int:
        """Nanoseconds on the stream's clock, without the rounding of a float."""
        word = words[column]
        short = len(word) <= _LONGEST_STAMP
        amount = self._numbers.plain(word, column, columns) if short else None
        clock = columns.clock
        if amount is not None and not columns.unit_ns:
            raise self._refusal("has a time whose unit the header does not name; write time_s")
        if amount is not None:
            stamp_ns = int(Decimal(amount) * columns.unit_ns)
        else:
            clock, stamp_ns = "epoch", iso_ns(word)
        if self._start_ns is not None:
            if clock is not None:
                raise self._refusal("is stamped by a clock, so its stamps have no start=")
            stamp_ns += self._start_ns
        self._agree(clock)
        relative = self._start_ns is None and self.clock == "epoch" and amount is not None
        if relative and stamp_ns < _YOUNGEST_EPOCH_NS:
            raise self._refusal(
                f"is stamped '{word[:30]}', long before 2001, so its stamps are not of the wall "
                f"clock; {_START}"
            )
        if self.clock != RECORDED and not 0 <= stamp_ns < _STAMP_MAX_NS:
            raise self._refusal(f"is stamped '{word[:30]}', which is no possible time")
        return stamp_ns

    def _agree(self, clock: str | None) -> None:
        """One clock for the whole stream: the user's, the header's, or that of ISO stamps."""
        if self.clock == RECORDED:
            return
        if clock is not None and self.clock is not None and clock != self.clock:
            raise self._refusal(f"is stamped by clock {clock}, but clock={self.clock} was given")
        self.clock = self.clock or clock
        if self.clock is None:
            raise self._refusal(
                "has stamps of an unknown clock; add clock=epoch or clock=monotonic to the meter; "
                f"{_START}"
            )

    def _arrival(self, arrived_ns: int, nanowatts: int | None) -> None:
        """Holds samples until the next arrival; those of one arrival are spread evenly."""
        if arrived_ns != self._batch_ns:
            self.flush()
            self._batch_ns = arrived_ns
        self._batch.append(nanowatts)

    def flush(self) -> None:
        """Counts the samples of the newest arrival, which is complete."""
        if self.clock != "arrival" or self._batch_ns is None:
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

    def _stamped(self, stamp_ns: int, nanowatts: int | None, word: str) -> None:
        """Counts the first sample of a stamp at once, and the others when the next stamp comes."""
        if stamp_ns == self._batch_ns:
            if ROUNDED.match(word):
                raise self._refusal(
                    f"is stamped '{word[:30]}' as the line before, which is a rounded time; write "
                    "all its digits"
                )
            self._batch.append(nanowatts)
            if self.samples == 2:
                # The only sample of the first stamp was taken just before the second stamp.
                self._attojoules_twice = self._most_attojoules_twice = self.covered_ns = 0
                self._intervals_ns.clear()
            return
        first_ns, more, begun = self._batch_ns, len(self._batch), self._begun
        self._batch_ns, self._begun = stamp_ns, first_ns is not None
        if first_ns is not None and more:
            interval_ns = stamp_ns - first_ns
            if begun and self._is_gap(interval_ns - round(more * (self.period_ns or 0))):
                self._gap()
            elif begun:
                for index, held in enumerate(self._batch, 1):
                    self._sample(first_ns + interval_ns * index // (more + 1), held)
            else:
                self._last_nw = None
            self._batch.clear()
        self._sample(stamp_ns, nanowatts)

    def _gap(self) -> None:
        """A break after which the source may run at another rate; it is learnt again."""
        self._break()
        self._begun = False
        self._intervals_ns.clear()
        self._learnt = False

    def _sample(self, stamp_ns: int, nanowatts: int | None) -> None:
        if nanowatts is None:
            self._break()
            return
        highest_nw = self._highest_nw
        self._highest_nw = nanowatts if highest_nw is None else max(highest_nw, nanowatts)
        if nanowatts < -max(_NEAR_ZERO_NW, _NEAR_ZERO * self._highest_nw):
            said = f"says {nanowatts / 1e9:g} W in line {self.lines}: {_SWAPPED}"
            self.below_zero = MeterError(Fault.UNREADABLE, f"{self.where} {said}")
            self._break(said)
            return
        self._lowest_nw = min(self._lowest_nw, nanowatts)
        interval_ns = stamp_ns - self.stamp_ns
        if self.samples and interval_ns < 0:
            raise self._refusal("is stamped earlier than the line before; was the clock set back?")
        if self._last_nw is not None:
            if self._is_gap(interval_ns):
                self._gap()
            else:
                self._add((self._last_nw + nanowatts) * interval_ns, interval_ns)
                if interval_ns:
                    self._intervals_ns.append(interval_ns)
        self._last_nw = nanowatts
        self.stamp_ns = stamp_ns
        self.samples += 1
        if not self._learnt and self.period_ns is not None:
            # No period was known to judge the first intervals by, so they are judged now.
            self._learnt = True
            if self._is_gap(max(self._intervals_ns)):
                self.breaks += 1
                self.last_break = "has a gap among its first samples"

    def _add(self, attojoules_twice: int, interval_ns: int) -> None:
        """Adds the energy of an interval, which noise around zero may have made negative."""
        self.covered_ns += interval_ns
        self._attojoules_twice += attojoules_twice
        self._most_attojoules_twice = max(self._most_attojoules_twice, self._attojoules_twice)
        # A zero point that is too low for long must not eat up the energy of a later load.
        least = self._most_attojoules_twice + 2 * _INTERVALS_KEPT * self._lowest_nw * interval_ns
        self._attojoules_twice = max(self._attojoules_twice, least)

    def _is_gap(self, interval_ns: int) -> bool:
        period_ns = self.period_ns
        return period_ns is not None and interval_ns > GAP_PERIODS * period_ns

    def _break(self, what: str | None = None) -> None:
        self.last_break = what or f"has a gap or a missing sample before line {self.lines}"
        self.breaks += 1
        self._last_nw = None
