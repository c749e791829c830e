# SPDX-License-Identifier: Apache-2.0
"""The right output of every algorithm, computed by readable code that shares nothing with kernels.

Each primitive was written from its standard; a page has a family of them. The hashes of Python's
`hashlib`, and HMAC over them, come from Python itself. No code here is constant time: it checks,
and must not be used with secrets.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from joulemark.errors import UsageError
from joulemark.reference.aes import aegismac_128l, aegismac_256, encrypt_block
from joulemark.reference.blake import blake3_keyed
from joulemark.reference.block_ciphers import BLOCK_CIPHERS, cbc_mac, cmac, gmac, pmac, xcbc
from joulemark.reference.lightweight import (
    ascon_mac,
    ascon_prf,
    chaskey,
    halfsiphash_2_4,
    siphash_1_3,
    siphash_2_4,
)
from joulemark.reference.sha3_finalists import kmac128, kmac256
from joulemark.reference.universal import poly1305, poly1305_aes, umac, vmac

_HASHLIB: dict[str, tuple[str, int | None]] = {
    **{name: (name, None) for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")},
    **{f"sha3-{bits}": (f"sha3_{bits}", None) for bits in (224, 256, 384, 512)},
    "sha512-256": ("sha512_256", None),
    "blake2b-512": ("blake2b", None),
    "blake2s-256": ("blake2s", None),
    "shake128-256": ("shake_128", 32),
    "shake256-512": ("shake_256", 64),
}
"""Algorithm -> Python's name of the hash, and the bytes taken of an extendable output."""

_IN_HASHLIB_KEYED: dict[str, Callable[[bytes, bytes], bytes]] = {
    "blake2b-mac": lambda key, message: hashlib.blake2b(message, key=key).digest(),
    "blake2s-mac": lambda key, message: hashlib.blake2s(message, key=key).digest(),
}


# The hashes that Python does not have. There are many, and a command needs few, so a page is
# imported at the first call of a function on it.


def _in(page: str, function: str, *more: int) -> Callable[[bytes], bytes]:
    """A function of a page of this folder, with its arguments after the message."""

    def compute(message: bytes) -> bytes:
        imported: Any = getattr(import_module(f"joulemark.reference.{page}"), function)
        digest: bytes = imported(message, *more)
        return digest

    return compute


_OF_32_AND_64_BYTES: Final = {
    "bmw": ("sha3_with_sums", "bmw"),
    "cubehash": ("sha3_with_sums", "cubehash"),
    "echo": ("sha3_on_arrays", "echo"),
    "fugue": ("sha3_with_aes", "fugue"),
    "groestl": ("sha3_on_arrays", "groestl_final"),
    "groestl-r2": ("sha3_on_arrays", "groestl_round2"),
    "hamsi": ("sha3_with_slices", "hamsi"),
    "jh": ("sha3_finalists", "jh"),
    "jh-r2": ("sha3_finalists", "jh_round2"),
    "keccak": ("sha3_finalists", "keccak_final"),
    "keccak-r2": ("sha3_finalists", "keccak_round2"),
    "luffa": ("sha3_with_slices", "luffa"),
    "shabal": ("sha3_with_sums", "shabal"),
    "shavite3": ("sha3_with_aes", "shavite3"),
    "skein-512": ("sha3_finalists", "skein_512_v1_3"),
    "skein-512-r2": ("sha3_finalists", "skein_512_v1_2"),
}
"""Name without the bits of the digest -> page and function, which takes the bytes of the digest."""

HASHES: Final[dict[str, Callable[[bytes], bytes]]] = {
    **{
        f"{name}-{8 * size}": _in(*place, size)
        for name, place in _OF_32_AND_64_BYTES.items()
        for size in (32, 64)
    },
    "ascon-hash-v12": _in("lightweight", "ascon_hash_v12"),
    "ascon-hash256": _in("lightweight", "ascon_hash256"),
    "blake-256": _in("blake", "blake", 32, 14),
    "blake-512": _in("blake", "blake", 64, 16),
    "blake-r2-256": _in("blake", "blake", 32, 10),
    "blake-r2-512": _in("blake", "blake", 64, 14),
    "blake3": _in("blake", "blake3"),
    "cubehash-16-512": _in("sha3_with_sums", "cubehash", 64, 16, 32),
    "kt128": _in("sha3_finalists", "kt128"),
    "ripemd160": _in("iso_hashes", "ripemd160"),
    "simd-256": _in("sha3_on_arrays", "simd", 4),
    "simd-512": _in("sha3_on_arrays", "simd", 8),
    "sm3": _in("iso_hashes", "sm3"),
    "whirlpool": _in("iso_hashes", "whirlpool"),
}
"""Id of an algorithm -> its digest of a message."""

# MACs and ciphers.

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

    Hashes ignore the key; a cipher's message is one block. A nonce is of zeros unless given. The
    block of the hash is for HMAC over a hash that Python does not have.

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


# HMAC (RFC 2104, section 2) over any function from bytes to bytes.


def hmac_over(
    digest: Callable[[bytes], bytes], block_bytes: int, key: bytes, message: bytes
) -> bytes:
    """Tag as long as the digest, at most a block; a key of more than a block is hashed first.

    Example:
        >>> import hashlib
        >>> md5 = lambda message: hashlib.md5(message).digest()
        >>> hmac_over(md5, 64, b"Jefe", b"what do ya want for nothing?").hex()
        '750c783e6ab0b503eaa86e310a5db738'
    """
    padded = (digest(key) if len(key) > block_bytes else key).ljust(block_bytes, b"\0")
    inner = digest(bytes(byte ^ 0x36 for byte in padded) + message)
    return digest(bytes(byte ^ 0x5C for byte in padded) + inner)


# Digests of the references' outputs for every short length, one digest for each algorithm.
#
# A portable kernel is compared with its digest in milliseconds. Digests of algorithms in Python's
# own modules are computed on demand. The other references take seconds, so
# `tools/every_length.py` wrote their digests to `every_length.json`; a test computes the quick
# ones again, and an exhaustive test all of them.

KEPT = Path(__file__).with_name("every_length.json")
_BLOCK_BYTES = {"aes": 16, "rc6": 16, "serpent": 16, "shacal1": 20, "shacal2": 32, "twofish": 16}
"""Beginning of a cipher's name -> bytes of its block."""


def key_zero(size_bytes: int) -> bytes:
    """The fixed key that trials are timed with; no two bytes in a row are equal."""
    return bytes((7 * i + 3) % 256 for i in range(size_bytes))


@cache
def _kept() -> dict[str, str]:
    digests: dict[str, str] = json.loads(KEPT.read_text("utf-8"))
    return digests


def every_length_digest(
    algorithm: str, key_bytes: int, most_bytes: int, message: Callable[[int], bytes]
) -> str | None:
    """SHA-256, in hex, of the outputs of all lengths from 0 to `most_bytes` in a row.

    The key is `key_zero`; `message` makes the harness's message of a length. None if no digest of
    this algorithm is kept; kept digests are of the lengths in `tools/every_length.py`.
    """
    if in_hashlib(algorithm):
        return compute_every_length(algorithm, key_bytes, most_bytes, message)
    return _kept().get(algorithm)


def compute_every_length(
    algorithm: str, key_bytes: int, most_bytes: int, message: Callable[[int], bytes]
) -> str:
    """As `every_length_digest`, computed by the reference even if that takes minutes.

    A cipher encrypts the longest message alone, whose blocks are those of all shorter messages.
    """
    key = key_zero(key_bytes)
    longest = message(most_bytes)
    digest = hashlib.sha256()
    block = next((size for name, size in _BLOCK_BYTES.items() if algorithm.startswith(name)), None)
    if block is not None:
        for at in range(0, most_bytes - block + 1, block):
            digest.update(reference_output(algorithm, key, longest[at : at + block]))
        return digest.hexdigest()
    for size in range(most_bytes + 1):
        digest.update(reference_output(algorithm, key, longest[:size]))
    return digest.hexdigest()
