# SPDX-License-Identifier: Apache-2.0
"""The file of a report, looked at before an hour of measuring."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.errors import UsageError


def require_writable(path: Path) -> None:
    """Refuses a file that could not be written."""
    folder = path.parent if str(path.parent) else Path()
    if not folder.is_dir():
        raise UsageError(f"--report {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"--report {path}: the folder {folder} cannot be written to; name another place"
        )
    if path.is_dir():
        raise UsageError(f"--report {path}: this is a folder; name a file in it")
