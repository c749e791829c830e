# SPDX-License-Identifier: Apache-2.0
"""What every algorithm must output, computed by readable code that shares nothing with the kernels.

One file per primitive, written from the standard. Hashes and HMAC come from Python's own
`hashlib` and `hmac`. None of this is constant time: it is for checking, not for secrets.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable

from joulemark.errors import UsageError
from joulemark.reference.aes import encrypt_block
from joulemark.reference.ascon_mac import ascon_mac
from joulemark.reference.cmac import cmac
from joulemark.reference.poly1305 import poly1305
from joulemark.reference.siphash import siphash_2_4

__all__ = [
    "ascon_mac",
    "cmac",
    "encrypt_block",
    "fixed_key_bytes",
    "poly1305",
    "reference_output",
    "siphash_2_4",
]

_HASHES = ("md5", "sha1", "sha256", "sha384", "sha512")


def _siphash_2_4_128(key: bytes, message: bytes) -> bytes:
    return siphash_2_4(key, message, output_bytes=16)


_KEYED: dict[str, tuple[int, Callable[[bytes, bytes], bytes]]] = {
    "aes128": (16, encrypt_block),
    "aes256": (32, encrypt_block),
    "ascon-mac": (16, ascon_mac),
    "cmac-aes128": (16, cmac),
    "cmac-aes256": (32, cmac),
    "siphash-2-4": (16, siphash_2_4),
    "siphash-2-4-128": (16, _siphash_2_4_128),
    "poly1305": (32, poly1305),
}
"""Length of the key in bytes, and the function, by algorithm."""


def fixed_key_bytes(algorithm: str) -> int | None:
    """Bytes of each key of the algorithm; None for one without keys or with keys of any length."""
    return _KEYED[algorithm][0] if algorithm in _KEYED else None


def reference_output(algorithm: str, key: bytes, message: bytes) -> bytes:
    """The digest, tag or cipher block that the standard prescribes.

    Args:
        algorithm: catalogue id.
        key: ignored by hashes.
        message: for a cipher, one block.

    Raises:
        UsageError: the id is unknown, or key or block have a length that the algorithm refuses.

    Example:
        >>> reference_output("md5", b"", b"abc").hex()
        '900150983cd24fb0d6963f7d28e17f72'
    """
    if algorithm in _HASHES:
        return hashlib.new(algorithm, message, usedforsecurity=False).digest()
    mode, _, digest = algorithm.partition("-")
    if mode == "hmac" and digest in _HASHES:
        return hmac.digest(key, message, digest)
    if algorithm not in _KEYED:
        raise UsageError(f"There is no reference for algorithm '{algorithm}'.")
    key_bytes, function = _KEYED[algorithm]
    if len(key) != key_bytes:
        raise UsageError(f"{algorithm} takes a key of {key_bytes} bytes, not {len(key)}.")
    return function(key, message)
