# SPDX-License-Identifier: Apache-2.0
"""A file of this user with the observations that a server could not take, one JSON line each.

Each line is on the disk before the next observation is taken. The file holds no password. A line
that a kill cut off has no end; it was never acknowledged and is passed over.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from joulemark.errors import StoreError, UnavailableError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.files import read_whole
from joulemark.store.absence.spooled_call import SpooledCall
from joulemark.store.database.address import StoreAddress
from joulemark.user_folders import user_data

__all__ = ["Spool", "left_behind"]

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
        """Appends a line and waits until it is on the disk.

        Raises:
            OSError: the line cannot be written.
        """
        line = call.line()
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)

    def read(self) -> Iterator[SpooledCall]:
        """Yields every call in the file, in the order of its lines.

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
    paths = [path for folder in _folders() if _is_own(folder)
             for path in _matching(folder, f"{_key(address)}-*.jsonl")]  # fmt: skip
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
