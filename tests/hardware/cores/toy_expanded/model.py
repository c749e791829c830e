# SPDX-License-Identifier: Apache-2.0
"""The toy cipher with an expanded key in Python."""

from __future__ import annotations

MASK = 0xFFFFFFFF


def reference(key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    expanded, state = int.from_bytes(key, "big"), int.from_bytes(message, "big")
    for _ in range(5):
        expanded = (((expanded << 3) | (expanded >> 29)) + 0x9E3779B9) & MASK
    for _ in range(4):
        state = (((state << 7) | (state >> 25)) + expanded) & MASK
    return state.to_bytes(4, "big")
