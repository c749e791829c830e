# SPDX-License-Identifier: Apache-2.0
"""Where this user's caches and data lie, and how a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from joulemark.errors import UnavailableError

# The XDG base directory specification.


def user_cache(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of caches; it need not exist."""
    return _folder(name, "XDG_CACHE_HOME", Path(".cache"), "caches")


def user_data(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of data; it need not exist."""
    return _folder(name, "XDG_DATA_HOME", Path(".local", "share"), "data")


def written_by_others(path: Path) -> Path | None:
    """The path, or a folder above it, that another user may write; None if there is none.

    Code in it could be another user's: a folder that others may write lets them swap the path.
    So it is owned by this user or by root, who may write anywhere, as is each folder above it
    within the user's home. A group is the owner's choice.
    """
    path = path.absolute()
    home = _home()
    for place in (path, *path.parents):
        facts = place.stat()
        sticky = stat.S_ISDIR(facts.st_mode) and facts.st_mode & stat.S_ISVTX
        is_near = place in {path, path.parent} or (home is not None and home in place.parents)
        foreign = is_near and facts.st_uid not in {0, os.geteuid()}
        if foreign or (facts.st_mode & stat.S_IWOTH and not sticky):
            return place
    return None


def _home() -> Path | None:
    try:
        return Path.home().absolute()
    except RuntimeError:
        return None


def _folder(name: str, variable: str, usual: Path, what: str) -> Path:
    """The folder; a relative path in the variable is ignored, as the specification demands."""
    folder = os.environ.get(variable, "")
    try:
        parent = Path(folder) if folder.startswith("/") else Path.home() / usual
    except RuntimeError:
        raise UnavailableError(
            f"there is no folder for {what}, since this user has no home folder; set {variable} "
            "to a folder that can be written"
        ) from None
    return parent / "joulemark" / name


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
