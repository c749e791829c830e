# SPDX-License-Identifier: Apache-2.0
"""Facts of the README of `siphash`, for the tests that all keyed streams share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ALGORITHM", "clocks", "secrets"]

ALGORITHM = "siphash-2-4"
_WORD_BYTES = 8


def clocks(parameters: Mapping[str, int], message_bytes: int) -> tuple[int, int]:
    """Clocks from a message's last word to its tag, and between messages back to back."""
    word = {1: 2, 2: 1, 4: 1}[parameters["ROUNDS"]]
    final = 4 // parameters["ROUNDS"]
    # There is always a word with the length; after a full last word it is one word more.
    full = message_bytes > 0 and message_bytes % _WORD_BYTES == 0
    return word * (1 + full) + final, word * (message_bytes // _WORD_BYTES + 1) + final


def secrets(dut: Any, parameters: Mapping[str, int]) -> list[Any]:
    """Registers that a reset and `wipe_i` leave at zero."""
    del parameters
    return [dut.key_q, dut.state_q, dut.word_q, dut.tag_q]
