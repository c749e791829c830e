# SPDX-License-Identifier: Apache-2.0
"""Where this user's caches lie."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.errors import UnavailableError

__all__ = ["user_cache"]


def user_cache(name: str) -> Path:
    """`joulemark/<name>` in the user's cache folder; it need not exist.

    A relative XDG_CACHE_HOME is passed over, as the XDG base directory specification asks.

    Raises:
        UnavailableError: the user has no home folder.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given.startswith("/"):
        return Path(given) / "joulemark" / name
    try:
        return Path.home() / ".cache" / "joulemark" / name
    except RuntimeError:
        raise UnavailableError(
            "there is no folder for caches, since this user has no home folder; set XDG_CACHE_HOME "
            "to a folder that can be written"
        ) from None
