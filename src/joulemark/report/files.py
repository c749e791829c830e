# SPDX-License-Identifier: Apache-2.0
"""Writes a report file whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from joulemark.errors import JoulemarkError
from joulemark.user_folders import write_whole

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


class ReportError(JoulemarkError):
    """A report, chart or export cannot be made or written."""


def write_atomically(path: Path, data: bytes) -> None:
    """Writes `data` to `path` as `write_whole` does, with a sentence for each error."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        write_whole(path, data)
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise ReportError(f"{path} cannot be written: {remedy}.") from error
