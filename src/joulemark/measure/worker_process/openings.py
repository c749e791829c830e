# SPDX-License-Identifier: Apache-2.0
"""Opens sources in forks of a worker, which has imported all modules that list them.

A worker for each source would import the same modules again, which takes longer than opening the
source. A fork that dies, hangs or writes nonsense has no answer: its source is then opened in
another worker, which finds out why.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from typing import Final, NoReturn

from joulemark.measure.worker_messages.openings import OpenEach, OpenedEach, SourcePlace

__all__ = ["open_each"]

_LONGEST_LINE_BYTES: Final = 4 << 20
_FIRST_FREE_FD: Final = 3
_MOST_FDS: Final = 1024


def open_each(request: OpenEach, line_of: Callable[[SourcePlace], bytes]) -> OpenedEach:
    """The answer to the request.

    Args:
        request: names the sources.
        line_of: opens a source in this process, and makes the line that answers `OpenSource`.
    """
    return OpenedEach(
        tuple(_fork_line(place, line_of, request.limit_s) for place in request.places)
    )


def _fork_line(
    place: SourcePlace, line_of: Callable[[SourcePlace], bytes], limit_s: float
) -> str | None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(place, line_of, write)
    os.close(write)
    try:
        return _line(read, limit_s)
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)  # it was not reaped before, so the number is its own
        os.waitpid(child, 0)


def _answer(place: SourcePlace, line_of: Callable[[SourcePlace], bytes], write: int) -> NoReturn:
    """Opens the source in the fork, without the worker's pipes, on which its code could write."""
    try:
        os.closerange(_FIRST_FREE_FD, write)
        os.closerange(write + 1, _MOST_FDS)
        line = line_of(place)
        while line:
            line = line[os.write(write, line) :]
    except BaseException:  # noqa: BLE001 - whatever the error, the source has no answer
        os._exit(1)
    os._exit(0)


def _line(read: int, limit_s: float) -> str | None:
    """The line that comes within the limit, even if a process of the source holds the pipe open."""
    deadline, found = time.monotonic() + limit_s, b""
    while not found.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read], [], [], left)[0]:
            return None
        part = os.read(read, 1 << 16)
        found += part
        if not part or len(found) > _LONGEST_LINE_BYTES:
            return None
    # The end of the line is cut off: a text with it would be checked sign by sign when shown.
    return found[:-1].decode("utf-8", "replace")
