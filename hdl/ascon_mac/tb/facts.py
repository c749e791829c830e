# SPDX-License-Identifier: Apache-2.0
"""Facts of the README of `ascon_mac`, for the tests that all keyed streams share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ALGORITHM", "clocks", "permutation_clocks", "secrets"]

ALGORITHM = "ascon-mac"
_BLOCK_BYTES = 32


def permutation_clocks(parameters: Mapping[str, int]) -> int:
    """Clocks of a permutation, 12 rounds."""
    return 12 // parameters["ROUNDS"]


def clocks(parameters: Mapping[str, int], message_bytes: int) -> tuple[int, int]:
    """Clocks from a message's last block to its tag, and between messages back to back."""
    number = permutation_clocks(parameters)
    # There is always a block with padding; after a full last block it is one block more.
    full = message_bytes > 0 and message_bytes % _BLOCK_BYTES == 0
    start = 0 if parameters["KEEP_START"] else number
    return number * (1 + full), number * (message_bytes // _BLOCK_BYTES + 1) + start


def secrets(dut: Any, parameters: Mapping[str, int]) -> list[Any]:
    """Registers that a reset and `wipe_i` leave at zero."""
    kept = dut.gen_keep_start.kept_q if parameters["KEEP_START"] else dut.gen_keep_key.key_q
    return [dut.state_q, dut.tag_q, kept]
