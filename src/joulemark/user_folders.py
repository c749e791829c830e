# SPDX-License-Identifier: Apache-2.0
"""Folders of this user's, by the XDG base directory specification."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.errors import UnavailableError

__all__ = ["user_cache", "user_data"]


def user_cache(name: str) -> Path:
    """`joulemark/<name>` in the user's cache folder: what can be made again. It need not exist.

    Raises:
        UnavailableError: the user has no home folder.
    """
    return _folder("XDG_CACHE_HOME", ".cache", "caches") / "joulemark" / name


def user_data(name: str) -> Path:
    """`joulemark/<name>` in the user's data folder: what was asked to be kept. It need not exist.

    Raises:
        UnavailableError: the user has no home folder.
    """
    return _folder("XDG_DATA_HOME", ".local/share", "data") / "joulemark" / name


def _folder(variable: str, in_home: str, what: str) -> Path:
    """The folder that a variable names; a relative one is passed over, as the document asks."""
    given = os.environ.get(variable, "")
    if given.startswith("/"):
        return Path(given)
    try:
        return Path.home() / in_home
    except RuntimeError:
        raise UnavailableError(
            f"there is no folder for {what}, since this user has no home folder; set {variable} "
            "to a folder that can be written"
        ) from None
