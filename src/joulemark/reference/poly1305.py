# SPDX-License-Identifier: Apache-2.0
"""Poly1305 (RFC 8439, section 2.5), and Poly1305-AES as its inventor defined it."""

from __future__ import annotations

from joulemark.errors import UsageError
from joulemark.reference.aes import encrypt_block

_KEY_BYTES = 32
_BLOCK_BYTES = 16
_P = (1 << 130) - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def poly1305(key: bytes, message: bytes) -> bytes:
    """Tag of 16 bytes; the key may authenticate this one message only.

    Each block of up to 16 bytes, with a 1 byte after it, is a little-endian coefficient of a
    polynomial that is evaluated at r modulo 2^130 - 5; s is added modulo 2^128.

    Args:
        key: 32 bytes, r then s.
        message: any number of bytes.

    Example:
        >>> key = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
        >>> poly1305(bytes.fromhex(key), b"Cryptographic Forum Research Group").hex()
        'a8061dc1305136c6c22b8baf0c0127a9'
    """
    if len(key) != _KEY_BYTES:
        raise UsageError(f"A Poly1305 key has {_KEY_BYTES} bytes, not {len(key)}.")
    r = int.from_bytes(key[:16], "little") & _CLAMP
    s = int.from_bytes(key[16:], "little")
    accumulator = 0
    for i in range(0, len(message), _BLOCK_BYTES):
        block = message[i : i + _BLOCK_BYTES] + b"\x01"
        accumulator = (accumulator + int.from_bytes(block, "little")) * r % _P
    return ((accumulator + s) & ((1 << 128) - 1)).to_bytes(_BLOCK_BYTES, "little")


def poly1305_aes(key: bytes, message: bytes, nonce: bytes = bytes(_BLOCK_BYTES)) -> bytes:
    """Tag of 16 bytes by Poly1305-AES; no two messages may have the same nonce under one key.

    Args:
        key: 32 bytes, a key of AES-128, then r.
        message: any number of bytes.
        nonce: 16 bytes, whose encryption is the message's s; zeros are for tests alone.
    """
    return poly1305(key[16:] + encrypt_block(key[:16], nonce), message)
