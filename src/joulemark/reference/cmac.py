# SPDX-License-Identifier: Apache-2.0
"""CMAC over AES (NIST SP 800-38B, RFC 4493), XCBC (RFC 3566) and CBC-MAC (ISO/IEC 9797-1)."""

from __future__ import annotations

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, RoundKeys, encrypt_words, expand_key

__all__ = ["cbc_mac", "cmac", "xcbc"]


def _double(value: int) -> int:
    """Times x in GF(2^128) modulo x^128 + x^7 + x^2 + x + 1 (section 5.3)."""
    value <<= 1
    return value ^ (1 << 128 | 0x87) if value >> 128 else value


def _chain(round_keys: RoundKeys, message: bytes, whole: int, padded: int) -> bytes:
    """CBC of blocks of which the last has `whole` added, or `padded` and a 1 bit behind it."""
    last_start = max(len(message) - 1, 0) // BLOCK_BYTES * BLOCK_BYTES
    chain = 0
    for i in range(0, last_start, BLOCK_BYTES):
        block = int.from_bytes(message[i : i + BLOCK_BYTES], "big")
        chain = encrypt_words(round_keys, chain ^ block)
    last = message[last_start:]
    if len(last) == BLOCK_BYTES:
        masked = int.from_bytes(last, "big") ^ whole
    else:
        masked = int.from_bytes((last + b"\x80").ljust(BLOCK_BYTES, b"\0"), "big") ^ padded
    return encrypt_words(round_keys, chain ^ masked).to_bytes(BLOCK_BYTES, "big")


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
    return _chain(round_keys, message, k1, _double(k1))


def xcbc(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: as CMAC, under three keys that the key makes of blocks of equal bytes.

    Args:
        key: 16 bytes.
        message: any number of bytes.

    Raises:
        UsageError: the key has another length.

    Example:
        >>> xcbc(bytes(range(16)), b"").hex()
        '75f0251d528ac01c4573dfd584d79f29'
    """
    if len(key) != BLOCK_BYTES:
        raise UsageError(f"An XCBC key has {BLOCK_BYTES} bytes, not {len(key)}.")
    round_keys = expand_key(key)
    inner, whole, padded = (
        encrypt_words(round_keys, int.from_bytes(bytes([byte]) * BLOCK_BYTES, "big"))
        for byte in (1, 2, 3)
    )
    return _chain(expand_key(inner.to_bytes(BLOCK_BYTES, "big")), message, whole, padded)


def cbc_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: the last block of CBC, after zeros up to whole blocks, and at least one.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes; under one key all have the same number.

    Raises:
        UsageError: the key has another length.

    Example:
        >>> cbc_mac(bytes(16), b"").hex()
        '66e94bd4ef8a2c3b884cfa59ca342b2e'
    """
    round_keys = expand_key(key)
    blocks = max(1, -(-len(message) // BLOCK_BYTES))
    return _chain(round_keys, message.ljust(blocks * BLOCK_BYTES, b"\0"), 0, 0)
