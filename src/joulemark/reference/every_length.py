# SPDX-License-Identifier: Apache-2.0
"""Digests of the references' outputs for every short length, one digest for each algorithm.

A portable kernel is compared with its digest in milliseconds. Digests of algorithms in Python's own
modules are computed on demand. The other references take seconds, so `tools/every_length.py` wrote
their digests to `every_length.json`; a test computes the quick ones again, and an exhaustive test
all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from joulemark.reference import in_hashlib, reference_output

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

    Args:
        algorithm: catalogue id.
        key_bytes: length of `key_zero`; ignored by hashes.
        most_bytes: longest length; for a kept digest the length in `tools/every_length.py`.
        message: makes the harness's message of a length.

    Returns:
        The digest, or None if no digest of this algorithm is kept.
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
