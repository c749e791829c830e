# SPDX-License-Identifier: Apache-2.0
"""Jobs that tests give to workers; scheduler and workers of `SmallFleet` find this module."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def deadly_once(mark: Path) -> str:
    """Ends the worker's process, unless an earlier call did so."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def noted(mark: Path) -> str:
    """Notes the call in a file, in the worker."""
    with mark.open("a") as file:
        file.write("x")
    return "done"
