# SPDX-License-Identifier: Apache-2.0
"""The processes below a process, by what Linux tells of each, and ending them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

__all__ = ["children_of", "end_tree"]


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`; none where the system does not tell."""
    found: list[int] = []
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return found
    for task in tasks:
        with suppress(OSError):
            found += map(int, (task / "children").read_text("ascii").split())
    return found


def end_tree(pid: int) -> None:
    """Ends a process and all below it; the caller reaps the process itself.

    Each is stopped before its children are looked for, so that it starts no others meanwhile.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for child in children_of(pid):
        end_tree(child)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
