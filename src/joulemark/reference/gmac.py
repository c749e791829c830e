# SPDX-License-Identifier: Apache-2.0
"""GMAC over AES (NIST SP 800-38D)."""

from __future__ import annotations

from joulemark.reference.aes import BLOCK_BYTES, encrypt_words, expand_key

_REDUCTION = 0xE1 << 120
"""R of section 6.3: 1 + x + x^2 + x^7, whose coefficient of x^0 is the leftmost bit."""
_USUAL_NONCE_BYTES = 12


def _multiply(x: int, y: int) -> int:
    """The product of two blocks (algorithm 1); the leftmost bit of x comes first."""
    z = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= y
        y = y >> 1 ^ (_REDUCTION if y & 1 else 0)
    return z


def _ghash(h: int, text: bytes, lengths: int) -> int:
    """GHASH (algorithm 2) of a text, completed with zeros, and a block of lengths."""
    y = 0
    for i in range(0, len(text), BLOCK_BYTES):
        y = _multiply(y ^ int.from_bytes(text[i : i + BLOCK_BYTES].ljust(BLOCK_BYTES, b"\0")), h)
    return _multiply(y ^ lengths, h)


def gmac(key: bytes, message: bytes, nonce: bytes = bytes(_USUAL_NONCE_BYTES)) -> bytes:
    """Tag of 16 bytes; no two messages may have the same nonce under one key.

    Args:
        key: AES key of 16, 24 or 32 bytes.
        message: any number of bytes.
        nonce: the standard's IV, at least one byte; zeros are for tests alone.

    Example:
        >>> gmac(bytes(16), b"").hex()
        '58e2fccefa7e3061367f1d57a4e7455a'
    """
    round_keys = expand_key(key)
    h = encrypt_words(round_keys, 0)
    if len(nonce) == _USUAL_NONCE_BYTES:
        counter = int.from_bytes(nonce) << 32 | 1
    else:
        counter = _ghash(h, nonce, 8 * len(nonce))
    tag = _ghash(h, message, 8 * len(message) << 64) ^ encrypt_words(round_keys, counter)
    return tag.to_bytes(BLOCK_BYTES)
