# SPDX-License-Identifier: Apache-2.0
"""Whether processes that a test knows by number still run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

__all__ = ["lives", "outliving"]


def lives(pid: int) -> bool:
    """Whether a process runs. One that has ended stays listed until its parent, or init, looks."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def outliving(pids: Iterable[int], limit_s: float = 5.0) -> list[int]:
    """The processes that still run after so many seconds; returns at once if none does."""
    left = list(pids)
    end_s = time.monotonic() + limit_s
    while (left := [pid for pid in left if lives(pid)]) and time.monotonic() < end_s:
        time.sleep(0.02)
    return left
