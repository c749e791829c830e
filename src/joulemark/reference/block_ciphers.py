# SPDX-License-Identifier: Apache-2.0
"""Serpent, RC6 and Twofish as functions of key and block, and CMAC (NIST SP 800-38B) over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from joulemark.errors import UsageError
from joulemark.reference.rc6 import rc6_encryption
from joulemark.reference.serpent import serpent_encryption
from joulemark.reference.twofish import twofish_encryption

__all__ = ["BLOCK_CIPHERS"]

_BLOCK_BYTES = 16
_CIPHERS: dict[str, tuple[int, Callable[[bytes], Callable[[bytes], bytes]]]] = {
    "rc6-128": (16, rc6_encryption),
    "serpent128": (16, serpent_encryption),
    "serpent256": (32, serpent_encryption),
    "twofish128": (16, twofish_encryption),
    "twofish256": (32, twofish_encryption),
}


def _block(of: Callable[[bytes], Callable[[bytes], bytes]], key: bytes, block: bytes) -> bytes:
    if len(block) != _BLOCK_BYTES:
        raise UsageError(f"A block of this cipher has {_BLOCK_BYTES} bytes, not {len(block)}.")
    return of(key)(block)


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


def _cmac(of: Callable[[bytes], Callable[[bytes], bytes]], key: bytes, message: bytes) -> bytes:
    """The tag: section 6.2, with the subkeys of section 6.1 as numbers."""
    encrypt = of(key)
    subkeys = [_number(encrypt(bytes(_BLOCK_BYTES)))]
    for _ in range(2):
        doubled = subkeys[-1] << 1
        subkeys.append(doubled ^ (1 << 128 | 0x87) if doubled >> 128 else doubled)
    blocks = [message[i : i + _BLOCK_BYTES] for i in range(0, len(message), _BLOCK_BYTES)] or [b""]
    whole = len(blocks[-1]) == _BLOCK_BYTES
    padded = blocks[-1] if whole else (blocks[-1] + b"\x80").ljust(_BLOCK_BYTES, b"\0")
    numbers = [_number(block) for block in [*blocks[:-1], padded]]
    numbers[-1] ^= subkeys[1] if whole else subkeys[2]
    chain = bytes(_BLOCK_BYTES)
    for number in numbers:
        chain = encrypt((_number(chain) ^ number).to_bytes(_BLOCK_BYTES, "big"))
    return chain


BLOCK_CIPHERS: dict[str, tuple[int, Callable[[bytes, bytes], bytes]]] = {
    **{name: (key_bytes, partial(_block, of)) for name, (key_bytes, of) in _CIPHERS.items()},
    **{
        f"cmac-{name}": (key_bytes, partial(_cmac, of))
        for name, (key_bytes, of) in _CIPHERS.items()
        if key_bytes == _BLOCK_BYTES
    },
}
"""Length of the key in bytes, and the function of key and block or message, by algorithm."""
