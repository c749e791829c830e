# SPDX-License-Identifier: Apache-2.0
"""The keys and messages of firmware/bench/bench.c, and the output that is right for them."""

from __future__ import annotations

from joulemark.reference import reference_output

__all__ = ["expected_output", "key_of", "message_of"]


def key_of(size_bytes: int) -> bytes:
    """The key of the bench: `fill(message, size, 7, 0x40)`."""
    return _fill(size_bytes, 7, 0x40)


def message_of(size_bytes: int) -> bytes:
    """The message of the bench: `fill(message, size, 167, 13)`."""
    return _fill(size_bytes, 167, 13)


def _fill(size_bytes: int, step: int, first: int) -> bytes:
    return bytes((first + step * place) & 0xFF for place in range(size_bytes))


def expected_output(
    algorithm: str, kind: str, key_bytes: int, size_bytes: int, block_bytes: int
) -> bytes:
    """The output that the standard prescribes; a cipher encrypts each block by itself."""
    key, message = key_of(key_bytes), message_of(size_bytes)
    if kind != "cipher":
        return reference_output(algorithm, key, message)
    blocks = range(0, size_bytes, block_bytes)
    return b"".join(
        reference_output(algorithm, key, message[at : at + block_bytes]) for at in blocks
    )
