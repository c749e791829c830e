# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]

_FILE_MODE = 0o666
"""Mode that a plain `open` requests; the umask is subtracted from it."""


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, through a temporary file beside it and one rename.

    A reader sees the old file or the new one, never a part, also after a power failure. After an
    error the old file is as it was and no temporary file is left.

    Raises:
        OSError: the file cannot be written.
    """
    descriptor, name = tempfile.mkstemp(prefix=".joulemark-", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_FILE_MODE & ~_umask())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _umask() -> int:
    """The process's file mode mask; reading it means setting it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
