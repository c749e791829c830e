# SPDX-License-Identifier: Apache-2.0
"""What every algorithm must output, computed by readable code that shares nothing with the kernels.

One file per primitive, written from the standard. The hashes of Python's `hashlib`, and HMAC over
them, come from Python itself. None of this is constant time: it is for checking, not for secrets.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import partial

from joulemark.errors import UsageError
from joulemark.reference.aes import encrypt_block
from joulemark.reference.ascon_mac import ascon_mac
from joulemark.reference.cmac import cmac
from joulemark.reference.gmac import gmac
from joulemark.reference.hashes import HASHES
from joulemark.reference.hmac_over import hmac_over
from joulemark.reference.poly1305 import poly1305
from joulemark.reference.siphash import siphash_2_4

__all__ = [
    "ascon_mac",
    "cmac",
    "encrypt_block",
    "fixed_key_bytes",
    "gmac",
    "hmac_over",
    "in_hashlib",
    "poly1305",
    "reference_output",
    "siphash_2_4",
]

_HASHLIB: dict[str, tuple[str, int | None]] = {
    "md5": ("md5", None),
    "sha1": ("sha1", None),
    "sha224": ("sha224", None),
    "sha256": ("sha256", None),
    "sha384": ("sha384", None),
    "sha512": ("sha512", None),
    "sha512-256": ("sha512_256", None),
    "blake2b-512": ("blake2b", None),
    "blake2s-256": ("blake2s", None),
    "sha3-224": ("sha3_224", None),
    "sha3-256": ("sha3_256", None),
    "sha3-384": ("sha3_384", None),
    "sha3-512": ("sha3_512", None),
    "shake128-256": ("shake_128", 32),
    "shake256-512": ("shake_256", 64),
}
"""Python's name of a hash, and the bytes taken of an extendable output."""


def _siphash_2_4_128(key: bytes, message: bytes) -> bytes:
    return siphash_2_4(key, message, output_bytes=16)


_KEYED: dict[str, tuple[int, Callable[[bytes, bytes], bytes]]] = {
    "aes128": (16, encrypt_block),
    "aes256": (32, encrypt_block),
    "ascon-mac": (16, ascon_mac),
    "cmac-aes128": (16, cmac),
    "cmac-aes256": (32, cmac),
    "gmac-aes128": (16, gmac),
    "gmac-aes256": (32, gmac),
    "siphash-2-4": (16, siphash_2_4),
    "siphash-2-4-128": (16, _siphash_2_4_128),
    "poly1305": (32, poly1305),
}
"""Length of the key in bytes, and the function, by algorithm."""


def fixed_key_bytes(algorithm: str) -> int | None:
    """Bytes of each key of the algorithm; None for one without keys or with keys of any length."""
    return _KEYED[algorithm][0] if algorithm in _KEYED else None


def in_hashlib(algorithm: str) -> bool:
    """Whether Python itself computes the algorithm, which may be a hash or HMAC over one."""
    return algorithm in _HASHLIB or _hmac_in_python(algorithm) is not None


def _hmac_in_python(algorithm: str) -> str | None:
    """Python's name of the hash under an HMAC of its own, which refuses extendable outputs."""
    mode, _, digest = algorithm.partition("-")
    name, output_bytes = _HASHLIB.get(digest, ("", 0))
    return name if mode == "hmac" and output_bytes is None else None


def _hash(algorithm: str, message: bytes) -> bytes:
    name, output_bytes = _HASHLIB[algorithm]
    if output_bytes is None:
        return hashlib.new(name, message, usedforsecurity=False).digest()
    extendable = hashlib.shake_128 if name == "shake_128" else hashlib.shake_256
    return extendable(message).digest(output_bytes)


def reference_output(algorithm: str, key: bytes, message: bytes, *, block_bytes: int = 0) -> bytes:
    """The digest, tag or cipher block that the standard prescribes.

    Args:
        algorithm: catalogue id.
        key: ignored by hashes.
        message: for a cipher, one block.
        block_bytes: of the hash, for HMAC over one that Python does not have.

    Raises:
        UsageError: the id is unknown, or key or block have a length that the algorithm refuses.

    Example:
        >>> reference_output("md5", b"", b"abc").hex()
        '900150983cd24fb0d6963f7d28e17f72'
    """
    if algorithm in _HASHLIB:
        return _hash(algorithm, message)
    if algorithm in HASHES:
        return HASHES[algorithm](message)
    python = _hmac_in_python(algorithm)
    if python is not None:
        return hmac.digest(key, message, python)
    mode, _, digest = algorithm.partition("-")
    if mode == "hmac" and digest in _HASHLIB.keys() | HASHES.keys() and block_bytes:
        return hmac_over(partial(reference_output, digest, b""), block_bytes, key, message)
    if algorithm not in _KEYED:
        raise UsageError(f"There is no reference for algorithm '{algorithm}'.")
    key_bytes, function = _KEYED[algorithm]
    if len(key) != key_bytes:
        raise UsageError(f"{algorithm} takes a key of {key_bytes} bytes, not {len(key)}.")
    return function(key, message)
