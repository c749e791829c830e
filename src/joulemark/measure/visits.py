# SPDX-License-Identifier: Apache-2.0
"""The order in which the points of a run are measured, round by round."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

__all__ = ["visits"]

_ORDER_SEED: Final = 1


def visits(points: int, rounds: int) -> Iterator[int]:
    """Each place 0 to points - 1 once a round, in an order drawn for the round, always the same."""
    chance = random.Random(_ORDER_SEED)  # noqa: S311 - an order, not a secret
    for _ in range(rounds):
        order = list(range(points))
        chance.shuffle(order)
        yield from order
