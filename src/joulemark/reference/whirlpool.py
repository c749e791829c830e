# SPDX-License-Identifier: Apache-2.0
"""Whirlpool (Barreto and Rijmen, 2003; ISO/IEC 10118-3), byte by byte."""

from __future__ import annotations

from functools import cache

from joulemark.reference.aes import multiply

_BLOCK_BYTES = 64
_ROUNDS = 10
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
        for number in range(_ROUNDS):
            key = _round(key, bytes(_s_box()[8 * number : 8 * number + 8]) + bytes(56))
            text = _round(text, key)
        state = _add(_add(text, state), block)
    return state
