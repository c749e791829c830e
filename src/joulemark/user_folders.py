# SPDX-License-Identifier: Apache-2.0
"""Where this user's caches and data lie, as the XDG base directory specification says."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from joulemark.errors import UnavailableError


def user_cache(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of caches; it need not exist."""
    return _folder(name, "XDG_CACHE_HOME", Path(".cache"), "caches")


def user_data(name: str) -> Path:
    """`joulemark/<name>` in the user's folder of data; it need not exist."""
    return _folder(name, "XDG_DATA_HOME", Path(".local", "share"), "data")


def written_by_others(path: Path) -> Path | None:
    """The path, or the folder it lies in, that another user may write; None if neither.

    Code in it could be another user's. A group is the owner's choice, and root may write anywhere.
    """
    for place in (path, path.parent):
        facts = place.stat()
        sticky = stat.S_ISDIR(facts.st_mode) and facts.st_mode & stat.S_ISVTX
        foreign = os.geteuid() != 0 and facts.st_uid not in {0, os.geteuid()}
        if foreign or (facts.st_mode & stat.S_IWOTH and not sticky):
            return place
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
