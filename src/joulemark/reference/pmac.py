# SPDX-License-Identifier: Apache-2.0
"""PMAC over AES (Black and Rogaway, 2002)."""

from __future__ import annotations

from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key

__all__ = ["pmac"]

_POLYNOMIAL = 1 << 128 | 0x87
"""x^128 + x^7 + x^2 + x + 1."""


def _power_of_x(value: int, power: int) -> int:
    """`value` times x^power in GF(2^128); the power -1 halves."""
    if power < 0:
        return (value ^ _POLYNOMIAL) >> 1 if value & 1 else value >> 1
    for _ in range(power):
        value <<= 1
        if value >> 128:
            value ^= _POLYNOMIAL
    return value


def _offset(base: int, index: int) -> int:
    """Block `index` has the multiple of L that the index's Gray code names, bit by bit."""
    gray, offset = index ^ index >> 1, 0
    for power in range(gray.bit_length()):
        if gray >> power & 1:
            offset ^= _power_of_x(base, power)
    return offset


def pmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes.

    All blocks but the last are enciphered under offsets and added up. To the sum comes the last
    block, completed with a 1 bit and zeros if need be; a whole one comes with L / x.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes.

    Raises:
        UsageError: the key has another length.

    Example:
        >>> pmac(bytes(range(16)), b"").hex()
        '4399572cd6ea5341b8d35876a7098af7'
    """
    round_keys = expand_key(key)
    base = encrypt_words(round_keys, 0)
    last_start = max(len(message) - 1, 0) // BLOCK_BYTES * BLOCK_BYTES
    total = 0
    for index, start in enumerate(range(0, last_start, BLOCK_BYTES), start=1):
        block = int.from_bytes(message[start : start + BLOCK_BYTES], "big")
        total ^= encrypt_words(round_keys, block ^ _offset(base, index))
    last = message[last_start:]
    if len(last) == BLOCK_BYTES:
        total ^= int.from_bytes(last, "big") ^ _power_of_x(base, -1)
    else:
        total ^= int.from_bytes((last + b"\x80").ljust(BLOCK_BYTES, b"\0"), "big")
    return encrypt_words(round_keys, total).to_bytes(BLOCK_BYTES, "big")
