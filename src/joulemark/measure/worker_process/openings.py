# SPDX-License-Identifier: Apache-2.0
"""Opens sources in forks of a worker, which has imported all that is needed to list them.

A worker started for each source imports the same modules again, which takes longer than opening
the source. A fork that dies, hangs or writes nonsense says nothing here: the source is then opened
in another worker, which finds out why.
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
        request: which sources.
        line_of: opens one in this process; the line that answers `OpenSource`.
    """
    return OpenedEach(tuple(_forked(place, line_of, request.limit_s) for place in request.places))


def _forked(
    place: SourcePlace, line_of: Callable[[SourcePlace], bytes], limit_s: float
) -> str | None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _say(place, line_of, write)
    os.close(write)
    try:
        return _line(read, limit_s)
    finally:
        os.close(read)
        os.kill(child, signal.SIGKILL)  # not reaped before, it keeps its number
        os.waitpid(child, 0)


def _say(place: SourcePlace, line_of: Callable[[SourcePlace], bytes], write: int) -> NoReturn:
    """In the fork, which keeps no other pipe: code of the source could write on the worker's."""
    try:
        os.closerange(_FIRST_FREE_FD, write)
        os.closerange(write + 1, _MOST_FDS)
        line = line_of(place)
        while line:
            line = line[os.write(write, line) :]
    except BaseException:  # noqa: BLE001 - whatever it is, the source says nothing
        os._exit(1)
    os._exit(0)


def _line(read: int, limit_s: float) -> str | None:
    """The line that comes within the limit; a process that the source started may hold the pipe."""
    deadline, found = time.monotonic() + limit_s, b""
    while not found.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([read], [], [], left)[0]:
            return None
        part = os.read(read, 1 << 16)
        found += part
        if not part or len(found) > _LONGEST_LINE_BYTES:
            return None
    # Without the end of the line, or its signs would be looked at one by one before it is shown.
    return found[:-1].decode("utf-8", "replace")
