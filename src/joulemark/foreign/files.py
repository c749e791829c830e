# SPDX-License-Identifier: Apache-2.0
"""Reading a file that the user names, whose length is not known."""

from __future__ import annotations

import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from joulemark.foreign.text import ForeignError, shortened
from joulemark.units import format_bytes

_PATIENCE_S: Final = 1.0


@contextmanager
def waiting_told(path: Path) -> Iterator[None]:
    """Says after a second that a named pipe is waited for, which may be for ever."""
    is_pipe = False
    with suppress(OSError, ValueError):
        is_pipe = stat.S_ISFIFO(path.stat().st_mode)
    told = threading.Timer(
        _PATIENCE_S,
        lambda: print(
            f"joulemark: {shortened(str(path), 200)} is a pipe; waiting until a program has "
            "written to it and closed it; Ctrl-C ends",
            file=sys.stderr,
        ),
    )
    told.daemon = True
    if is_pipe:
        told.start()
    try:
        yield
    finally:
        told.cancel()


def read_whole(path: Path, most_bytes: int) -> bytes:
    """The whole content of a file or pipe.

    Raises:
        ForeignError: the file cannot be read, is a device, or has more than `most_bytes`.
    """
    try:
        with waiting_told(path), path.open("rb") as file:
            mode = path.stat().st_mode
            is_device = stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
            content = b"" if is_device else file.read(most_bytes + 1)
    except OSError as error:
        raise ForeignError(error.strerror or type(error).__name__) from None
    except ValueError as error:  # a NUL in the path
        raise ForeignError(str(error)) from None
    if is_device:
        raise ForeignError("it is a device, not a file")
    if len(content) > most_bytes:
        raise ForeignError(f"it has more than {format_bytes(most_bytes)}")
    return content
