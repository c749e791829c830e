# SPDX-License-Identifier: Apache-2.0
"""The instants at which a counter is updated: a grid, with each instant a little off its place.

The instant of update n is a function of n and the seed alone, so a driver that leaps over updates
finds the same instants as a driver that does not.
"""

from __future__ import annotations

import random
from typing import Final

_BLOCK: Final = 64
"""Deviates that are made together; few, because most tests need few."""
_FURTHEST: Final = 0.49
"""Largest deviation in periods; below one half, so that instants keep their order."""


class Deviates:
    """Normal deviates, each a function of its index and the seed.

    Args:
        seed: any text; different texts give independent deviates.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._block: int | None = None
        self._values: list[float] = []

    def __getitem__(self, index: int) -> float:
        block, place = divmod(index, _BLOCK)
        if block != self._block:
            # A test double needs repeatable numbers, not unpredictable ones.
            source = random.Random(f"{self._seed}/{block}")  # noqa: S311
            self._values = [source.gauss(0.0, 1.0) for _ in range(_BLOCK)]
            self._block = block
        return self._values[place]


class UpdateGrid:
    """The instants at which one counter is updated.

    Args:
        origin_ns: place of update 0 in the grid.
        period_ns: distance of two places.
        jitter: standard deviation of an instant about its place, in periods.
        seed: seed of the deviations.
    """

    def __init__(self, origin_ns: int, period_ns: int, jitter: float, seed: str) -> None:
        self._origin_ns = origin_ns
        self.period_ns = period_ns
        self._jitter = jitter
        self._deviates = Deviates(seed)

    def instant_ns(self, index: int) -> int:
        """Moment of update `index`."""
        place_ns = self._origin_ns + index * self.period_ns
        if self._jitter == 0:
            return place_ns
        off = max(-_FURTHEST, min(_FURTHEST, self._jitter * self._deviates[index]))
        return place_ns + round(off * self.period_ns)

    def last(self, now_ns: int) -> int:
        """Index of the newest update that has happened by `now_ns`."""
        index = (now_ns - self._origin_ns) // self.period_ns
        if self._jitter == 0:
            return index
        if self.instant_ns(index + 1) <= now_ns:
            return index + 1
        return index if self.instant_ns(index) <= now_ns else index - 1
