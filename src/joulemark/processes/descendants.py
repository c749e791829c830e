# SPDX-License-Identifier: Apache-2.0
"""Finds the processes below a process, by the files that Linux has of each, and ends them.

Each worker imports this module, and `pathlib` alone would take a twentieth of its start.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Makes this process the parent of processes that its descendants leave behind (prctl(2)).

    Elsewhere than on Linux it does nothing.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_adopted(mark: str) -> None:
    """Ends and reaps children with `mark` in their environment, and ends all processes below them.

    To be called when the process that was started with the mark has been reaped.
    """
    for child in children_of(os.getpid()):
        with suppress(OSError):
            if mark.encode() in _read(f"/proc/{child}/environ"):
                end_tree(child)
                os.waitpid(child, 0)


def children_of(pid: int) -> list[int]:
    """Numbers of the processes whose parent is `pid`; none where the system does not tell."""
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - see the top
    except OSError:
        return found
    for task in tasks:
        with suppress(OSError):
            found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    return found


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - see the top
        return file.read()


def end_tree(pid: int) -> None:
    """Ends a process and all processes below it; the caller reaps the process itself.

    Each process is stopped before its children are listed, so that it starts no others meanwhile.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    for child in children_of(pid):
        end_tree(child)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
