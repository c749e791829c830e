# SPDX-License-Identifier: Apache-2.0
"""Watts that another instrument records: a file, a named pipe or a serial port.

Argument: `PATH[@BAUD][,clock=epoch|monotonic|arrival][,voltage=VOLTS][,start=MOMENT]`, as in
`external:watts.csv,clock=epoch` and `external:/dev/ttyUSB0@115200`. `joulemark.meters.watt_columns`
has the forms of lines, and `joulemark.meters.watt_stream` says how power becomes energy. The meter
is one cumulative counter in microjoules. Both moments of a reading are the stamp of the newest
complete sample, so polling faster than the source gains nothing.

Stamps on the wall clock (epoch seconds, ISO 8601) are moved to CLOCK_MONOTONIC with the difference
of the clocks at each read, so slow correction by NTP does no harm. The facts say how closely both
clocks could be read together. Stamps from another computer are only as good as its clock. Stamps on
arrival contain the delays of driver and bus, for USB serial converters often 16 ms.

A gap or a missing sample voids only the windows that span it: the first read after it raises
UNREADABLE, and the reads after that count from behind the gap. A damaged line ends the meter: every
later read names the line. `read_recording` reads the whole of a file that nobody writes any more.

A pipe or serial port is never read by the meter itself: `joulemark.meters.watt_source` drains it
into a file while the session lasts.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from joulemark.errors import UnavailableError, UsageError
from joulemark.meters import Meter, MeterError, Reading, Roots, Survey, evidence_of
from joulemark.meters.watt_columns import decoded
from joulemark.meters.watt_source import SPOOL_HEAD, WattSource, permission_error, spool
from joulemark.meters.watt_stream import RECORDED, WattStream
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME = "external"
TITLE = "external instrument"
PREFERENCE: int | None = None

_DOMAIN: Final = "supply"
_SURVEY_BYTES: Final = 1 << 16
"""Enough to see the form of the lines, in a few milliseconds."""
_CHUNK_BYTES: Final = 1 << 20
_FIRST_SAMPLES_S: Final = 10.0
"""An instrument slower than a sample in a second and a half records to a file instead."""
_FUTURE_NS: Final = 10**9
"""A sample cannot be newer than now; a second allows for a clock that NTP is correcting."""


@dataclass(frozen=True, slots=True)
class PowerRecording:
    """A recording that was read whole."""

    domain: Domain
    evidence: Evidence
    samples: int
    breaks: int
    """Gaps and missing samples, over which nothing was added."""
    covered_s: float
    """Time over which energy was added."""
    joules: float


class ExternalMeter(Meter):
    """Energy from the watts in one file."""

    title = TITLE

    def __init__(
        self, roots: Roots, source: WattSource, epoch_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self._roots = roots
        self._source = source
        self._epoch_ns = epoch_ns
        self._stream = WattStream(
            source.path.name, source.clock, volts=source.volts, start_ns=source.start_ns
        )
        self._identity: tuple[int, int] | None = None
        self._offset_bytes = 0
        self._incomplete = b""
        self._spooled = False
        self._ended: MeterError | None = None
        self._breaks_seen: int | None = None

    def survey(self) -> Survey:
        """Looks at the first lines; a pipe or serial port is not opened."""
        probe = ExternalMeter(self._roots, self._source, self._epoch_ns)
        facts: dict[str, str | float | None] = {"source": str(self._source.path)}
        try:
            live = not stat.S_ISREG(self._source.mode())
            if not live:
                probe._feed(_SURVEY_BYTES)
                probe._ready()
        except MeterError as error:
            return Survey(reason=str(error), facts=facts)
        period_ns = probe._stream.period_ns
        facts |= {"needs_spool": live, "clock": probe._stream.clock}
        if probe._stream.clock == "epoch":
            offset_ns, uncertainty_ns = self._clock_difference()
            facts |= {"clock_offset_ns": offset_ns, "clock_offset_uncertainty_ns": uncertainty_ns}
        if self._source.volts is not None:
            facts["stated_voltage_v"] = self._source.volts
        period_s = None if period_ns is None else period_ns / 1e9
        return Survey((replace(self._domain(), update_period_s=period_s),), facts=facts)

    def read(self, domain: str) -> Reading:
        """Microjoules up to the newest complete sample, with the stamp of that sample."""
        if domain != _DOMAIN:
            raise MeterError(Fault.VANISHED, f"external has no domain '{domain}', only {_DOMAIN}")
        if not stat.S_ISREG(self._source.mode()):
            raise MeterError(
                Fault.UNREADABLE, f"{self._source.path} is no file and was not spooled"
            )
        while self._stream.error is None and self._feed(_CHUNK_BYTES):
            continue
        stream = self._stream
        seen, self._breaks_seen = self._breaks_seen, stream.breaks
        if seen is not None and stream.breaks > seen:
            raise MeterError(Fault.UNREADABLE, f"{stream.where} {stream.last_break}")
        self._ready()
        now_ns = self._roots.now_ns()
        stamp_ns = stream.stamp_ns
        if stream.clock == "epoch":
            stamp_ns -= self._clock_difference()[0]
        if stamp_ns > now_ns + _FUTURE_NS:
            ahead_s = (stamp_ns - now_ns) / 1e9
            raise MeterError(
                Fault.UNREADABLE,
                f"{stream.where} is stamped {ahead_s:.3g} s in the future; is it the right clock?",
            )
        return Reading(stamp_ns, stamp_ns, stream.microjoules)

    def evidence(self) -> Evidence:
        """SIMULATED where the mark of a test double lies beside the file."""
        return evidence_of(self._source.path.parent)

    def recorded(self) -> PowerRecording:
        """The whole of a file, whatever its clock; its last line may lack its newline."""
        stream = self._stream = WattStream(
            self._source.path.name, RECORDED, volts=self._source.volts
        )
        while self._feed(_CHUNK_BYTES):
            continue
        if self._incomplete.strip():
            self._take(decoded(self._incomplete))
        error = self._ended or stream.is_negative or stream.below_zero
        if error is None and not stream.covered_ns:
            text = f"{self._source.path} has {stream.samples} samples and no time between two"
            if 0 < stream.samples < 3:
                text += ", or several under each of two stamps, which tell no time"
            error = MeterError(Fault.UNREADABLE, text)
        if error is not None:
            raise error
        return PowerRecording(
            self._domain(),
            self.evidence(),
            stream.samples,
            stream.breaks,
            stream.covered_ns / 1e9,
            stream.joules,
        )

    def _domain(self) -> Domain:
        volts = self._source.volts
        stated = "" if volts is None else f"; its current at a supply of {volts:g} V, as stated"
        return Domain(
            _DOMAIN,
            _DOMAIN,
            DomainKind.SUPPLY,
            Quantity.ENERGY,
            per_count=1e-6,
            resolution=1e-6,
            note=f"whatever the instrument's leads are connected to{stated}",
        )

    def _ready(self) -> None:
        """Checks that the newest samples can be used."""
        error = self._ended or self._stream.error or self._stream.is_negative
        if error is not None:
            raise error
        if self._stream.period_ns is None:
            raise MeterError(
                Fault.UNREADABLE,
                f"{self._stream.where} has {self._stream.samples} samples so far, too few at an "
                "even pace to tell a gap; let the instrument record for longer",
            )

    def _feed(self, limit_bytes: int) -> bool:
        """Reads at most `limit_bytes` of new samples; True if there may be more."""
        path = self._source.path
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                identity = (status.st_dev, status.st_ino)
                if status.st_size < self._offset_bytes or identity != (self._identity or identity):
                    raise MeterError(Fault.VANISHED, f"{path} was replaced or cut short")
                self._identity = identity
                file.seek(self._offset_bytes)
                new = file.read(limit_bytes)
        except PermissionError:
            raise permission_error(path) from None
        except OSError as error:
            raise MeterError(Fault.VANISHED, f"{path} cannot be read ({error.strerror})") from None
        if self._offset_bytes == 0:
            self._spooled = new.startswith(SPOOL_HEAD)
        self._offset_bytes += len(new)
        *lines, self._incomplete = (self._incomplete + new).split(b"\n")
        if len(self._incomplete) > _CHUNK_BYTES:
            raise MeterError(Fault.UNREADABLE, f"{path} has no line ends; is it text at all?")
        for line in lines:
            self._take(decoded(line))
        self._stream.flush()
        return len(new) == limit_bytes

    def _take(self, line: str) -> None:
        if self._ended is not None:
            return
        if not self._spooled or line.startswith("#"):
            self._stream.line(line)
        elif line.startswith("!"):
            self._ended = MeterError(Fault.VANISHED, line[1:])
        else:
            arrived, _, text = line.partition(" ")
            if not re.fullmatch(r"[0-9]{1,19}", arrived):
                text = f"{self._source.path} is a damaged spool file"
                self._ended = MeterError(Fault.UNREADABLE, text)
                return
            self._stream.line(text, int(arrived))

    def _clock_difference(self) -> tuple[int, int]:
        """Wall clock less CLOCK_MONOTONIC, and half the time in which both were read, in ns."""
        tries: list[tuple[int, int]] = []
        for _ in range(3):
            before_ns = self._roots.now_ns()
            epoch_ns = self._epoch_ns()
            after_ns = self._roots.now_ns()
            half_ns = (after_ns - before_ns) // 2
            tries.append((half_ns, epoch_ns - before_ns - half_ns))
        uncertainty_ns, offset_ns = min(tries)
        return offset_ns, uncertainty_ns


@contextmanager
def session(roots: Roots, argument: str | None) -> Iterator[tuple[str | None, Roots]]:
    """Drains a pipe or serial port while the context lasts; begins once samples arrive."""
    with spool(argument, roots.now_ns) as spooled:
        deadline_s = time.monotonic() + _FIRST_SAMPLES_S
        while spooled != argument and (reason := make(roots, spooled).survey().reason) is not None:
            if time.monotonic() > deadline_s:
                raise UnavailableError(
                    f"external:{argument} gave nothing usable within {_FIRST_SAMPLES_S:.0f} s: "
                    f"{reason}"
                )
            time.sleep(0.05)
        yield spooled, roots


def make(roots: Roots, argument: str | None) -> ExternalMeter:
    """The meter of one file."""
    return ExternalMeter(roots, WattSource.parse(argument))


def read_recording(name: str | None) -> PowerRecording:
    """The whole of a file that an external instrument wrote.

    Args:
        name: as for a meter, `external:ppk2.csv,voltage=3.3`.
    """
    word, _, argument = (name or "").partition(":")
    if word != NAME:
        raise UsageError("only a file can be read whole: joulemark meter --recorded external:FILE")
    source = WattSource.parse(argument)
    if not stat.S_ISREG(source.mode()):
        raise UsageError(
            f"{source.path} is no file, so it cannot be read whole; leave out --recorded"
        )
    return ExternalMeter(Roots(), source).recorded()
