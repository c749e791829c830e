# SPDX-License-Identifier: Apache-2.0
"""joulemark.mac: what it may cost at most.

CPU time is compared, not wall clock, so that other programs on the machine change little. The
bounds are about a third of what was seen on an idle machine.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable

import numpy as np
import pytest

from joulemark import _core
from joulemark.mac import Key

COUNT, MESSAGE_BYTES, ROUNDS = 20_000, 64, 9
SECRET = bytes(range(32))

pytestmark = pytest.mark.timing


def least_cpu_s(works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least CPU time of each of some pieces of work, taken in turn."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = time.process_time()
            work()
            least[name] = min(least[name], time.process_time() - start)
    return least


def test_a_batch_costs_a_fraction_of_as_many_calls() -> None:
    """Every form of a batch of short messages costs a small part of a loop over hmac.digest."""
    if "AVX-512" not in _core.cpu_features():
        pytest.skip("the bounds are for a CPU with AVX-512")
    matrix = np.random.default_rng(7).integers(0, 256, (COUNT, MESSAGE_BYTES), np.uint8)
    messages = [row.tobytes() for row in matrix]
    whole, offsets = matrix.tobytes(), np.arange(COUNT + 1) * MESSAGE_BYTES
    key = Key("hmac-sha256", SECRET)
    tags = key.tag_many(matrix)
    least = least_cpu_s({
        "loop": lambda: [hmac.digest(SECRET, message, "sha256") for message in messages],
        "list": lambda: key.tag_many(messages),
        "offsets": lambda: key.tag_many(whole, offsets),
        "rows": lambda: key.tag_many(matrix),
        "verify": lambda: key.verify_many(matrix, tags),
    })  # fmt: skip
    for form in ("list", "offsets", "rows", "verify"):
        assert least[form] < least["loop"] / 9, least
    assert least["verify"] < 2 * least["rows"], least
