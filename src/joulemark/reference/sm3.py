# SPDX-License-Identifier: Apache-2.0
"""SM3 (GB/T 32905-2016), word by word as the standard writes it."""

from __future__ import annotations

from joulemark.reference.words import bytes_of, rotate_left, words_of

_MASK = 0xFFFFFFFF
_BLOCK_BYTES = 64
_INITIAL = (
    0x7380166F,
    0x4914B2B9,
    0x172442D7,
    0xDA8A0600,
    0xA96F30BC,
    0x163138AA,
    0xE38DEE4D,
    0xB0FB0E4E,
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


def _compress(state: tuple[int, ...], block: bytes) -> tuple[int, ...]:
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
    state: tuple[int, ...] = _INITIAL
    for at in range(0, len(padded), _BLOCK_BYTES):
        state = _compress(state, padded[at : at + _BLOCK_BYTES])
    return bytes_of(state, "big")
