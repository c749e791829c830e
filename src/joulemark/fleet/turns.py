# SPDX-License-Identifier: Apache-2.0
"""Turns on a machine: one worker measures alone, or any number do work that is not measured.

All workers of a machine share two files, the door and the room, which are locked with flock(2).
Linux releases a lock when its process ends, however it ends. A worker that waits to measure holds
the door, so that no other worker can enter before it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from joulemark.measure.quiet import open_lock, shared_lock_folder

_LOOK_S: Final = 0.2


@contextmanager
def alone(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """Holds the machine for work that measures.

    Args:
        waiting: called some times a second until the caller has its turn; may raise to give up.
        folder: of the locks; the machine's folder of locks unless given.
    """
    with (
        _lock("door", fcntl.LOCK_EX, waiting, folder),
        _lock("room", fcntl.LOCK_EX, waiting, folder),
    ):
        yield


@contextmanager
def beside_others(waiting: Callable[[], None], folder: Path | None = None) -> Iterator[None]:
    """Shares the machine with other work that does not measure; arguments and errors as `alone`."""
    with ExitStack() as room:
        with _lock("door", fcntl.LOCK_EX, waiting, folder):
            room.enter_context(_lock("room", fcntl.LOCK_SH, waiting, folder))
        yield


@contextmanager
def _lock(name: str, kind: int, waiting: Callable[[], None], folder: Path | None) -> Iterator[None]:
    descriptor = open_lock((folder or shared_lock_folder()) / f"joulemark-fleet-{name}.lock")
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
