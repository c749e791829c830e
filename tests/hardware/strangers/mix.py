# SPDX-License-Identifier: Apache-2.0
"""The toy cipher of `mix_top.v` in Python."""

from __future__ import annotations


def reference(key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    state = int.from_bytes(message, "big")
    for _ in range(5):
        turned = (state << 11 | state >> 21) & 0xFFFFFFFF
        state = (turned + int.from_bytes(key, "big")) & 0xFFFFFFFF
    return state.to_bytes(4, "big")
