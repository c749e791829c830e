# SPDX-License-Identifier: Apache-2.0
"""The toy hash in Python."""

from __future__ import annotations


def reference(_key: bytes, message: bytes) -> bytes:
    """The right output of the circuit."""
    chain = 0x01234567
    filled = message.ljust(max(4, -(-len(message) // 4) * 4), b"\0")
    for start in range(0, len(filled), 4):
        block = int.from_bytes(filled[start : start + 4], "big")
        mixed = chain ^ block
        chain = (((mixed << 5 | mixed >> 27) & 0xFFFFFFFF) + block) & 0xFFFFFFFF
    return chain.to_bytes(4, "big")
