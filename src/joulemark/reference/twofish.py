# SPDX-License-Identifier: Apache-2.0
"""Twofish encryption (Schneier, Kelsey, Whiting, Wagner, Hall and Ferguson, 1998).

The fixed permutations come from their four small tables, and the matrices from multiplication in
GF(2^8), as the specification defines them; the kernels have them as tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

from joulemark.errors import UsageError
from joulemark.reference.aes import multiply
from joulemark.reference.words import bytes_of, rotate_left, words_of

_ROUNDS = 16
_WORD = 0xFFFFFFFF
_SMALL = (
    ("817d6f320b59eca4", "ecb81235f4a6709d", "ba5e6d90c8f32471", "d7f4126e9b3085ca"),
    ("28bdf76e31940ac5", "1e2b4c376da5f908", "4c75169a0ed82b3f", "b951c3de647f208a"),
)
"""t0 to t3 of q0 and of q1 (section 4.3.5)."""
_MDS = (
    (0x01, 0xEF, 0x5B, 0x5B),
    (0x5B, 0xEF, 0xEF, 0x01),
    (0xEF, 0x5B, 0x01, 0xEF),
    (0xEF, 0x01, 0xEF, 0x5B),
)
_RS = (
    (0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E),
    (0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5),
    (0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19),
    (0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03),
)
_MDS_MODULUS, _RS_MODULUS = 0x169, 0x14D
_ORDER = ((1, 0, 0, 1), (1, 1, 0, 0), (0, 1, 0, 1), (0, 0, 1, 1))
"""Number of the q before each word, from the last word of four to the first, by byte."""
_LAST = (1, 0, 1, 0)
"""Number of the q after the first word, by byte."""


@cache
def _q(which: int) -> bytes:
    """The permutation of bytes q0 or q1."""
    t0, t1, t2, t3 = (tuple(int(digit, 16) for digit in row) for row in _SMALL[which])

    def mixed(a: int, b: int) -> tuple[int, int]:
        return a ^ b, a ^ (b >> 1 | b << 3 & 8) ^ (8 * a & 15)

    def image(x: int) -> int:
        a, b = mixed(x >> 4, x & 15)
        a, b = mixed(t0[a], t1[b])
        return t3[b] << 4 | t2[a]

    return bytes(image(x) for x in range(256))


@cache
def _mds_tables() -> list[list[int]]:
    """For each byte of a word and each value, the byte's share of the product."""
    return [
        [
            sum(multiply(row[at], x, _MDS_MODULUS) << 8 * i for i, row in enumerate(_MDS))
            for x in range(256)
        ]
        for at in range(4)
    ]


def _boxes(words: Sequence[bytes]) -> list[list[int]]:
    """The function h of a list of words as four tables of bytes, whose outputs are added."""
    boxes = []
    for at in range(4):
        values = bytes(range(256))
        for word, order in zip(reversed(words), _ORDER[4 - len(words) :], strict=True):
            permutation = _q(order[at])
            values = bytes(permutation[x] ^ word[at] for x in values)
        last, table = _q(_LAST[at]), _mds_tables()[at]
        boxes.append([table[last[x]] for x in values])
    return boxes


def _apply(boxes: list[list[int]], word: int) -> int:
    return (
        boxes[0][word & 255]
        ^ boxes[1][word >> 8 & 255]
        ^ boxes[2][word >> 16 & 255]
        ^ boxes[3][word >> 24]
    )


@lru_cache(maxsize=4)
def _schedule(key: bytes) -> tuple[list[int], list[list[int]]]:
    """The 40 subkeys, and g as four tables."""
    words = [key[at : at + 4] for at in range(0, len(key), 4)]
    even, odd = _boxes(words[0::2]), _boxes(words[1::2])
    keys = []
    for i in range(20):
        a = _apply(even, 2 * i * 0x01010101)
        b = rotate_left(_apply(odd, (2 * i + 1) * 0x01010101), 8)
        keys += [a + b & _WORD, rotate_left(a + 2 * b & _WORD, 9)]
    secret = []
    for at in range(0, len(key), 8):
        word = [0, 0, 0, 0]
        for i, row in enumerate(_RS):
            for factor, byte in zip(row, key[at : at + 8], strict=True):
                word[i] ^= multiply(factor, byte, _RS_MODULUS)
        secret.append(bytes(word))
    return keys, _boxes(secret[::-1])


def _encrypt(schedule: tuple[list[int], list[list[int]]], block: bytes) -> bytes:
    keys, boxes = schedule
    a, b, c, d = (word ^ key for word, key in zip(words_of(block, "little"), keys[:4], strict=True))
    for i in range(_ROUNDS):
        t0, t1 = _apply(boxes, a), _apply(boxes, rotate_left(b, 8))
        f0, f1 = t0 + t1 + keys[2 * i + 8] & _WORD, t0 + 2 * t1 + keys[2 * i + 9] & _WORD
        a, b, c, d = rotate_left(c ^ f0, 31), rotate_left(d, 1) ^ f1, a, b
    out = zip((c, d, a, b), keys[4:8], strict=True)
    return bytes_of((word ^ key for word, key in out), "little")


def twofish_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key.

    Args:
        key: 16, 24 or 32 bytes.

    Example:
        >>> twofish_encryption(bytes(16))(bytes(16)).hex()
        '9f589f5cf6122c32b6bfec2f2ae8c35a'
    """
    if len(key) not in (16, 24, 32):
        raise UsageError(f"A Twofish key has 16, 24 or 32 bytes, not {len(key)}.")
    return partial(_encrypt, _schedule(key))
