# SPDX-License-Identifier: Apache-2.0
"""What the README of `ascon_mac` states, for the tests that all keyed streams share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ALGORITHM", "clocks", "permutation_clocks", "secrets"]

ALGORITHM = "ascon-mac"
_BLOCK_BYTES = 32


def permutation_clocks(parameters: Mapping[str, int]) -> int:
    """Of the 12 rounds."""
    return 12 // parameters["ROUNDS"]


def clocks(parameters: Mapping[str, int], message_bytes: int) -> tuple[int, int]:
    """Of a message: from its last block to its tag, and between two of them back to back."""
    number = permutation_clocks(parameters)
    # The block with the padding is always there; after a last block that is full it is one more.
    full = message_bytes > 0 and message_bytes % _BLOCK_BYTES == 0
    start = 0 if parameters["KEEP_START"] else number
    return number * (1 + full), number * (message_bytes // _BLOCK_BYTES + 1) + start


def secrets(dut: Any, parameters: Mapping[str, int]) -> list[Any]:
    """Registers that a reset and `wipe_i` leave at zero."""
    kept = dut.gen_keep_start.kept_q if parameters["KEEP_START"] else dut.gen_keep_key.key_q
    return [dut.state_q, dut.tag_q, kept]
