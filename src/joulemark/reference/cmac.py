# SPDX-License-Identifier: Apache-2.0
"""CMAC (NIST SP 800-38B, RFC 4493), XCBC (RFC 3566) and CBC-MAC (ISO/IEC 9797-1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from joulemark.errors import UsageError
from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key

POLYNOMIALS = {16: 0x87, 20: 0x2D, 32: 0x425}
"""Bytes of a block -> R of section 5.3: the lexicographically first irreducible polynomial of that
degree with the fewest terms, without its highest term."""

Encryption = Callable[[int], int]
"""Encrypts a block as a big-endian number."""


def double(value: int, block_bytes: int = BLOCK_BYTES) -> int:
    """`value` times x in the field of 2^(8 block_bytes) elements (section 5.3)."""
    value <<= 1
    bits = 8 * block_bytes
    return value ^ (1 << bits | POLYNOMIALS[block_bytes]) if value >> bits else value


def _chain(
    encrypt: Encryption, message: bytes, whole: int, padded: int, size: int = BLOCK_BYTES
) -> bytes:
    """CBC of blocks of `size` bytes; `whole` is added to a whole last block.

    If the last block is not whole, a 1 bit and zeros complete it, and `padded` is added.
    """
    last_start = max(len(message) - 1, 0) // size * size
    chain = 0
    for i in range(0, last_start, size):
        chain = encrypt(chain ^ int.from_bytes(message[i : i + size], "big"))
    last = message[last_start:]
    if len(last) == size:
        masked = int.from_bytes(last, "big") ^ whole
    else:
        masked = int.from_bytes((last + b"\x80").ljust(size, b"\0"), "big") ^ padded
    return encrypt(chain ^ masked).to_bytes(size, "big")


def cmac_over(encrypt: Encryption, block_bytes: int, message: bytes) -> bytes:
    """Tag of one block, over any cipher whose blocks have 16, 20 or 32 bytes.

    The last block is completed with a 1 bit and zeros if need be; it is masked with subkey K1 if
    it was whole and K2 if it was not (section 6.2).
    """
    k1 = double(encrypt(0), block_bytes)
    return _chain(encrypt, message, k1, double(k1, block_bytes), block_bytes)


def cmac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes, over AES.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes.

    Example:
        >>> cmac(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"), b"").hex()
        'bb1d6929e95937287fa37d129b756746'
    """
    return cmac_over(partial(encrypt_words, expand_key(key)), BLOCK_BYTES, message)


def xcbc(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: as CMAC, with three keys that are encrypted blocks of equal bytes.

    Args:
        key: 16 bytes.
        message: any number of bytes.

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
    inner_keys = expand_key(inner.to_bytes(BLOCK_BYTES, "big"))
    return _chain(partial(encrypt_words, inner_keys), message, whole, padded)


def cbc_mac(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes: the last block of CBC, after zeros up to whole blocks, at least one block.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes; all messages under one key have the same number.

    Example:
        >>> cbc_mac(bytes(16), b"").hex()
        '66e94bd4ef8a2c3b884cfa59ca342b2e'
    """
    blocks = max(1, -(-len(message) // BLOCK_BYTES))
    padded = message.ljust(blocks * BLOCK_BYTES, b"\0")
    return _chain(partial(encrypt_words, expand_key(key)), padded, 0, 0)
