# SPDX-License-Identifier: Apache-2.0
"""Observations that a server could not take yet, one a line of JSON in a file of this user's.

Each line is on the disk before the next observation is taken. The file holds no password. A line
that was cut off by a kill has no end and was never acknowledged; it is passed over.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Self, cast

from joulemark.errors import StoreError, UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.firmware import firmware_count_from
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.samples import clock_count_from, sample_from
from joulemark.records.energy_window import EnergyWindow
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.address import StoreAddress
from joulemark.store.cells import DamagedRowError
from joulemark.store.energy import window_as_json
from joulemark.store.sessions import SessionsPoint, point_as_json
from joulemark.user_folders import user_data

__all__ = ["RunIdentity", "Spool", "SpooledCall", "left_behind"]

_MOST_BYTES: Final = 1 << 32
_FOLDER: Final = "unwritten"


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Tells a run from one that got its number in a database that was made again."""

    study_digest: str
    seed: int
    started_at: str


@dataclass(frozen=True, slots=True)
class SpooledCall:
    """One call that adds: exactly one of samples, window, a count, failure and point is given."""

    run_id: int | None
    """None of a point of sessions, which belongs to no run."""
    identity: RunIdentity | None
    """None where the run was never read."""
    trial: Trial | None = None
    samples: tuple[RawSample, ...] = ()
    window: EnergyWindow | None = None
    void: str | None = None
    count: ClockCount | None = None
    firmware: FirmwareCount | None = None
    failure: Failure | None = None
    point: SessionsPoint | None = None
    made_at: datetime | None = None
    """Of the point, which that tells from others."""

    @property
    def observations(self) -> int:
        """Samples, windows, counts and points in it."""
        single = (self.window, self.count, self.firmware, self.point)
        return len(self.samples) + sum(energy_window is not None for energy_window in single)

    def line(self) -> bytes:
        """As it stands in the file.

        Raises:
            TypeError: a number of it is not whole.
        """
        count, firmware, failure, point = self.count, self.firmware, self.failure, self.point
        value = {
            "run": self.run_id,
            "identity": self.identity and asdict(self.identity),
            "trial": self.trial and rows.trial_values(self.trial),
            "samples": [rows.sample_values(sample) for sample in self.samples],
            "window": self.window and window_as_json(self.window),
            "void": self.void,
            "count": count and count.as_dict(),
            "firmware": firmware and firmware.as_dict(),
            "failure": failure and asdict(failure),
            "point": point and point_as_json(point),
            "made_at": self.made_at and self.made_at.isoformat(),
        }
        return f"{json.dumps(value, allow_nan=False)}\n".encode()

    @classmethod
    def of_line(cls, line: bytes) -> Self:
        """What `line` wrote.

        Raises:
            ForeignError: it is something else.
        """
        given = record_from_json(_Line, parse_json(line))
        try:
            trial = given.trial and rows.trial_of(cast("Any", SimpleNamespace(id=0, **given.trial)))
        except (DamagedRowError, TypeError, AttributeError) as error:
            raise ForeignError(f"trial: {error}") from None
        return cls(
            given.run, given.identity, trial or None,
            tuple(sample_from(sample) for sample in given.samples),
            given.window, given.void, clock_count_from(given.count) if given.count else None,
            firmware_count_from(given.firmware) if given.firmware else None,
            given.failure, given.point, given.made_at,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """The fields of a line."""

    run: int | None
    identity: RunIdentity | None
    trial: dict[str, Any] | None
    samples: list[dict[str, Any]]
    window: EnergyWindow | None
    void: str | None
    count: dict[str, Any] | None
    firmware: dict[str, Any] | None
    failure: Failure | None
    point: SessionsPoint | None
    made_at: datetime | None


class Spool:
    """A file to which observations are added; locked as long as it is open."""

    def __init__(self, path: Path, file: int) -> None:
        """For `begin` and `left_behind` alone."""
        self.path = path
        self._file = file

    @classmethod
    def begin(cls, address: StoreAddress) -> Self | None:
        """A new file for a store; None where no folder of this user's can be written."""
        name = f"{_key(address)}-{os.getpid()}-{time.time_ns()}.jsonl"
        for folder in _folders():
            path = folder / name
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not _is_own(folder):
                    continue
                file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            return cls(path, file)
        return None

    def add(self, observed: SpooledCall) -> None:
        """Writes one more, to the disk.

        Raises:
            OSError: it cannot be written.
        """
        line = observed.line()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)

    def read(self) -> Iterator[SpooledCall]:
        """All that was written.

        Raises:
            StoreError: the file is damaged.
        """
        try:
            content = read_whole(self.path, _MOST_BYTES)
            whole = content[: content.rfind(b"\n") + 1]
            for number, line in enumerate(whole.splitlines(), 1):
                try:
                    yield SpooledCall.of_line(line)
                except ForeignError as error:
                    raise ForeignError(f"line {number}: {error}") from None
        except ForeignError as error:
            raise StoreError(
                f"{self.path}, which holds samples that a server could not take, cannot be read "
                f"({error}); move it away"
            ) from None

    def close(self) -> None:
        """Leaves the file to whoever opens the store next; closing twice is allowed."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def remove(self) -> None:
        """Deletes it, all being in the database."""
        self.path.unlink(missing_ok=True)
        self.close()


def left_behind(address: StoreAddress) -> Iterator[Spool]:
    """Files that earlier processes left for a store, oldest first; those in use are passed over."""
    found = [path for folder in _folders() if _is_own(folder)
             for path in _listed(folder, f"{_key(address)}-*.jsonl")]  # fmt: skip
    for path in sorted(found, key=lambda spooled: spooled.name.rpartition("-")[2]):
        try:
            file = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            continue
        if path.exists():
            yield Spool(path, file)
        else:  # whoever held the lock has just written it in
            os.close(file)


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _folders() -> Iterator[Path]:
    with contextlib.suppress(UnavailableError):
        yield user_data(_FOLDER)
    yield Path(tempfile.gettempdir()) / f"joulemark-{os.getuid()}-{_FOLDER}"


def _is_own(folder: Path) -> bool:
    """Whether nobody else can have put something there: a folder in /tmp may be another user's."""
    try:
        return folder.stat().st_uid == os.getuid() and not folder.is_symlink()
    except OSError:
        return False


def _key(address: StoreAddress) -> str:
    """Of the database, whoever asks for it."""
    text = address.url.set(username="").set(password="").render_as_string(hide_password=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
