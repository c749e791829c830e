# SPDX-License-Identifier: Apache-2.0
"""CMAC over AES (NIST SP 800-38B, RFC 4493)."""

from __future__ import annotations

from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key

__all__ = ["cmac"]


def _double(value: int) -> int:
    """Times x in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1 (section 5.3)."""
    value <<= 1
    return value ^ (1 << 128 | 0x87) if value >> 128 else value


def cmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes.

    The last block is completed with a 1 bit and zeros if need be; it is masked with subkey K1 if
    it was whole and K2 if it was not (section 6.2).

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes.

    Raises:
        UsageError: the key has another length.

    Example:
        >>> cmac(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), b"").hex()
        'bb1d6929e95937287fa37d129b756746'
    """
    round_keys = expand_key(key)
    k1 = _double(encrypt_words(round_keys, 0))
    k2 = _double(k1)
    last_start = max(len(message) - 1, 0) // BLOCK_BYTES * BLOCK_BYTES
    chain = 0
    for i in range(0, last_start, BLOCK_BYTES):
        block = int.from_bytes(message[i : i + BLOCK_BYTES], "big")
        chain = encrypt_words(round_keys, chain ^ block)
    last = message[last_start:]
    if len(last) == BLOCK_BYTES:
        masked = int.from_bytes(last, "big") ^ k1
    else:
        masked = int.from_bytes((last + b"\x80").ljust(BLOCK_BYTES, b"\0"), "big") ^ k2
    return encrypt_words(round_keys, chain ^ masked).to_bytes(BLOCK_BYTES, "big")
