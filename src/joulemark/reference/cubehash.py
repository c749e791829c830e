# SPDX-License-Identifier: Apache-2.0
"""CubeHash16/32 (Bernstein: "CubeHash specification", 2.B.1), with any initial and final rounds.

Each half of the state, the words x[0jklm] and x[1jklm], is one integer with a word in every 64
bits, so that sums and rotations have room.
"""

from __future__ import annotations

from functools import cache

from joulemark.reference.words import bytes_of, words_of

_ROUNDS = 16
_BLOCK_BYTES = 32
_WORDS = sum(0xFFFFFFFF << (64 * place) for place in range(16))
_WITHOUT = {
    bit: sum(0xFFFFFFFF << (64 * place) for place in range(16) if not place & bit)
    for bit in (1, 2, 4, 8)
}
"""The words whose place does not have this bit."""


def _swap(half: int, bit: int) -> int:
    """Exchanges words whose places differ only in this bit."""
    return (half & _WITHOUT[bit]) << (64 * bit) | half >> (64 * bit) & _WITHOUT[bit]


def _turn(half: int, count: int) -> int:
    shifted = half << count
    return (shifted | shifted >> 32) & _WORDS


def _rounds(low: int, high: int, count: int) -> tuple[int, int]:
    for _ in range(count):
        high = low + high & _WORDS
        low = _swap(_turn(low, 7), 8) ^ high
        high = low + _swap(high, 2) & _WORDS
        low = _swap(_turn(low, 11), 4) ^ high
        high = _swap(high, 1)
    return low, high


@cache
def _initial(output_bytes: int, rounds: int) -> tuple[int, int]:
    return _rounds(output_bytes | _BLOCK_BYTES << 64 | _ROUNDS << 128, 0, rounds)


def cubehash(
    message: bytes, output_bytes: int, initial_rounds: int = 160, final_rounds: int = 160
) -> bytes:
    """CubeHash16/32 with a digest of 32 or 64 bytes, or another multiple of 4.

    Example:
        >>> cubehash(b"", 32).hex()[:16]
        '44c6de3ac6c73c39'
    """
    low, high = _initial(output_bytes, initial_rounds)
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _BLOCK_BYTES)
    for at in range(0, len(padded), _BLOCK_BYTES):
        for i, word in enumerate(words_of(padded[at : at + _BLOCK_BYTES], "little")):
            low ^= word << (64 * i)
        low, high = _rounds(low, high, _ROUNDS)
    low, high = _rounds(low, high ^ 1 << (64 * 15), final_rounds)
    words = (low >> (64 * place) & 0xFFFFFFFF for place in range(output_bytes // 4))
    return bytes_of(words, "little")
