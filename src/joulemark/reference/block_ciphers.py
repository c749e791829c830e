# SPDX-License-Identifier: Apache-2.0
"""Ciphers beside AES as functions of key and block, and CMAC (NIST SP 800-38B) over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from joulemark.errors import UsageError
from joulemark.reference.rc6 import rc6_encryption
from joulemark.reference.serpent import serpent_encryption
from joulemark.reference.shacal import (
    SHACAL1_BLOCK_BYTES,
    SHACAL2_BLOCK_BYTES,
    shacal1_encryption,
    shacal2_encryption,
)
from joulemark.reference.twofish import twofish_encryption

__all__ = ["BLOCK_CIPHERS", "POLYNOMIALS"]

POLYNOMIALS = {16: 0x87, SHACAL1_BLOCK_BYTES: 0x2D, SHACAL2_BLOCK_BYTES: 0x425}
"""By bytes of a block, R of section 5.3: the lexicographically first irreducible polynomial of that
degree with the fewest terms, without its highest term."""


class _Cipher(NamedTuple):
    key_bytes: int | None
    encryption: Callable[[bytes], Callable[[bytes], bytes]]
    block_bytes: int = 16
    has_cmac: bool = True


_CIPHERS = {
    "rc6-128": _Cipher(16, rc6_encryption),
    "serpent128": _Cipher(16, serpent_encryption),
    "serpent256": _Cipher(32, serpent_encryption, has_cmac=False),
    "shacal1": _Cipher(None, shacal1_encryption, SHACAL1_BLOCK_BYTES),
    "shacal2": _Cipher(None, shacal2_encryption, SHACAL2_BLOCK_BYTES),
    "twofish128": _Cipher(16, twofish_encryption),
    "twofish256": _Cipher(32, twofish_encryption, has_cmac=False),
}


def _block(cipher: _Cipher, key: bytes, block: bytes) -> bytes:
    if len(block) != cipher.block_bytes:
        raise UsageError(
            f"A block of this cipher has {cipher.block_bytes} bytes, not {len(block)}."
        )
    return cipher.encryption(key)(block)


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


def _cmac(cipher: _Cipher, key: bytes, message: bytes) -> bytes:
    """The tag: section 6.2, with the subkeys of section 6.1 as numbers."""
    encrypt, size = cipher.encryption(key), cipher.block_bytes
    subkeys = [_number(encrypt(bytes(size)))]
    for _ in range(2):
        doubled = subkeys[-1] << 1
        over = doubled >> (8 * size)
        subkeys.append(doubled ^ (1 << (8 * size) | POLYNOMIALS[size]) if over else doubled)
    blocks = [message[i : i + size] for i in range(0, len(message), size)] or [b""]
    whole = len(blocks[-1]) == size
    padded = blocks[-1] if whole else (blocks[-1] + b"\x80").ljust(size, b"\0")
    numbers = [_number(block) for block in [*blocks[:-1], padded]]
    numbers[-1] ^= subkeys[1] if whole else subkeys[2]
    chain = bytes(size)
    for number in numbers:
        chain = encrypt((_number(chain) ^ number).to_bytes(size, "big"))
    return chain


BLOCK_CIPHERS: dict[str, tuple[int | None, Callable[[bytes, bytes], bytes]]] = {
    **{name: (cipher.key_bytes, partial(_block, cipher)) for name, cipher in _CIPHERS.items()},
    **{
        f"cmac-{name}": (cipher.key_bytes, partial(_cmac, cipher))
        for name, cipher in _CIPHERS.items()
        if cipher.has_cmac
    },
}
"""Length of the key in bytes, None where several are taken, and the function of key and block or
message, by algorithm."""
