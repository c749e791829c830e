# SPDX-License-Identifier: Apache-2.0
"""Reading a file that the user names, of which nobody knows the length."""

from __future__ import annotations

import stat
from pathlib import Path

from joulemark.foreign.errors import ForeignError
from joulemark.units import format_bytes

__all__ = ["read_whole"]


def read_whole(path: Path, most_bytes: int) -> bytes:
    """All of a file or pipe.

    Raises:
        ForeignError: it cannot be read, is a device, or has more than `most_bytes`.
    """
    try:
        with path.open("rb") as file:
            kind = path.stat().st_mode
            if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
                raise ForeignError("it is a device, not a file")
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise ForeignError(error.strerror or type(error).__name__) from None
    except ValueError as error:  # a NUL in the path, which ForeignError is not raised for
        raise error if isinstance(error, ForeignError) else ForeignError(str(error)) from None
    if len(content) > most_bytes:
        raise ForeignError(f"it has more than {format_bytes(most_bytes)}")
    return content
