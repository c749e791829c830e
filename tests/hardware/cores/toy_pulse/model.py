# SPDX-License-Identifier: Apache-2.0
"""The toy function in Python."""

from __future__ import annotations


def reference(_key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    block = int.from_bytes(message.ljust(4, b"\0"), "big")
    state = (((block << 11) | (block >> 21)) + 0x9E3779B9) & 0xFFFFFFFF
    return state.to_bytes(4, "big")
