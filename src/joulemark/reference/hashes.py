# SPDX-License-Identifier: Apache-2.0
"""The modules of the hashes that Python does not have.

There are many, and a command needs few, so a module is imported at the first call of its function.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final


def _in(module: str, function: str, *more: int) -> Callable[[bytes], bytes]:
    """A function of a module of this folder, with its arguments after the message."""

    def compute(message: bytes) -> bytes:
        imported: Any = getattr(import_module(f"joulemark.reference.{module}"), function)
        digest: bytes = imported(message, *more)
        return digest

    return compute


HASHES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "ascon-hash-v12": _in("ascon_hash", "ascon_hash_v12"),
    "ascon-hash256": _in("ascon_hash", "ascon_hash256"),
    "blake-256": _in("blake", "blake", 32, 14),
    "blake-512": _in("blake", "blake", 64, 16),
    "blake-r2-256": _in("blake", "blake", 32, 10),
    "blake-r2-512": _in("blake", "blake", 64, 14),
    "blake3": _in("blake3", "blake3"),
    "bmw-256": _in("bmw", "bmw", 32),
    "bmw-512": _in("bmw", "bmw", 64),
    "cubehash-16-512": _in("cubehash", "cubehash", 64, 16, 32),
    "cubehash-256": _in("cubehash", "cubehash", 32),
    "cubehash-512": _in("cubehash", "cubehash", 64),
    "echo-256": _in("echo", "echo", 32),
    "echo-512": _in("echo", "echo", 64),
    "fugue-256": _in("fugue", "fugue", 32),
    "fugue-512": _in("fugue", "fugue", 64),
    "groestl-256": _in("groestl", "groestl_final", 32),
    "groestl-512": _in("groestl", "groestl_final", 64),
    "groestl-r2-256": _in("groestl", "groestl_round2", 32),
    "groestl-r2-512": _in("groestl", "groestl_round2", 64),
    "hamsi-256": _in("hamsi", "hamsi", 32),
    "hamsi-512": _in("hamsi", "hamsi", 64),
    "jh-256": _in("jh", "jh", 32),
    "jh-512": _in("jh", "jh", 64),
    "jh-r2-256": _in("jh", "jh_round2", 32),
    "jh-r2-512": _in("jh", "jh_round2", 64),
    "keccak-256": _in("keccak", "keccak_final", 32),
    "keccak-512": _in("keccak", "keccak_final", 64),
    "keccak-r2-256": _in("keccak", "keccak_round2", 32),
    "keccak-r2-512": _in("keccak", "keccak_round2", 64),
    "kt128": _in("kangarootwelve", "kt128"),
    "luffa-256": _in("luffa", "luffa", 32),
    "luffa-512": _in("luffa", "luffa", 64),
    "ripemd160": _in("ripemd160", "ripemd160"),
    "shabal-256": _in("shabal", "shabal", 32),
    "shabal-512": _in("shabal", "shabal", 64),
    "shavite3-256": _in("shavite3", "shavite3", 32),
    "shavite3-512": _in("shavite3", "shavite3", 64),
    "simd-256": _in("simd", "simd", 4),
    "simd-512": _in("simd", "simd", 8),
    "skein-512-256": _in("skein", "skein_512_v1_3", 32),
    "skein-512-512": _in("skein", "skein_512_v1_3", 64),
    "skein-512-r2-256": _in("skein", "skein_512_v1_2", 32),
    "skein-512-r2-512": _in("skein", "skein_512_v1_2", 64),
    "sm3": _in("sm3", "sm3"),
    "whirlpool": _in("whirlpool", "whirlpool"),
}
"""Id of an algorithm -> its digest of a message."""
