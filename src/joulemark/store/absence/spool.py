# SPDX-License-Identifier: Apache-2.0
"""A file of this user with the observations that a server could not take, one JSON line each.

Each line is on the disk before the next observation is taken. The file holds no password. A line
that a kill cut off has no end; it was never acknowledged and is passed over.
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

from joulemark.errors import StoreAwayError, StoreError, UnavailableError
from joulemark.foreign.files import read_whole
from joulemark.foreign.firmware import firmware_count_from
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.samples import clock_count_from, sample_from
from joulemark.foreign.text import ForeignError
from joulemark.records.energy_window import EnergyWindow
from joulemark.records.failure import Failure
from joulemark.records.firmware import FirmwareCount
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.database.address import StoreAddress
from joulemark.store.database.cells import DamagedRowError
from joulemark.store.energy import StoredWindow, window_as_json
from joulemark.store.repository import RunRecord, Store
from joulemark.store.sessions import SessionsPoint, point_as_json
from joulemark.user_folders import user_data

# A call that adds an observation to a store and waits for the store's server.


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Tells a run from another run that got its number, as in a database that was made again."""

    study_digest: str
    seed: int
    started_at: str

    @classmethod
    def of(cls, record: RunRecord) -> Self:
        """The identity of a stored run."""
        return cls(record.study_digest, record.seed, record.started_at.isoformat())


@dataclass(frozen=True, slots=True)
class SpooledCall:
    """One call that adds: exactly one of samples, window, a count, failure and point is given."""

    run_id: int | None
    """Number of the run; None for a point of sessions, which belongs to no run."""
    identity: RunIdentity | None
    """Identity of the run; None if the run was never read."""
    trial: Trial | None = None
    samples: tuple[RawSample, ...] = ()
    window: EnergyWindow | None = None
    void: str | None = None
    count: ClockCount | None = None
    firmware: FirmwareCount | None = None
    failure: Failure | None = None
    point: SessionsPoint | None = None
    made_at: datetime | None = None
    """Moment of the point, which tells it from equal points."""

    @property
    def observations(self) -> int:
        """Number of samples, windows, counts and points in the call."""
        single = (self.window, self.count, self.firmware, self.point)
        return len(self.samples) + sum(observation is not None for observation in single)

    def line(self) -> bytes:
        """The line of the call in the file."""
        count, firmware, failure, point = self.count, self.firmware, self.failure, self.point
        value = {
            "run": self.run_id,
            "identity": self.identity and asdict(self.identity),
            "trial": self.trial and rows.trial_values(self.trial),
            "samples": [rows.counter_values(sample) for sample in self.samples],
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
        """The call whose line this is."""
        read = record_from_json(_Line, parse_json(line))
        try:
            trial = read.trial and rows.trial_of(cast("Any", SimpleNamespace(id=0, **read.trial)))
        except (DamagedRowError, TypeError, AttributeError) as error:
            raise ForeignError(f"trial: {error}") from None
        return cls(
            read.run,
            read.identity,
            trial or None,
            tuple(sample_from(sample) for sample in read.samples),
            read.window,
            read.void,
            clock_count_from(read.count) if read.count else None,
            firmware_count_from(read.firmware) if read.firmware else None,
            read.failure,
            read.point,
            read.made_at,
        )

    def add_to(self, store: Store) -> int | None:
        """Makes the call, by the methods of `Store` itself; returns the number of a point."""
        run_id, trial = self.run_id, self.trial
        if self.point is not None:
            return Store.add_sessions(store, self.point, made_at=self.made_at)
        if run_id is None:
            return None
        if self.failure is not None:
            Store.add_failure(store, run_id, self.failure)
        elif self.window is not None:
            Store.add_energy_window(store, run_id, trial, self.window, self.void)
        elif trial is not None and self.count is not None:
            Store.add_clock_count(store, run_id, trial, self.count)
        elif trial is not None and self.firmware is not None:
            Store.add_firmware_count(store, run_id, trial, self.firmware)
        elif trial is not None:
            Store.add_samples(store, run_id, trial, self.samples)
        return None

    def is_in(self, store: Store) -> bool:
        """Whether the store has what the call adds; points of sessions are not looked for."""
        run_id, trial = self.run_id, self.trial
        if run_id is None:
            return False
        if self.failure is not None:
            return self.failure in store.failures(run_id)
        if self.window is not None:
            return StoredWindow(trial, self.window, self.void) in store.energy_windows(run_id)
        if trial is None:
            return False
        if self.count or self.firmware:
            counts = store.clock_counts(run_id) if self.count else store.firmware_counts(run_id)
            return counts.get(trial) == (self.count or self.firmware)
        stored = store.samples(run_id).get(trial, [])
        return bool(self.samples) and set(self.samples) <= set(stored)

    def fits(self, store: Store) -> bool:
        """Whether the store's run of this number is the run in which the call was made."""
        if self.run_id is None:
            return True
        try:
            record = Store.run(store, self.run_id)
        except StoreAwayError:
            raise
        except StoreError:
            return False
        return self.identity is None or self.identity == RunIdentity.of(record)


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


_MOST_BYTES: Final = 1 << 32
_FOLDER: Final = "unwritten"


class Spool:
    """A file to which observations are added; it is locked as long as it is open."""

    def __init__(self, path: Path, file: int) -> None:
        """Takes an open and locked file, from `begin` or `left_behind`."""
        self.path = path
        self._file = file

    @classmethod
    def begin(cls, address: StoreAddress) -> Self | None:
        """Makes a file for a store; None if no folder of this user can be written."""
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

    def add(self, call: SpooledCall) -> None:
        """Appends a line and waits until it is on the disk."""
        line = call.line()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)

    def read(self) -> Iterator[SpooledCall]:
        """Yields every call in the file, in the order of its lines."""
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
        """Leaves the file to the next command that measures; closing twice is allowed."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def remove(self) -> None:
        """Deletes the file, whose calls are all in the database."""
        self.path.unlink(missing_ok=True)
        self.close()


def left_behind(address: StoreAddress) -> Iterator[Spool]:
    """Files that earlier processes left for a store, oldest first, without the files in use."""
    paths = [
        path
        for folder in _folders()
        if _is_own(folder)
        for path in _matching(folder, f"{_key(address)}-*.jsonl")
    ]
    for path in sorted(paths, key=lambda spooled: spooled.name.rpartition("-")[2]):
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
        else:  # the process that held the lock has just written the calls into the store
            os.close(file)


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _folders() -> Iterator[Path]:
    with contextlib.suppress(UnavailableError):
        yield user_data(_FOLDER)
    yield Path(tempfile.gettempdir()) / f"joulemark-{os.getuid()}-{_FOLDER}"


def _is_own(folder: Path) -> bool:
    """Whether only this user can write to a folder; one in /tmp may be another user's."""
    try:
        return folder.stat().st_uid == os.getuid() and not folder.is_symlink()
    except OSError:
        return False


def _key(address: StoreAddress) -> str:
    """Names the files of a database; the same for all users of its server."""
    text = address.url.set(username="").set(password="").render_as_string(hide_password=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
