# SPDX-License-Identifier: Apache-2.0
"""The start and the end of a worker: splits the keeper off, imports modules, serves requests.

The start and the end of a worker take longer than most of its answers. So the keeper, which needs
few modules, is split off before the others are imported, and memory is not freed at the end.
"""

from __future__ import annotations

import ctypes
import sys
from typing import NoReturn

from joulemark.processes import leave_inspect_unread, search_seldom_for_cycles
from joulemark.processes.keeper import become_kept


def be_worker() -> NoReturn:
    """Lives as a worker, as the words of the command line say, which `worker.main` lists."""
    become_kept(*map(int, sys.argv[3:5]))
    search_seldom_for_cycles()
    leave_inspect_unread()
    from joulemark.measure.worker.worker import main  # noqa: PLC0415 - after the above

    main()
    # Ends as a program in C: libraries are unloaded, and no object of Python is freed. The call
    # keeps the interpreter's lock, so no other thread of Python runs meanwhile.
    ctypes.PyDLL(None).exit(0)
    raise AssertionError("exit(3) does not return")


if __name__ == "__main__":
    be_worker()
