# SPDX-License-Identifier: Apache-2.0
"""Tasks of compilers and simulators, as many at a time as this process has CPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from joulemark.processes.tool import ToolRuns

T = TypeVar("T")
R = TypeVar("R")

Spread = Callable[[Sequence[T], Callable[[int, R], None]], None]
"""Does tasks and tells each result under the task's place; raises whatever ends all tasks."""


def do_tasks(
    tasks: Sequence[T],
    do: Callable[[T, ToolRuns], R],
    tell: Callable[[int, R], None],
    spread: Spread[T, R] | None = None,
) -> None:
    """Does all tasks, and tells each result under the task's place.

    Args:
        tasks: any number.
        do: does a task in a thread of this process; an error that ends all also ends the programs.
        tell: told each result.
        spread: does the tasks elsewhere; threads of this process unless given.
    """
    if spread is not None:
        spread(tasks, tell)
        return
    runs = ToolRuns()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool, runs.ended_on_error():
        futures = {pool.submit(do, task, runs): place for place, task in enumerate(tasks)}
        for future in as_completed(futures):
            tell(futures[future], future.result())
