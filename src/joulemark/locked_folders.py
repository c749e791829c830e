# SPDX-License-Identifier: Apache-2.0
"""Folders that their makers lock, so that others remove the folders of makers that were killed.

The lock is a `flock(2)` on a file in the folder: the kernel frees it when the last process that
holds it ends, however that ends. A folder whose lock is free has lost its maker.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

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
