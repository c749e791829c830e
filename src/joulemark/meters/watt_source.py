# SPDX-License-Identifier: Apache-2.0
"""The source of watts that the user names: a file, a named pipe or a serial port."""

from __future__ import annotations

import os
import re
import select
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import serial

from joulemark.errors import UsageError
from joulemark.meters import SIMULATED_MARK, MeterError
from joulemark.meters.watt_columns import decoded, names_columns
from joulemark.records.energy_window import Fault

_CLOCKS: Final = ("epoch", "monotonic", "arrival")
_KEYS: Final = ("clock", "voltage", "start")
_NUMBER: Final = re.compile(r"\d{1,15}(?:[.,]\d{1,18})?", re.ASCII)
_HIGHEST_V: Final = 1000.0
_EARLIEST_EPOCH_S: Final = 10**9
"""September 2001: an earlier start is no moment of the wall clock."""


@dataclass(frozen=True, slots=True)
class WattSource:
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
    def parse(argument: str | None) -> WattSource:
        """Reads `PATH[@BAUD][,clock=...][,voltage=...][,start=...]`."""
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
        return WattSource(
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
        """File type and permissions."""
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


# Drains a pipe or a serial port into a file, so that nothing is lost while nobody reads.
#
# A pipe holds 64 KiB and a serial port 4 KiB (pipe(7); N_TTY_BUF_SIZE); more blocks the writer or
# is dropped. A thread copies every complete line with its moment of arrival into a temporary file,
# which a meter in any process reads.

SPOOL_HEAD: Final = b"# joulemark spool 1\n"
"""First line of a spool. Each later line is the arrival on CLOCK_MONOTONIC in ns, a space, and the
source's line. A line that begins with ! says why the source ended."""
_BAUD_DEFAULT: Final = 115_200
_READ_BYTES: Final = 1 << 16
_RETRY_S: Final = 0.02
"""Pause between two reads while a pipe has no writer, since poll() then returns at once."""


@contextmanager
def spool(argument: str | None, now_ns: Callable[[], int] = time.monotonic_ns) -> Iterator[str]:
    """Drains a pipe or serial port into a file while the context lasts.

    Yields the argument of the meter that reads that file, in this process or another. A regular
    file needs no drain: its argument is yielded as it is.
    """
    source = WattSource.parse(argument)
    mode = source.mode()
    if stat.S_ISREG(mode):
        yield argument or ""
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="joulemark-spool-")))
        if (source.path.parent / SIMULATED_MARK).exists():
            (folder / SIMULATED_MARK).touch()
        port = stat.S_ISCHR(mode)
        descriptor = _open_serial(source, stack) if port else _open_pipe(source, stack)
        target = folder / f"{source.path.name}.spool"
        output = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        stack.callback(os.close, output)
        os.write(output, SPOOL_HEAD)
        wake, waker = os.pipe()
        stack.callback(os.close, wake)
        drain = _Drain(descriptor, output, wake, port, now_ns, str(source.path))
        thread = threading.Thread(target=drain.run, name="joulemark-spool", daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(os.close, waker)
        yield source.argument_at(target)


def _open_pipe(source: WattSource, stack: ExitStack) -> int:
    try:
        descriptor = os.open(source.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise MeterError(Fault.VANISHED, f"{source.path}: {error.strerror}") from None
    stack.callback(os.close, descriptor)
    return descriptor


def _open_serial(source: WattSource, stack: ExitStack) -> int:
    baud = source.baud or _BAUD_DEFAULT
    try:
        port = serial.Serial(str(source.path), baud, timeout=0, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        text = f"the serial port {source.path} does not open at {baud} baud ({error})"
        raise MeterError(Fault.UNREADABLE, text) from None
    stack.callback(port.close)
    return int(port.fileno())


@dataclass(slots=True)
class _Drain:
    """Copies complete lines with their moment of arrival until `wake` is closed."""

    source: int
    output: int
    wake: int
    serial: bool
    """Whether the source is a port. A port is opened in the middle of a line, so the text before
    the first line end is dropped, unless it is a header. A port that is readable and gives nothing
    was unplugged; a pipe that gives nothing has no writer now and may have one later."""
    now_ns: Callable[[], int]
    where: str
    incomplete: bytes = b""
    """Start of a line whose end has not arrived."""
    started: bool = False

    def run(self) -> None:
        """Copies lines: the body of the thread."""
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        try:
            while all(descriptor != self.wake for descriptor, _ in poll.poll()):
                try:
                    chunk = os.read(self.source, _READ_BYTES)
                except BlockingIOError:
                    continue
                if chunk:
                    self.take(chunk, self.now_ns())
                elif self.serial:
                    self.end("the port was closed or unplugged")
                    return
                elif select.select([self.wake], [], [], _RETRY_S)[0]:
                    return
        except OSError as error:
            self.end(error.strerror or str(error))

    def end(self, why: str) -> None:
        """Tells the meter, in whichever process, that no more lines will come."""
        os.write(self.output, f"!{self.where} ended ({why})\n".encode("utf-8", "replace"))

    def take(self, chunk: bytes, arrived_ns: int) -> None:
        """Writes the lines of one arrival at once, so that a reader sees all of them or none."""
        *lines, self.incomplete = (self.incomplete + chunk).split(b"\n")
        if lines and self.serial and not self.started:
            self.started = True
            # The end of a torn header would name too few columns.
            if not names_columns(decoded(lines[0]).strip()):
                del lines[0]
        if lines:
            os.write(self.output, b"".join(b"%d %s\n" % (arrived_ns, line) for line in lines))
