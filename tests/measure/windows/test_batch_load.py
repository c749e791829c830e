# SPDX-License-Identifier: Apache-2.0
"""The load of an energy window hands whole batches over."""

from __future__ import annotations

import pytest

from joulemark.meters.edges import MessageLoad


class Stopwatch:
    """A clock that the work moves forward."""

    def __init__(self) -> None:
        self.ns = 0

    def now_ns(self) -> int:
        """The virtual time."""
        return self.ns

    def sleep_ns(self, duration_ns: int) -> None:
        """Lets virtual time pass."""
        self.ns += duration_ns


@pytest.mark.parametrize("batch", [1, 16, 64])
@pytest.mark.parametrize("duration_ns", [1, 1000, 20_000, 1_000_000])
def test_stretches_are_whole_batches(batch: int, duration_ns: int) -> None:
    """The messages of a stretch are a multiple of the batch, and about as many as fit."""
    clock = Stopwatch()
    handed: list[int] = []

    def run(messages: int) -> None:
        handed.append(messages)
        clock.sleep_ns(100 * messages)

    load = MessageLoad(run, clock, 50.0, batch)
    for _ in range(5):
        load.run(duration_ns)
    assert load.messages == sum(handed)
    assert all(messages >= batch and messages % batch == 0 for messages in handed)
    assert abs(handed[-1] - duration_ns / 100) <= batch
