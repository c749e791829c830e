# SPDX-License-Identifier: Apache-2.0
"""Hashes of ISO/IEC 10118-3 beside SHA: RIPEMD-160, SM3 and Whirlpool."""

from __future__ import annotations

from functools import cache
from math import isqrt

from joulemark.reference.aes import multiply
from joulemark.reference.words import bytes_of, rotate_left, words_of

# RIPEMD-160 (Dobbertin, Bosselaers and Preneel, 1996), with constants computed as it says.

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


# SM3 (GB/T 32905-2016), word by word as the standard writes it.

_SM3_INITIAL = tuple(
    words_of(
        bytes.fromhex("7380166f4914b2b9172442d7da8a0600a96f30bc163138aae38dee4db0fb0e4e"), "big"
    )
)
_EARLY = 16
_ROUNDS = 64


def _expand(block: bytes) -> list[int]:
    """Section 5.3.2: expands 16 words to 68."""
    w = words_of(block, "big")
    for j in range(16, 68):
        x = w[j - 16] ^ w[j - 9] ^ rotate_left(w[j - 3], 15)
        w.append(x ^ rotate_left(x, 15) ^ rotate_left(x, 23) ^ rotate_left(w[j - 13], 7) ^ w[j - 6])
    return w


def _sm3_compress(state: tuple[int, ...], block: bytes) -> tuple[int, ...]:
    """Section 5.3.3."""
    w = _expand(block)
    a, b, c, d, e, f, g, h = state
    for j in range(_ROUNDS):
        early = j < _EARLY
        constant = rotate_left(0x79CC4519 if early else 0x7A879D8A, j % 32)
        ss1 = rotate_left((rotate_left(a, 12) + e + constant) & _MASK, 7)
        ff = a ^ b ^ c if early else (a & b) | (a & c) | (b & c)
        gg = e ^ f ^ g if early else (e & f) | (~e & g)
        tt1 = (ff + d + (ss1 ^ rotate_left(a, 12)) + (w[j] ^ w[j + 4])) & _MASK
        tt2 = (gg + h + ss1 + w[j]) & _MASK
        a, b, c, d = tt1, a, rotate_left(b, 9), c
        e, f, g, h = tt2 ^ rotate_left(tt2, 9) ^ rotate_left(tt2, 17), e, rotate_left(f, 19), g
    return tuple(x ^ y for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True))


def sm3(message: bytes) -> bytes:
    """Digest of 32 bytes.

    Example:
        >>> sm3(b"abc").hex()[:16]
        '66c7f0f462eeedd9'
    """
    padded = message + b"\x80" + bytes(-(len(message) + 9) % _BLOCK_BYTES)
    padded += (8 * len(message)).to_bytes(8, "big")
    state: tuple[int, ...] = _SM3_INITIAL
    for at in range(0, len(padded), _BLOCK_BYTES):
        state = _sm3_compress(state, padded[at : at + _BLOCK_BYTES])
    return bytes_of(state, "big")


# Whirlpool (Barreto and Rijmen, 2003; ISO/IEC 10118-3), byte by byte.

_WHIRLPOOL_ROUNDS = 10
_POLYNOMIAL = 0x11D
_MINI_E = (0x1, 0xB, 0x9, 0xC, 0xD, 0x6, 0xF, 0x3, 0xE, 0x8, 0x7, 0x4, 0xA, 0x2, 0x5, 0x0)
_MINI_R = (0x7, 0xC, 0xB, 0xD, 0xE, 0x4, 0x9, 0xF, 0x6, 0x3, 0x8, 0xA, 0x2, 0x5, 0x1, 0x0)
_ROW = (1, 1, 4, 1, 8, 5, 2, 9)


@cache
def _s_box() -> tuple[int, ...]:
    """The S-box, made of three boxes of four bits, one of them also backwards (section 3.2)."""
    inverse = [_MINI_E.index(i) for i in range(16)]
    box = []
    for byte in range(256):
        high, low = _MINI_E[byte >> 4], inverse[byte & 15]
        middle = _MINI_R[high ^ low]
        box.append(_MINI_E[high ^ middle] << 4 | inverse[low ^ middle])
    return tuple(box)


@cache
def _rows() -> tuple[tuple[int, ...], ...]:
    """For each column and value of a byte, its share of its row of eight bytes, as a number."""

    def share(value: int, column: int) -> int:
        factors = (_ROW[(i - column) % 8] for i in range(8))
        return int.from_bytes(bytes(multiply(value, factor, _POLYNOMIAL) for factor in factors))

    return tuple(tuple(share(value, column) for value in _s_box()) for column in range(8))


def _round(state: bytes, key: bytes) -> bytes:
    """Substitution, columns shifted by their number, rows multiplied, and the key."""
    rows, mixed = _rows(), []
    for row in range(8):
        total = int.from_bytes(key[8 * row : 8 * row + 8], "big")
        for column in range(8):
            total ^= rows[column][state[8 * ((row - column) % 8) + column]]
        mixed.append(total.to_bytes(8, "big"))
    return b"".join(mixed)


def _add(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def whirlpool(message: bytes) -> bytes:
    """Digest of 64 bytes.

    Example:
        >>> whirlpool(b"abc").hex()[:16]
        '4e2448a4c6f486bb'
    """
    padded = message + b"\x80" + bytes(-(len(message) + 33) % _BLOCK_BYTES)
    padded += (8 * len(message)).to_bytes(32, "big")
    state = bytes(_BLOCK_BYTES)
    for at in range(0, len(padded), _BLOCK_BYTES):
        block = padded[at : at + _BLOCK_BYTES]
        key, text = state, _add(block, state)
        for number in range(_WHIRLPOOL_ROUNDS):
            key = _round(key, bytes(_s_box()[8 * number : 8 * number + 8]) + bytes(56))
            text = _round(text, key)
        state = _add(_add(text, state), block)
    return state
