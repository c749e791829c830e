# SPDX-License-Identifier: Apache-2.0
"""Writes a report file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from joulemark.errors import JoulemarkError

__all__ = ["ReportError", "write_atomically"]

_REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space or choose another folder",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another folder",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.EACCES: "permission is denied; choose a folder that you may write to",
    errno.EPERM: "permission is denied; choose a folder that you may write to",
    errno.ENOENT: "its folder does not exist; create it first",
    errno.ENOTDIR: "its folder is not a folder; choose another path",
    errno.EISDIR: "it is a folder; give the name of a file in it",
    errno.ENAMETOOLONG: "its name is too long; choose a shorter one",
}
_FILE_MODE = 0o666
"""Mode that a plain `open` requests; the umask is subtracted from it."""


class ReportError(JoulemarkError):
    """A report, chart or export cannot be made or written."""


def write_atomically(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, through a temporary file beside it and one rename.

    A reader sees the old file or the new one, never a part; after an error the old file is as it
    was and no temporary file is left.

    Raises:
        ReportError: the file cannot be written; the message says why and what to do.
    """
    temporary: Path | None = None
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        descriptor, name = tempfile.mkstemp(prefix=".joulemark-", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_FILE_MODE & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise ReportError(f"{path} cannot be written: {remedy}.") from error


def _umask() -> int:
    """The process's file mode mask; reading it means setting it for a moment."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
