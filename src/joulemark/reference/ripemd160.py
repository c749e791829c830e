# SPDX-License-Identifier: Apache-2.0
"""RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996), with constants computed as it says."""

from __future__ import annotations

from math import isqrt

from joulemark.reference.words import bytes_of, rotate_left, words_of

_MASK = 0xFFFFFFFF
_BLOCK_BYTES = 64
_INITIAL = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
_PERMUTATION = (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8)
"""Called rho: word i of the next round is word rho(i) of this round."""
_SHIFTS = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (12, 13, 11, 15, 6, 9, 9, 7, 12, 15, 11, 13, 7, 8, 7, 7),
    (13, 15, 14, 11, 7, 7, 6, 8, 13, 14, 13, 12, 5, 5, 6, 9),
    (14, 11, 12, 14, 8, 6, 5, 5, 15, 12, 15, 14, 9, 9, 8, 6),
    (15, 12, 13, 13, 9, 5, 8, 6, 14, 11, 12, 11, 8, 6, 5, 5),
)
"""Rotations by round and by word of the block, the same in both lines."""


def _cube_root(number: int) -> int:
    """The whole part of the cube root of a number of less than 96 bits, bit by bit."""
    root = 0
    for bit in reversed(range(32)):
        if (root | 1 << bit) * (root | 1 << bit) * (root | 1 << bit) <= number:
            root |= 1 << bit
    return root


_LEFT = (0, *(isqrt(prime << 60) for prime in (2, 3, 5, 7)))
_RIGHT = (*(_cube_root(prime << 90) for prime in (2, 3, 5, 7)), 0)


def _function(index: int, x: int, y: int, z: int) -> int:
    return (
        x ^ y ^ z,
        (x & y) | (~x & z),
        (x | (~y & _MASK)) ^ z,
        (x & z) | (y & ~z),
        x ^ (y | (~z & _MASK)),
    )[index] & _MASK


def _line(state: tuple[int, ...], words: list[int], order: list[int], *, right: bool) -> list[int]:
    """Five rounds of sixteen steps; the first round takes the words in this order."""
    a, b, c, d, e = state
    for number in range(5):
        constant = (_RIGHT if right else _LEFT)[number]
        for word in order:
            mixed = _function(4 - number if right else number, b, c, d)
            total = (a + mixed + words[word] + constant) & _MASK
            a, b, c, d, e = (
                e,
                (rotate_left(total, _SHIFTS[number][word]) + e) & _MASK,
                b,
                rotate_left(c, 10),
                d,
            )
        order = [_PERMUTATION[word] for word in order]
    return [a, b, c, d, e]


def _compress(state: tuple[int, ...], block: bytes) -> tuple[int, ...]:
    words = words_of(block, "little")
    one = _line(state, words, list(range(16)), right=False)
    other = _line(state, words, [(9 * i + 5) % 16 for i in range(16)], right=True)
    return tuple(
        (state[(i + 1) % 5] + one[(i + 2) % 5] + other[(i + 3) % 5]) & _MASK for i in range(5)
    )


def ripemd160(message: bytes) -> bytes:
    """Digest of 20 bytes.

    Example:
        >>> ripemd160(b"abc").hex()[:16]
        '8eb208f7e05d987a'
    """
    padded = message + b"\x80" + bytes(-(len(message) + 9) % _BLOCK_BYTES)
    padded += (8 * len(message)).to_bytes(8, "little")
    state: tuple[int, ...] = _INITIAL
    for at in range(0, len(padded), _BLOCK_BYTES):
        state = _compress(state, padded[at : at + _BLOCK_BYTES])
    return bytes_of(state, "little")
