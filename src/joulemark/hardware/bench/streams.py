# SPDX-License-Identifier: Apache-2.0
"""Valid/ready streams, with stalls at random on either side.

A word moves on a rising edge on which both `valid` and `ready` are high. A source holds `valid` and
its data until the word has moved.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

Stall = Callable[[], bool]
"""Called once for every clock period in which a word could move; True holds the word back."""


def never() -> bool:
    """Nothing is held back."""
    return False


def sometimes(part: float, seed: int) -> Stall:
    """Holds back this part of the clock periods, 0 to below 1, in an order fixed by the seed."""
    chance = random.Random(seed)  # noqa: S311 - stalls, not secrets
    return lambda: chance.random() < part


@dataclass(eq=False)
class _Side:
    """One side of a stream, with the signals of its ports."""

    clock: Any
    valid: Any
    ready: Any
    data: Mapping[str, Any]
    """Data ports, each under the name that words have for its field."""


class StreamSource(_Side):
    """Drives `valid` and data ports from one side of a stream."""

    def idle(self) -> None:
        """Offers nothing and drives every data port to 0."""
        self.valid.value = 0
        for port in self.data.values():
            port.value = 0

    async def send(self, words: Iterable[Mapping[str, int]], stall: Stall = never) -> None:
        """Sends words one after another; starts and ends right after a rising edge."""
        for word in words:
            while stall():
                self.valid.value = 0
                await RisingEdge(self.clock)
            self.valid.value = 1
            for name, value in word.items():
                self.data[name].value = value
            moved = False
            while not moved:
                await FallingEdge(self.clock)
                moved = bool(self.ready.value)
                await RisingEdge(self.clock)
        self.valid.value = 0


class StreamSink(_Side):
    """Drives `ready` and takes words from the other side of a stream."""

    def idle(self) -> None:
        """Takes nothing."""
        self.ready.value = 0

    async def receive(self, words: int, stall: Stall = never) -> list[dict[str, int]]:
        """Takes this many words; starts and ends right after a rising edge."""
        taken: list[dict[str, int]] = []
        while len(taken) < words:
            ready = not stall()
            self.ready.value = int(ready)
            await FallingEdge(self.clock)
            if ready and bool(self.valid.value):
                taken.append({name: int(port.value) for name, port in self.data.items()})
            await RisingEdge(self.clock)
        self.ready.value = 0
        return taken
