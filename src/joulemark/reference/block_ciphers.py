# SPDX-License-Identifier: Apache-2.0
"""Ciphers beside AES as functions of key and block, and CMAC (NIST SP 800-38B) over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from joulemark.errors import UsageError
from joulemark.reference.cmac import cmac_over
from joulemark.reference.rc6 import rc6_encryption
from joulemark.reference.serpent import serpent_encryption
from joulemark.reference.shacal import (
    SHACAL1_BLOCK_BYTES,
    SHACAL2_BLOCK_BYTES,
    shacal1_encryption,
    shacal2_encryption,
)
from joulemark.reference.twofish import twofish_encryption


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


def _cmac(cipher: _Cipher, key: bytes, message: bytes) -> bytes:
    encrypt, size = cipher.encryption(key), cipher.block_bytes

    def encrypt_number(block: int) -> int:
        return int.from_bytes(encrypt(block.to_bytes(size, "big")), "big")

    return cmac_over(encrypt_number, size, message)


BLOCK_CIPHERS: dict[str, tuple[int | None, Callable[[bytes, bytes], bytes]]] = {
    **{name: (cipher.key_bytes, partial(_block, cipher)) for name, cipher in _CIPHERS.items()},
    **{
        f"cmac-{name}": (cipher.key_bytes, partial(_cmac, cipher))
        for name, cipher in _CIPHERS.items()
        if cipher.has_cmac
    },
}
"""Algorithm -> length of the key in bytes, None if it may vary, and function of key and message."""
