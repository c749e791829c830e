# SPDX-License-Identifier: Apache-2.0
"""Python's `hmac` and `hashlib`, which many users have today.

The call into the interpreter is measured too, since such a user pays for it.
"""

from __future__ import annotations

import hashlib
import hmac
import platform
import ssl
from collections.abc import Callable

from joulemark import _core

PROVIDER = "python"

_HASHES = {
    "md5": "md5",
    "sha1": "sha1",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha224": "sha224",
    "blake2b-512": "blake2b",
    "blake2s-256": "blake2s",
    "sha3-224": "sha3_224",
    "sha3-256": "sha3_256",
    "sha3-384": "sha3_384",
    "sha3-512": "sha3_512",
}
"""Id of each hash in the catalogue -> Python's name."""
_WITHOUT_HMAC = ("sha3-224", "sha3-384", "sha224", "blake2b-512", "blake2s-256")
"""Hashes over which the catalogue has no HMAC."""


def library_version() -> str:
    """Interpreter, and the OpenSSL that its hash functions come from."""
    return f"{platform.python_implementation()} {platform.python_version()} ({ssl.OPENSSL_VERSION})"


def _digest(name: str) -> Callable[[bytes], bytes]:
    constructor = getattr(hashlib, name)

    def run(message: bytes) -> bytes:
        output: bytes = constructor(message, usedforsecurity=False).digest()
        return output

    return run


def _one_shot(name: str) -> Callable[[bytes, bytes], bytes]:
    def run(key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, name)

    return run


def _keyed(name: str) -> Callable[[bytes], hmac.HMAC]:
    def set_up(key: bytes) -> hmac.HMAC:
        return hmac.new(key, digestmod=name)

    return set_up


def _copy_and_update(keyed: hmac.HMAC, message: bytes) -> bytes:
    mac = keyed.copy()
    mac.update(message)
    return mac.digest()


def implementations() -> list[_core.Implementation]:
    """Two call styles of HMAC, and the plain hashes."""
    offered = []
    for algorithm, name in _HASHES.items():
        hasher = hashlib.new(name, usedforsecurity=False)
        sizes = {"block_bytes": hasher.block_size, "output_bytes": hasher.digest_size}
        make = _core.python_implementation
        offered.append(
            make(
                algorithm,
                "python_hashlib",
                f"hashlib.{name}(message).digest()",
                **sizes,
                key_bytes=0,
                set_up=None,
                run=_digest(name),
            )
        )
        if algorithm in _WITHOUT_HMAC:
            continue
        offered += [
            make(
                f"hmac-{algorithm}",
                "python_hmac_digest",
                f"hmac.digest(key, message, '{name}'), the key set up for every message",
                **sizes,
                key_bytes=hasher.digest_size,
                set_up=bytes,
                run=_one_shot(name),
            ),
            make(
                f"hmac-{algorithm}",
                "python_hmac_copy",
                "hmac.new(key) kept; copy(), update(message), digest() for every message",
                **sizes,
                key_bytes=hasher.digest_size,
                set_up=_keyed(name),
                run=_copy_and_update,
            ),
        ]
    return offered
