# SPDX-License-Identifier: Apache-2.0
"""Who works on a machine: one that measures, alone, or any number that do not measure.

Workers of one machine share two files that are locked with flock(2), whoever started them. The
kernel lets a lock go when its process ends, however it ends. Whoever waits to measure holds the
door, so that others cannot go on entering before it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from joulemark.measure.cpus import open_lock, shared_lock_folder

__all__ = ["alone", "beside_others"]

_LOOK_S: Final = 0.2


def _door(folder: Path | None) -> Path:
    return (folder or shared_lock_folder()) / "joulemark-fleet-door.lock"


def _room(folder: Path | None) -> Path:
    return (folder or shared_lock_folder()) / "joulemark-fleet-room.lock"


@contextmanager
def alone(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """The machine for one that measures.

    Args:
        waiting: called some times a second until it is this one's turn; may raise to give up.
        folder: where the locks lie; the machine's folder of locks unless given.

    Raises:
        OSError: no file can be opened for locking.
    """
    with (
        _held(_door(folder), fcntl.LOCK_EX, waiting),
        _held(_room(folder), fcntl.LOCK_EX, waiting),
    ):
        yield


@contextmanager
def beside_others(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """The machine for work that does not measure; arguments and errors as of `alone`."""
    with ExitStack() as room:
        with _held(_door(folder), fcntl.LOCK_EX, waiting):
            room.enter_context(_held(_room(folder), fcntl.LOCK_SH, waiting))
        yield


@contextmanager
def _held(path: Path, kind: int, waiting: Callable[[], None]) -> Iterator[None]:
    descriptor = open_lock(path)
    try:
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waiting()
                time.sleep(_LOOK_S)
        yield
    finally:
        os.close(descriptor)
