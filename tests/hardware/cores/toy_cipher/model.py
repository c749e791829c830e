# SPDX-License-Identifier: Apache-2.0
"""The toy cipher in Python."""

from __future__ import annotations


def reference(key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    state, add = int.from_bytes(message, "big"), int.from_bytes(key, "big")
    for _ in range(4):
        state = (((state << 7) | (state >> 25)) + add) & 0xFFFFFFFF
    return state.to_bytes(4, "big")
