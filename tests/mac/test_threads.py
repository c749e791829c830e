# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: other threads run during long work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from joulemark.mac import Key, tag_many

KEY = Key("hmac-sha256", bytes(range(32)))
MEGABYTE = bytes(2**20)
LONG = bytes(2**28)
COUNT = 1000
ROWS = np.broadcast_to(np.frombuffer(MEGABYTE, np.uint8), (COUNT, 2**20))
LIST = [MEGABYTE] * COUNT
TAGS = np.zeros((COUNT, 32), np.uint8)
MARGIN_S = 0.02
"""Time at both ends of the work, several times as long as Python lets one thread run."""


def turns_during(work: Callable[[], object]) -> int:
    """How often this thread runs while another thread is in the middle of some work."""
    span: list[float] = []

    def timed() -> None:
        span.append(time.perf_counter())
        work()
        span.append(time.perf_counter())

    thread = threading.Thread(target=timed)
    turns = []
    thread.start()
    while thread.is_alive():
        turns.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    start, end = span
    assert end - start > 4 * MARGIN_S, "too short to say anything"
    return sum(start + MARGIN_S < turn < end - MARGIN_S for turn in turns)


@pytest.mark.parametrize(
    "work",
    [
        lambda: KEY.tag(LONG),
        lambda: KEY.verify(LONG, bytes(32)),
        lambda: KEY.stream().update(LONG),
        lambda: KEY.tag_many(ROWS),
        lambda: KEY.tag_many(LIST),
        lambda: KEY.verify_many(ROWS, TAGS),
        lambda: tag_many([KEY], LIST, index=np.zeros(COUNT, np.int64)),
    ],
    ids=["tag", "verify", "stream", "tag_many", "list", "verify_many", "index"],
)
def test_other_threads_run_meanwhile(work: Callable[[], object]) -> None:
    """While one thread computes, another gets its turns: the global lock is not held."""
    assert turns_during(work) >= 2
