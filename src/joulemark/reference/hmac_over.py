# SPDX-License-Identifier: Apache-2.0
"""HMAC (RFC 2104, section 2) over any function from bytes to bytes."""

from __future__ import annotations

from collections.abc import Callable


def hmac_over(
    digest: Callable[[bytes], bytes], block_bytes: int, key: bytes, message: bytes
) -> bytes:
    """Tag as long as the digest.

    Args:
        digest: the hash, whose digest is at most a block.
        block_bytes: the hash's block.
        key: any number of bytes; a key of more than a block is hashed first.
        message: any number of bytes.

    Example:
        >>> import hashlib
        >>> md5 = lambda message: hashlib.md5(message).digest()
        >>> hmac_over(md5, 64, b"Jefe", b"what do ya want for nothing?").hex()
        '750c783e6ab0b503eaa86e310a5db738'
    """
    padded = (digest(key) if len(key) > block_bytes else key).ljust(block_bytes, b"\0")
    inner = digest(bytes(byte ^ 0x36 for byte in padded) + message)
    return digest(bytes(byte ^ 0x5C for byte in padded) + inner)
