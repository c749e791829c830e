# SPDX-License-Identifier: Apache-2.0
"""Work of a Dask worker in processes that end when nobody wants the work any more.

Dask cannot end a thread: whoever presses Ctrl-C takes the task back, and the thread goes on. So a
second thread watches whether the task is still wanted, and ends its processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from distributed import get_worker

from joulemark.fleet.turns import beside_others
from joulemark.processes.tool import ToolRuns, ToolsStopped

__all__ = ["UnwantedError", "beside_measuring", "still_wanted", "watched"]

_LOOK_S: Final = 0.5
_UNWANTED: Final = {"cancelled", "forgotten", "released"}
"""States of a task, in Dask's words, whose result nobody waits for."""


class UnwantedError(Exception):
    """Nobody waits for the task any more; in Dask's threads an interrupt would end the worker."""


def still_wanted() -> Callable[[], bool]:
    """Tells, from any thread, whether the task of this thread is still wanted."""
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
        look: called twice a second meanwhile, in another thread.

    Raises:
        UnwantedError: the task was taken back.
    """
    wanted = still_wanted()
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
    """As `watched`, for work that does not measure: it waits until nobody measures here.

    Raises:
        UnwantedError: the task was taken back.
    """
    wanted = still_wanted()

    def waiting() -> None:
        if not wanted():
            raise UnwantedError

    with beside_others(waiting), watched() as runs:
        yield runs
