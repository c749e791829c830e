# SPDX-License-Identifier: Apache-2.0
"""The toy authenticator in Python."""

from __future__ import annotations


def reference(key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    state = int.from_bytes(key, "little")
    filled = message.ljust(max(4, -(-len(message) // 4) * 4), b"\0")
    for start in range(0, len(filled), 4):
        word = int.from_bytes(filled[start : start + 4], "little")
        mixed = state ^ word
        state = (((mixed << 5) | (mixed >> 27)) + word) & 0xFFFFFFFF
    return state.to_bytes(4, "little")
