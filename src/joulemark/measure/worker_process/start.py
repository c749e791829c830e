# SPDX-License-Identifier: Apache-2.0
"""Where a worker begins and ends: the keeper is split off, modules are imported, requests served.

The start and the end of a worker take longer than most of its answers. So the keeper, which needs
few modules, is split off before the others are imported, and memory is not freed at the end.
"""

from __future__ import annotations

import ctypes
import sys
from typing import NoReturn

from joulemark.processes.cycles import search_seldom_for_cycles
from joulemark.processes.keeper import become_kept
from joulemark.processes.unread import leave_unread

__all__ = ["be_worker"]


def be_worker() -> NoReturn:
    """The life of a worker, by the words of its command line: `main` of `worker` has the list."""
    become_kept(*map(int, sys.argv[3:5]))
    search_seldom_for_cycles()
    leave_unread("inspect")  # `dataclasses` imports it, for classes without a docstring
    from joulemark.measure.worker_process.worker import main  # noqa: PLC0415 - after the above

    main()
    # As a program in C ends: libraries are unloaded, and no object of Python is freed. The call
    # does not give the interpreter away, so no other thread of Python runs meanwhile.
    ctypes.PyDLL(None).exit(0)
    raise AssertionError("exit(3) does not return")


if __name__ == "__main__":
    be_worker()
