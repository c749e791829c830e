# SPDX-License-Identifier: Apache-2.0
"""SIMD-256 and SIMD-512 (Leurent, Bouillaguet, Fouque: "SIMD is a Message Digest", version 1.1).

The number-theoretic transform is its definition: a product with a matrix of powers, modulo 257.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from joulemark.reference.words import bytes_of, rotate_left, words_of

_MASK = (1 << 32) - 1
_INITIAL = {
    4: "4d56798307190ba98474577b39d726e9aaf3d9253ee20b03afd5e751c96006d3"
    "c2c2ba1449b3bcb4f67caf46668626c9e2eaa8d21ff47833d0c661a555693de1",
    8: "0ba16b9572f999ad9fecc2aeba3264fc5e8949298e9f30e52f1daa37f0f2c558"
    "ac506643a90635a5e25b878baab7878f88817f7a0a02892b559a7550598f657e"
    "7eef60a16b70e3e89c1714d1b958e2a8ab02675eed1c014fcd8d65bbfdb7a257"
    "09254899d699c7bc9019b6dc2b9022e48fa1495621bf9bd3b94d09436ffddc22",
}
_ORDER = (
    4,
    6,
    0,
    2,
    7,
    5,
    3,
    1,
    15,
    11,
    12,
    8,
    9,
    13,
    10,
    14,
    17,
    18,
    23,
    20,
    22,
    21,
    16,
    19,
    30,
    24,
    25,
    31,
    27,
    29,
    28,
    26,
)
_ROTATIONS = ((3, 23, 17, 27), (28, 19, 22, 7), (29, 9, 15, 5), (4, 13, 10, 25))
_EXCHANGES = {4: (1, 2, 3), 8: (1, 6, 2, 3, 5, 7, 4)}
"""Number of lanes -> for each step, the XOR of a lane's number and the lane whose A it adds."""


@cache
def _powers(size: int) -> Any:
    """The root of unity of this order, 41 or its square, to the power of row times column."""
    root = 41 if size == 256 else 41 * 41 % 257
    exponents = np.outer(np.arange(size), np.arange(size)) % size
    return np.array([pow(root, exponent, 257) for exponent in range(size)])[exponents]


def _expand(block: bytes, lanes: int, *, last: bool) -> list[list[int]]:
    """Section 1.2: 32 vectors of words, each of two residues between -128 and 128."""
    size = 32 * lanes
    x = np.zeros(size, dtype=np.int64)
    x[: len(block)] = np.frombuffer(block, dtype=np.uint8)
    x[size - 1] = 1
    if last:
        x[size - 3] = 1
    y = _powers(size) @ x % 257
    y = np.where(y > 128, y - 257, y).tolist()
    half = size // 2
    words = []
    for number in _ORDER:
        at = 2 * lanes * number
        for j in range(0, 2 * lanes, 2):
            if number < 16:
                low, high, factor = y[at + j], y[at + j + 1], 185
            elif number < 24:
                first = at + j - size
                low, high, factor = y[first], y[first + half], 233
            else:
                first = at + j - size - half + 1
                low, high, factor = y[first], y[first + half], 233
            words.append((high * factor << 16 & _MASK) | low * factor & 0xFFFF)
    return [words[at : at + lanes] for at in range(0, 32 * lanes, lanes)]


def _compress(h: list[list[int]], block: bytes, lanes: int, *, last: bool) -> list[list[int]]:
    words = words_of(block, "little")
    a, b, c, d = (
        [number ^ word for number, word in zip(row, words[i * lanes :], strict=False)]
        for i, row in enumerate(h)
    )
    schedule = _expand(block, lanes, last=last) + h
    exchanges = _EXCHANGES[lanes]
    for step, w in enumerate(schedule):
        turns = _ROTATIONS[min(step // 8, 3)]
        r, s = turns[step % 4], turns[(step + 1) % 4]
        majority = step < 32 and step % 8 > 3
        turned = [rotate_left(word, r) for word in a]
        exchange = exchanges[step % len(exchanges)]
        new = []
        for i in range(lanes):
            x, y, z = a[i], b[i], c[i]
            chosen = (x & y) | (x & z) | (y & z) if majority else (x & y) | (~x & z)
            total = d[i] + w[i] + (chosen & _MASK) & _MASK
            new.append(rotate_left(total, s) + turned[i ^ exchange] & _MASK)
        a, b, c, d = new, turned, b, c
    return [a, b, c, d]


def simd(message: bytes, lanes: int) -> bytes:
    """SIMD-256 or SIMD-512.

    Args:
        message: any number of bytes.
        lanes: 4 for SIMD-256, 8 for SIMD-512.

    Example:
        >>> simd(b"", 4).hex()[:16]
        '8029e81e7320e13e'
    """
    block_bytes = 16 * lanes
    initial = words_of(bytes.fromhex(_INITIAL[lanes]), "big")
    h = [initial[at : at + lanes] for at in range(0, len(initial), lanes)]
    padded = message + bytes(-len(message) % block_bytes)
    for at in range(0, len(padded), block_bytes):
        h = _compress(h, padded[at : at + block_bytes], lanes, last=False)
    length = (8 * len(message)).to_bytes(8, "little").ljust(block_bytes, b"\0")
    h = _compress(h, length, lanes, last=True)
    return bytes_of((*h[0], *h[1]), "little")
