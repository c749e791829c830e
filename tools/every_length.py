# SPDX-License-Identifier: Apache-2.0
"""Writes `src/joulemark/reference/every_length.json`: the references' digests, length by length.

The file covers the algorithms that Python's own modules do not compute; writing it takes some
minutes. Run as `python tools/every_length.py` after `make setup`. No code that the digests check
computes them: keys and outputs come from readable code alone, messages from the harness.
"""

from __future__ import annotations

import json
from pathlib import Path

from joulemark import _core
from joulemark.reference import KEPT, compute_every_length

__all__ = ["KEY_BYTES", "main"]

KEY_BYTES = {
    "aegismac-128l": 16,
    "aegismac-256": 32,
    "aes128": 16,
    "aes192": 24,
    "aes256": 32,
    "blake-256": 0,
    "blake-512": 0,
    "blake-r2-256": 0,
    "blake-r2-512": 0,
    "bmw-256": 0,
    "bmw-512": 0,
    "ascon-hash-v12": 0,
    "ascon-hash256": 0,
    "blake3": 0,
    "cmac-aes128": 16,
    "cmac-aes192": 24,
    "cmac-aes256": 32,
    "cmac-rc6-128": 16,
    "cmac-serpent128": 16,
    "cmac-shacal1": 64,
    "cmac-shacal2": 64,
    "cmac-twofish128": 16,
    "gmac-aes128": 16,
    "gmac-aes192": 24,
    "gmac-aes256": 32,
    "cubehash-16-512": 0,
    "cubehash-256": 0,
    "cubehash-512": 0,
    "hamsi-256": 0,
    "hamsi-512": 0,
    "jh-256": 0,
    "jh-512": 0,
    "jh-r2-256": 0,
    "jh-r2-512": 0,
    "echo-256": 0,
    "echo-512": 0,
    "fugue-256": 0,
    "fugue-512": 0,
    "groestl-256": 0,
    "groestl-512": 0,
    "groestl-r2-256": 0,
    "groestl-r2-512": 0,
    "keccak-256": 0,
    "keccak-512": 0,
    "keccak-r2-256": 0,
    "keccak-r2-512": 0,
    "kt128": 0,
    "luffa-256": 0,
    "luffa-512": 0,
    "poly1305": 32,
    "poly1305-aes": 32,
    "shabal-256": 0,
    "shabal-512": 0,
    "simd-256": 0,
    "simd-512": 0,
    "shavite3-256": 0,
    "shavite3-512": 0,
    "siphash-2-4": 16,
    "siphash-2-4-128": 16,
    "skein-512-256": 0,
    "skein-512-512": 0,
    "skein-512-r2-256": 0,
    "skein-512-r2-512": 0,
    "rc6-128": 16,
    "ripemd160": 0,
    "serpent128": 16,
    "serpent256": 32,
    "shacal1": 64,
    "shacal2": 64,
    "sm3": 0,
    "twofish128": 16,
    "twofish256": 32,
    "whirlpool": 0,
    "ascon-mac": 16,
    "ascon-prf": 16,
    "blake3-keyed": 32,
    "cbc-mac-aes128": 16,
    "chaskey-8": 16,
    "chaskey-12": 16,
    "chaskey-lts": 16,
    "halfsiphash-2-4": 8,
    "halfsiphash-2-4-64": 8,
    "kmac128": 16,
    "kmac256": 32,
    "pmac-aes128": 16,
    "siphash-1-3": 16,
    "umac-32-aes128": 16,
    "umac-64-aes128": 16,
    "umac-96-aes128": 16,
    "umac-128-aes128": 16,
    "vmac-64-aes128": 16,
    "vmac-128-aes128": 16,
    "xcbc-aes128": 16,
}


def main() -> None:
    """Computes all digests and writes the file."""
    found = {
        algorithm: compute_every_length(algorithm, key_bytes, _core.EVERY_LENGTH, _core.message)
        for algorithm, key_bytes in KEY_BYTES.items()
    }
    source = Path(__file__).resolve().parent.parent / "src/joulemark/reference" / KEPT.name
    source.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
