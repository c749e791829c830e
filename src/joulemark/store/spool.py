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
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, Self, cast

from joulemark.errors import StoreError, UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.foreign.samples import clock_count_from, sample_from
from joulemark.records.energy_window import EnergyWindow
from joulemark.records.failure import Failure
from joulemark.records.sample import ClockCount, RawSample
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.cells import DamagedRowError
from joulemark.store.energy import window_as_json
from joulemark.store.place import Place
from joulemark.user_folders import user_data

__all__ = ["Observed", "RunIdentity", "Spool", "left_behind"]

_MOST_BYTES: Final = 1 << 32
_FOLDER: Final = "unwritten"


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Tells a run from one that got its number in a database that was made again."""

    study_digest: str
    seed: int
    started_at: str


@dataclass(frozen=True, slots=True)
class Observed:
    """One call that adds to a run: exactly one of samples, window, count and failure is given."""

    run_id: int
    identity: RunIdentity | None
    """None where the run was never read."""
    trial: Trial | None = None
    samples: tuple[RawSample, ...] = ()
    window: EnergyWindow | None = None
    void: str | None = None
    count: ClockCount | None = None
    failure: Failure | None = None

    @property
    def observations(self) -> int:
        """Samples, windows and counts in it."""
        return len(self.samples) + (self.window is not None) + (self.count is not None)

    def line(self) -> bytes:
        """As it stands in the file.

        Raises:
            TypeError: a number of it is not whole.
        """
        count, failure = self.count, self.failure
        value = {
            "run": self.run_id,
            "identity": self.identity and asdict(self.identity),
            "trial": self.trial and rows.trial_values(self.trial),
            "samples": [rows.sample_values(one) for one in self.samples],
            "window": self.window and window_as_json(self.window),
            "void": self.void,
            "count": count and count.as_dict(),
            "failure": failure and asdict(failure),
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
            tuple(sample_from(one) for one in given.samples),
            given.window, given.void, clock_count_from(given.count) if given.count else None,
            given.failure,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """The fields of a line."""

    run: int
    identity: RunIdentity | None
    trial: dict[str, Any] | None
    samples: list[dict[str, Any]]
    window: EnergyWindow | None
    void: str | None
    count: dict[str, Any] | None
    failure: Failure | None


class Spool:
    """A file to which observations are added; locked as long as it is open."""

    def __init__(self, path: Path, file: int) -> None:
        """For `begin` and `left_behind` alone."""
        self.path = path
        self._file = file

    @classmethod
    def begin(cls, place: Place) -> Self | None:
        """A new file for a store; None where no folder of this user's can be written."""
        name = f"{_key(place)}-{os.getpid()}-{time.time_ns()}.jsonl"
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

    def add(self, observed: Observed) -> None:
        """Writes one more, to the disk.

        Raises:
            OSError: it cannot be written.
        """
        line = observed.line()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)

    def read(self) -> Iterator[Observed]:
        """All that was written.

        Raises:
            StoreError: the file is damaged.
        """
        try:
            content = read_whole(self.path, _MOST_BYTES)
            whole = content[: content.rfind(b"\n") + 1]
            for number, line in enumerate(whole.splitlines(), 1):
                try:
                    yield Observed.of_line(line)
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


def left_behind(place: Place) -> Iterator[Spool]:
    """Files that earlier processes left for a store, oldest first; those in use are passed over."""
    found = [path for folder in _folders() if _is_own(folder)
             for path in _listed(folder, f"{_key(place)}-*.jsonl")]  # fmt: skip
    for path in sorted(found, key=lambda one: one.name.rpartition("-")[2]):
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


def _key(place: Place) -> str:
    """Of the database, whoever asks for it."""
    address = place.url.set(username="").set(password="").render_as_string(hide_password=False)
    return hashlib.sha256(address.encode()).hexdigest()[:16]
