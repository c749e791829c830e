# SPDX-License-Identifier: Apache-2.0
"""The right output of every algorithm, computed by readable code that shares nothing with kernels.

Each primitive has a file that was written from its standard. The hashes of Python's `hashlib`, and
HMAC over them, come from Python itself. No code here is constant time: it checks, and must not be
used with secrets.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import partial

from joulemark.errors import UsageError
from joulemark.reference.aegis import aegismac_128l, aegismac_256
from joulemark.reference.aes import encrypt_block
from joulemark.reference.ascon_mac import ascon_mac, ascon_prf
from joulemark.reference.blake3 import blake3_keyed
from joulemark.reference.block_ciphers import BLOCK_CIPHERS
from joulemark.reference.chaskey import chaskey
from joulemark.reference.cmac import cbc_mac, cmac, xcbc
from joulemark.reference.gmac import gmac
from joulemark.reference.hashes import HASHES
from joulemark.reference.hmac_over import hmac_over
from joulemark.reference.kmac import kmac128, kmac256
from joulemark.reference.pmac import pmac
from joulemark.reference.poly1305 import poly1305, poly1305_aes
from joulemark.reference.siphash import halfsiphash_2_4, siphash_1_3, siphash_2_4
from joulemark.reference.umac import umac
from joulemark.reference.vmac import vmac

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
"""Algorithm -> Python's name of the hash, and the bytes taken of an extendable output."""

_IN_HASHLIB_KEYED: dict[str, Callable[[bytes, bytes], bytes]] = {
    "blake2b-mac": lambda key, message: hashlib.blake2b(message, key=key).digest(),
    "blake2s-mac": lambda key, message: hashlib.blake2s(message, key=key).digest(),
}

_AES_KEY_BYTES = (16, 24, 32)
_UNIVERSAL = {
    **{f"umac-{8 * size}-aes128": partial(umac, tag_bytes=size) for size in (4, 8, 12, 16)},
    **{f"vmac-{8 * size}-aes128": partial(vmac, tag_bytes=size) for size in (8, 16)},
}

_WITH_NONCE: dict[str, Callable[[bytes, bytes, bytes], bytes]] = {
    "aegismac-128l": aegismac_128l,
    "aegismac-256": aegismac_256,
    **{f"gmac-aes{8 * size}": gmac for size in _AES_KEY_BYTES},
    "poly1305-aes": poly1305_aes,
    **_UNIVERSAL,
}
"""Algorithm -> function of key, message and nonce."""

_KEYED: dict[str, tuple[int | None, Callable[[bytes, bytes], bytes]]] = {
    "aegismac-128l": (16, aegismac_128l),
    "aegismac-256": (32, aegismac_256),
    "ascon-mac": (16, ascon_mac),
    "ascon-prf": (16, ascon_prf),
    "blake3-keyed": (32, blake3_keyed),
    "cbc-mac-aes128": (16, cbc_mac),
    "chaskey-8": (16, partial(chaskey, rounds=8)),
    "chaskey-12": (16, partial(chaskey, rounds=12)),
    "chaskey-lts": (16, partial(chaskey, rounds=16)),
    "halfsiphash-2-4": (8, halfsiphash_2_4),
    "halfsiphash-2-4-64": (8, partial(halfsiphash_2_4, output_bytes=8)),
    "kmac128": (None, kmac128),
    "kmac256": (None, kmac256),
    "pmac-aes128": (16, pmac),
    "poly1305": (32, poly1305),
    "poly1305-aes": (32, poly1305_aes),
    "siphash-1-3": (16, siphash_1_3),
    "siphash-2-4": (16, siphash_2_4),
    "siphash-2-4-128": (16, partial(siphash_2_4, output_bytes=16)),
    "xcbc-aes128": (16, xcbc),
    **{f"aes{8 * size}": (size, encrypt_block) for size in _AES_KEY_BYTES},
    **{f"cmac-aes{8 * size}": (size, cmac) for size in _AES_KEY_BYTES},
    **{f"gmac-aes{8 * size}": (size, gmac) for size in _AES_KEY_BYTES},
    **{algorithm: (16, function) for algorithm, function in _UNIVERSAL.items()},
    **{algorithm: (None, function) for algorithm, function in _IN_HASHLIB_KEYED.items()},
    **BLOCK_CIPHERS,
}
"""Algorithm -> length of the key in bytes, None if it may vary, and function of key and message."""


def fixed_key_bytes(algorithm: str) -> int | None:
    """Bytes of the algorithm's key; None if it has no key, or keys of several lengths."""
    return _KEYED[algorithm][0] if algorithm in _KEYED else None


def in_hashlib(algorithm: str) -> bool:
    """Whether Python itself computes the algorithm: a hash, HMAC over it, or BLAKE2 with a key."""
    keyed = algorithm in _IN_HASHLIB_KEYED
    return algorithm in _HASHLIB or keyed or _hmac_in_python(algorithm) is not None


def _hmac_in_python(algorithm: str) -> str | None:
    """Python's name of the hash under its HMAC, which refuses extendable outputs."""
    mode, _, digest = algorithm.partition("-")
    name, output_bytes = _HASHLIB.get(digest, ("", 0))
    return name if mode == "hmac" and output_bytes is None else None


def _hash(algorithm: str, message: bytes) -> bytes:
    name, output_bytes = _HASHLIB[algorithm]
    if output_bytes is None:
        return hashlib.new(name, message, usedforsecurity=False).digest()
    extendable = hashlib.shake_128 if name == "shake_128" else hashlib.shake_256
    return extendable(message).digest(output_bytes)


def reference_output(
    algorithm: str, key: bytes, message: bytes, *, nonce: bytes = b"", block_bytes: int = 0
) -> bytes:
    """The digest, tag or cipher block that the standard prescribes.

    Args:
        algorithm: catalogue id.
        key: ignored by hashes.
        message: for a cipher, one block.
        nonce: for an algorithm that takes a nonce; zeros unless given.
        block_bytes: of the hash, for HMAC over a hash that Python does not have.

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
    if key_bytes is not None and len(key) != key_bytes:
        raise UsageError(f"{algorithm} takes a key of {key_bytes} bytes, not {len(key)}.")
    return _WITH_NONCE[algorithm](key, message, nonce) if nonce else function(key, message)
