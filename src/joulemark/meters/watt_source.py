# SPDX-License-Identifier: Apache-2.0
"""The source of watts that the user names: a file, a named pipe or a serial port."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.contract import MeterError
from joulemark.records.domain import Fault

_CLOCKS: Final = ("epoch", "monotonic", "arrival")
_KEYS: Final = ("clock", "voltage", "start")
_NUMBER: Final = re.compile(r"\d{1,15}(?:[.,]\d{1,18})?", re.ASCII)
_HIGHEST_V: Final = 1000.0
_EARLIEST_EPOCH_S: Final = 10**9
"""September 2001: an earlier start is no moment of the wall clock."""


@dataclass(frozen=True, slots=True)
class Source:
    """The parts of the meter's argument; None for a part that it leaves out."""

    path: Path
    baud: int | None
    clock: str | None
    """The clock of the stamps: `epoch`, `monotonic` or `arrival`."""
    volts: float | None = None
    """Supply voltage, for an instrument that records a current alone."""
    start_ns: int | None = None
    """Moment on the clock from which the stamps count."""

    @staticmethod
    def parse(argument: str | None) -> Source:
        """Reads `PATH[@BAUD][,clock=...][,voltage=...][,start=...]`.

        Raises:
            UsageError: the argument is missing or has another form.
        """
        match = re.fullmatch(
            r"(.*?)(?:@([0-9]{1,8}))?((?:,[a-z]+=[^,=]*(?:,[0-9]+)?)*)", argument or "", re.DOTALL
        )
        if match is None or not match[1] or "\0" in match[1]:
            raise UsageError("external needs a file, pipe or serial port: external:watts.csv")
        settings: dict[str, str] = {}
        for key, value in re.findall(r",([a-z]+)=([^,=]*(?:,[0-9]+(?=,|$))?)", match[3]):
            if key not in _KEYS:
                raise UsageError(
                    f"external has no setting '{key}'; it takes {', '.join(_KEYS)}, as in "
                    "external:ppk2.csv,voltage=3.3"
                )
            if key in settings:
                raise UsageError(f"external has two settings '{key}'; give one")
            settings[key] = value
        clock, start = settings.get("clock"), settings.get("start")
        if clock is not None and clock not in _CLOCKS:
            raise UsageError(f"there is no clock '{clock}'; use epoch, monotonic or arrival")
        if start is not None and clock == "arrival":
            raise UsageError("samples that are stamped on arrival have no start=; leave one out")
        voltage = settings.get("voltage")
        return Source(
            Path(match[1]),
            int(match[2]) if match[2] else None,
            "epoch" if clock is None and start is not None else clock,
            None if voltage is None else _volts(voltage),
            None if start is None else _start_ns(start, clock or "epoch"),
        )

    def argument_at(self, path: Path) -> str:
        """The argument that reads the same samples from a file."""
        words = [str(path)]
        words += [] if self.clock is None else [f"clock={self.clock}"]
        words += [] if self.volts is None else [f"voltage={self.volts!r}"]
        if self.start_ns is not None:
            words.append(f"start={self.start_ns // 10**9}.{self.start_ns % 10**9:09d}")
        return ",".join(words)

    def mode(self) -> int:
        """File type and permissions.

        Raises:
            MeterError: VANISHED or PERMISSION.
        """
        try:
            mode = self.path.stat().st_mode
        except PermissionError:
            raise permission_error(self.path) from None
        except (OSError, ValueError):
            raise MeterError(Fault.VANISHED, f"{self.path} is not there") from None
        if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
            raise MeterError(Fault.UNREADABLE, f"{self.path} is no file, pipe or serial port")
        if not os.access(self.path, os.R_OK, effective_ids=True):
            raise permission_error(self.path)
        return mode


def permission_error(path: Path) -> MeterError:
    """The refusal of a file that this user may not read."""
    return MeterError(Fault.PERMISSION, f"{path} may not be read by this user (see ls -l)")


def _volts(text: str) -> float:
    """Volts of a setting such as 3.3, 3,3 or 3.3V."""
    number = re.sub(r" ?V$", "", text)
    volts = float(number.replace(",", ".")) if _NUMBER.fullmatch(number) else 0.0
    if not 0 < volts <= _HIGHEST_V:
        raise UsageError(f"voltage={text}: give volts above 0, up to {_HIGHEST_V:g}, as 3.3")
    return volts


def _start_ns(text: str, clock: str) -> int:
    """Nanoseconds on the clock at a start, which is a number of seconds or, for epoch, ISO 8601."""
    if _NUMBER.fullmatch(text):
        start_s = Decimal(text.replace(",", "."))
        if clock == "epoch" and start_s < _EARLIEST_EPOCH_S:
            raise UsageError(
                f"start={text} is long before 2001; give seconds since 1970, or a moment such as "
                "2026-11-28T09:30:00Z"
            )
        return int(start_s * 10**9)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or clock != "epoch":
        forms = (
            "a moment such as 2026-11-28T09:30:00Z, or seconds" if clock == "epoch" else "seconds"
        )
        raise UsageError(f"start={text} is no moment on the clock {clock}; give {forms}")
    if moment.tzinfo is None:
        raise UsageError(f"start={text} has no time zone; end it with Z or +01:00")
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1) * 1000
