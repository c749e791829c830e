# SPDX-License-Identifier: Apache-2.0
"""The toy hash in Python."""

from __future__ import annotations

MASK = (1 << 64) - 1


def reference(_key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    zeros = -(len(message) + 9) % 16
    data = message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(8, "big")
    chain = 0x0123456789ABCDEF
    for start in range(0, len(data), 2):
        mixed = chain ^ int.from_bytes(data[start : start + 2], "big")
        chain = ((((mixed << 13) | (mixed >> 51)) & MASK) + 0x9E3779B97F4A7C15) & MASK
    return chain.to_bytes(8, "big")
