# SPDX-License-Identifier: Apache-2.0
"""Where this user's caches and data lie, how a file is written whole, and folders that are locked.

A maker locks its folder, so that others remove the folders of makers that were killed. The lock is
a `flock(2)` on a file in the folder: the kernel frees it when the last process that holds it ends,
however that ends. A folder whose lock is free has lost its maker.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from joulemark.errors import UnavailableError

LOCK_FILE: Final = "lock"


class LockedFolder:
    """A folder that this process holds until `close`; the end of a `with` removes it too."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path, self._lock = path, lock

    @classmethod
    def make(cls, parent: Path, prefix: str) -> Self:
        """Makes a folder whose new name begins with `prefix`; its lock is held once it shows."""
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent)).resolve()
        new = path / f"{LOCK_FILE}.new"
        lock = os.open(new, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        new.rename(path / LOCK_FILE)
        return cls(path, lock)

    @classmethod
    def left_behind(cls, folders: Iterable[Path]) -> Iterator[Self]:
        """Those of the folders whose makers have ended, each held; the caller closes it."""
        for path in folders:
            with suppress(OSError):
                lock = os.open(path / LOCK_FILE, os.O_RDWR)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:  # its maker lives
                    os.close(lock)
                    continue
                yield cls(path, lock)

    def remove(self) -> None:
        """Removes the folder as far as that is possible."""
        shutil.rmtree(self.path, ignore_errors=True)

    def close(self) -> None:
        """Unlocks the folder."""
        os.close(self._lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_error: object) -> None:
        self.remove()
        self.close()


@contextmanager
def held(place: Path, *, at_once: bool = False) -> Iterator[None]:
    """Holds a folder, or a file that is made if it is missing, which one process holds at a time.

    Args:
        place: the folder or file.
        at_once: whether to give up at once if another process holds it.

    Raises:
        BlockingIOError: another process holds it, and `at_once` is set.
    """
    kind = os.O_RDONLY | os.O_DIRECTORY if place.is_dir() else os.O_WRONLY | os.O_CREAT
    descriptor = os.open(place, kind)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (fcntl.LOCK_NB if at_once else 0))
        yield
    finally:
        os.close(descriptor)


# The XDG base directory specification.


def user_cache(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of caches; it need not exist."""
    return _folder(name, "XDG_CACHE_HOME", Path(".cache"), "caches")


def user_data(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of data; it need not exist."""
    return _folder(name, "XDG_DATA_HOME", Path(".local", "share"), "data")


def written_by_others(path: Path) -> Path | None:
    """The path, or a folder above it, that another user may write; None if there is none.

    Code in it could be another user's: a folder that others may write lets them swap the path.
    So it is owned by this user or by root, who may write anywhere, as is each folder above it
    within the user's home. A group is the owner's choice.
    """
    path = path.absolute()
    home = _home()
    for place in (path, *path.parents):
        facts = place.stat()
        sticky = stat.S_ISDIR(facts.st_mode) and facts.st_mode & stat.S_ISVTX
        is_near = place in {path, path.parent} or (home is not None and home in place.parents)
        foreign = is_near and facts.st_uid not in {0, os.geteuid()}
        if foreign or (facts.st_mode & stat.S_IWOTH and not sticky):
            return place
    return None


def _home() -> Path | None:
    try:
        return Path.home().absolute()
    except RuntimeError:
        return None


def _folder(name: str, variable: str, usual: Path, what: str) -> Path:
    """The folder; a relative path in the variable is ignored, as the specification demands."""
    folder = os.environ.get(variable, "")
    try:
        parent = Path(folder) if folder.startswith("/") else Path.home() / usual
    except RuntimeError:
        raise UnavailableError(
            f"there is no folder for {what}, since this user has no home folder; set {variable} "
            "to a folder that can be written"
        ) from None
    return parent / "joulemark" / name


_DATABASE: Final = b"SQLite format 3\0"
"""The first bytes of a store (SQLite's file format, section 1.2)."""


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, which no output may replace."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, through a temporary file beside it and one rename.

    A reader sees the old file or the new one, never a part, also after a power failure. After an
    error the old file is as it was and no temporary file is left. A link stays, and the file that
    it names is written; so is a device or a pipe, which has no old content.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = path.resolve()
    temporary = path.parent / f".joulemark-{secrets.token_hex(8)}.tmp"
    stream = temporary.open("xb")
    try:
        with stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
