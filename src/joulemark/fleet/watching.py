# SPDX-License-Identifier: Apache-2.0
"""Runs the work of a Dask task in processes that end when the task is no longer wanted.

Dask cannot end a thread: Ctrl-C takes the task back, and the thread goes on. So a second thread
watches whether the task is still wanted, and ends its processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from distributed import get_worker

from joulemark.fleet.turns import beside_others
from joulemark.processes.tool import ToolRuns, ToolsStopped

_LOOK_S: Final = 0.5
_UNWANTED: Final = {"cancelled", "forgotten", "released"}
"""Dask's names for the states of a task whose result nobody waits for."""


class UnwantedError(Exception):
    """Nobody waits for the task any more; an interrupt instead would end Dask's worker."""


def _still_wanted() -> Callable[[], bool]:
    """Returns a function for any thread: whether the task of this thread is still wanted."""
    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state not in _UNWANTED

    return wanted


@contextmanager
def watched(look: Callable[[], None] = lambda: None) -> Iterator[ToolRuns]:
    """Runs of programs that end when the task of this thread is no longer wanted.

    Args:
        look: called twice a second within the block, in another thread.
    """
    wanted = _still_wanted()
    runs = ToolRuns()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_S):
            if not wanted():
                runs.stop()
                return
            look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield runs
    except ToolsStopped:
        raise UnwantedError from None
    finally:
        over.set()
        thread.join()


@contextmanager
def beside_measuring() -> Iterator[ToolRuns]:
    """As `watched`, for work that does not measure: waits until nobody measures on this machine."""
    wanted = _still_wanted()

    def waiting() -> None:
        if not wanted():
            raise UnwantedError

    with beside_others(waiting), watched() as runs:
        yield runs
