# SPDX-License-Identifier: Apache-2.0
"""Facts of the README of `chaskey`, for the tests that all keyed streams share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ALGORITHM", "READY_AFTER_WIPE", "clocks", "secrets"]

ALGORITHM = "chaskey-12"
READY_AFTER_WIPE = 1
"""Clocks after `wipe_i` until a key is taken."""
_BLOCK_BYTES = 16
_WORD_BYTES = 4


def clocks(parameters: Mapping[str, int], message_bytes: int) -> tuple[int, int]:
    """Clocks from a message's last word to its tag, and between messages back to back."""
    del parameters
    blocks = max(1, -(-message_bytes // _BLOCK_BYTES))
    words = max(1, -(-message_bytes // _WORD_BYTES))  # 4 but in the last block
    return 32 + 4 * blocks - words, 28 * blocks + 10


def secrets(dut: Any, parameters: Mapping[str, int]) -> list[Any]:
    """Registers that a reset and `wipe_i` leave at zero."""
    key = dut.u_key.gen_latches.u_key.held if parameters["LATCHES"] else dut.u_key.key
    return [key, dut.u_state.state_q]
