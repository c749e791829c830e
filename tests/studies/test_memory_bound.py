# SPDX-License-Identifier: Apache-2.0
"""Orders of visit: each visits everything once; and the part as a whole, in a small buffer."""

from __future__ import annotations

import os

import numpy as np
import pytest

from joulemark.errors import WrongOutputError
from joulemark.studies.castellon2022.regimes import (
    ORDERS,
    READ,
    ROW_BYTES,
    VisitEffort,
    measure_memory,
    offsets_of,
)
from joulemark.studies.castellon2022.through_ctypes import VISITING, CastellonLibrary

BUFFER = 1 << 20


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [64, 1024])
def test_an_order_visits_every_message_once(order: str, size: int) -> None:
    """From any place on, as many visits as there are slots meet each slot once."""
    slots = BUFFER // size
    offsets = offsets_of(order, 12345, slots, size, BUFFER)
    assert sorted(offsets) == list(range(0, BUFFER, size))


def test_strides_are_what_they_say() -> None:
    """Strides lead to the next row, to the row after sixteen, or to the next message."""
    strides = {
        order: set(np.diff(offsets_of(order, 0, 5, 64, BUFFER).astype(np.int64)))
        for order in ORDERS
    }
    assert strides["sequential"] == {64}
    assert strides["row by row"] == {ROW_BYTES}
    assert strides["same bank"] == {16 * ROW_BYTES}
    assert len(strides["random"]) > 2


def test_one_small_run() -> None:
    """Every size, order and program has a time for each round, and the CPUs are given back."""
    before = os.sched_getaffinity(0)
    found = measure_memory(
        CastellonLibrary(), BUFFER, [64, 1024], VisitEffort(rounds=2, window_bytes=1 << 14)
    )
    assert os.sched_getaffinity(0) == before
    assert found["buffer_bytes"] == BUFFER
    for size in ("64", "1024"):
        assert set(found["nanoseconds"][size]) == set(ORDERS)
        for series in found["nanoseconds"][size].values():
            assert set(series) == {*VISITING, READ}
            assert all(len(taken) == 2 and min(taken) > 0 for taken in series.values())


class Liar(CastellonLibrary):
    """A library in which jump 8 visits other messages."""

    def visit(
        self, name: str, key: bytes, buffer: int, message_bytes: int, offsets: int, count: int
    ) -> bytes:
        """Visits one message less."""
        short = count - 1 if name == "ecm_j8" else count
        return super().visit(name, key, buffer, message_bytes, offsets, short)


def test_programs_that_disagree_are_not_timed() -> None:
    """Tags are compared before anything is measured."""
    with pytest.raises(WrongOutputError, match="disagree"):
        measure_memory(Liar(), BUFFER, [64], VisitEffort(rounds=1, window_bytes=1 << 12))
