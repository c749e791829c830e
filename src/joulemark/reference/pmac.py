# SPDX-License-Identifier: Apache-2.0
"""PMAC over AES (Black and Rogaway, 2002)."""

from __future__ import annotations

from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key
from joulemark.reference.cmac import double

_POLYNOMIAL = 1 << 128 | 0x87
"""x^128 + x^7 + x^2 + x + 1."""


def _halve(value: int) -> int:
    """`value` divided by x in GF(2^128)."""
    return (value ^ (_POLYNOMIAL if value & 1 else 0)) >> 1


def _offset(base: int, index: int) -> int:
    """The offset of block `index`: L times the polynomial whose coefficients are its Gray code."""
    gray, offset = index ^ index >> 1, 0
    while gray:
        offset ^= base if gray & 1 else 0
        base, gray = double(base), gray >> 1
    return offset


def pmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes.

    All blocks but the last are enciphered under offsets and added up. The last block is added to
    the sum: with L / x if it is whole, and else completed with a 1 bit and zeros.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes.

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
        total ^= int.from_bytes(last, "big") ^ _halve(base)
    else:
        total ^= int.from_bytes((last + b"\x80").ljust(BLOCK_BYTES, b"\0"), "big")
    return encrypt_words(round_keys, total).to_bytes(BLOCK_BYTES, "big")
