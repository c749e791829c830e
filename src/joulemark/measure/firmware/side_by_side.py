# SPDX-License-Identifier: Apache-2.0
"""Tasks of compilers and simulators, as many at a time as this process has CPUs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from joulemark.processes.tool import ToolRuns

__all__ = ["done_here"]

A = TypeVar("A")
B = TypeVar("B")


def done_here(
    tasks: Sequence[A], do: Callable[[A, ToolRuns], B], told: Callable[[int, B], None]
) -> None:
    """Does all tasks, and tells each outcome under the task's place.

    Whatever ends this early ends the programs too.
    """
    runs = ToolRuns()
    with (
        ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool,
        runs.ended_on_error(),
    ):
        futures = {pool.submit(do, task, runs): place for place, task in enumerate(tasks)}
        for future in as_completed(futures):
            told(futures[future], future.result())
