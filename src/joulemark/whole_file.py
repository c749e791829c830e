# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, through a temporary file beside it and one rename.

    A reader sees the old file or the new one, never a part, also after a power failure. After an
    error the old file is as it was and no temporary file is left.
    """
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
