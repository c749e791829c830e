# SPDX-License-Identifier: Apache-2.0
"""Luffa (De Canniere, Sato and Watanabe, specification version 2.0), of 256 and 512 bits.

S-boxes are the sum of their truth table's rows, and constants are computed by the generator of
section 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from joulemark.reference.words import bytes_of, rotate_left, words_of

_Words = tuple[int, ...]

_MASK = 0xFFFFFFFF
_S = (13, 14, 0, 1, 5, 10, 7, 6, 11, 3, 9, 12, 15, 8, 2, 4)
_INITIAL = (
    0x6D251E69,
    0x44B051E0,
    0x4EAA6FB4,
    0xDBF78465,
    0x6E292011,
    0x90152DF4,
    0xEE058139,
    0xDEF610BB,
    0xC3B44B95,
    0xD9D2F256,
    0x70EEE9A0,
    0xDE099FA3,
    0x5D9B0557,
    0x8FC944B3,
    0xCF1CCF0E,
    0x746CD581,
    0xF7EFC89D,
    0x5DBA5781,
    0x04016CE5,
    0xAD659C05,
    0x0306194F,
    0x666D1836,
    0x24AA230A,
    0x8B264AE7,
    0x858075D5,
    0x36D79CCE,
    0xE571F7D7,
    0x204B1F67,
    0x35870C6A,
    0x57E9E923,
    0x14BCB808,
    0x7CDE72CE,
    0x6C68E9BE,
    0x5EC41E22,
    0xC825B7C7,
    0xAFFB4363,
    0xF5DF3999,
    0x0FC688F1,
    0xB07224CC,
    0x03E86CEA,
)
_SEEDS = (
    0x181CCA53380CDE06,
    0x5B6F0876F16F8594,
    0x7E106CE938979CB0,
    0xBB62F36492E93C29,
    0x9A025047CFF2A940,
)
_FEEDBACK = 0xC4D6496C55C61C8D


@cache
def _constants(j: int) -> list[tuple[int, int]]:
    """For each step of permutation j, the constants that are added to words 0 and 4."""
    state, words = _SEEDS[j], []
    for _ in range(16):
        state = (state << 1) ^ ((1 << 64 | _FEEDBACK) if state >> 63 else 0)
        words.append(state >> 32)
        state = (state & _MASK) << 32 | state >> 32
    return list(zip(words[0::2], words[1::2], strict=True))


def substitute(words: list[int], box: Sequence[int], mask: int) -> list[int]:
    """Puts the four bits at each place of four words through an S-box.

    Args:
        words: the first word holds the lowest of the four bits.
        box: of 16 values.
        mask: all bits of a word.
    """
    out = [0] * 4
    for value, image in enumerate(box):
        here = mask  # places whose four bits are `value`
        for k, word in enumerate(words):
            here &= word if value >> k & 1 else ~word
        for k in range(4):
            out[k] |= here if image >> k & 1 else 0
    return out


def _permute(words: list[int], j: int) -> list[int]:
    a = words[:4] + [rotate_left(word, j) for word in words[4:]]
    for first, second in _constants(j):
        # Both halves at once, in words of 64 bits.
        pairs = [a[k] << 32 | a[4 + (k + 1) % 4] for k in range(4)]
        both = substitute(pairs, _S, _MASK << 32 | _MASK)
        a = [word >> 32 for word in both] + [both[k - 1] & _MASK for k in range(4)]
        for k in range(4):
            x, y = a[k], a[k + 4] ^ a[k]
            x = rotate_left(x, 2) ^ y
            y = rotate_left(y, 14) ^ x
            a[k], a[k + 4] = rotate_left(x, 10) ^ y, rotate_left(y, 1)
        a[0] ^= first
        a[4] ^= second
    return a


def _twice(a: _Words) -> _Words:
    """Words are the coefficients of a polynomial modulo x^8 + x^4 + x^3 + x + 1."""
    t = a[7]
    return (t, a[0] ^ t, a[1], a[2] ^ t, a[3] ^ t, *a[4:7])


def _sum(*blocks: _Words) -> _Words:
    total = [0] * 8
    for block in blocks:
        total = [a ^ b for a, b in zip(total, block, strict=True)]
    return tuple(total)


@lru_cache(maxsize=512)
def _round(state: tuple[_Words, ...], message: _Words) -> tuple[_Words, ...]:
    """Message injection and permutations, of three or five blocks."""
    width, doubled = len(state), _twice(_sum(*state))
    blocks = [_sum(block, doubled) for block in state]
    if width == 5:
        for ahead in (1, 4):
            blocks = [_sum(_twice(blocks[j]), blocks[(j + ahead) % 5]) for j in range(5)]
    for j in range(width):
        blocks[j] = _sum(blocks[j], message)
        message = _twice(message)
    return tuple(tuple(_permute(list(block), j)) for j, block in enumerate(blocks))


def luffa(message: bytes, output_bytes: int) -> bytes:
    r"""The digest.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.

    Example:
        >>> luffa(b"\xcc", 32).hex()[:16]
        'e47d4158bfe03555'
    """
    width = 3 if output_bytes <= 32 else 5
    state = tuple(_INITIAL[8 * j : 8 * j + 8] for j in range(width))
    padded = message + b"\x80" + bytes(-(len(message) + 1) % 32)
    for at in range(0, len(padded), 32):
        state = _round(state, tuple(words_of(padded[at : at + 32], "big")))
    digest = b""
    while len(digest) < output_bytes:
        state = _round(state, (0,) * 8)
        digest += bytes_of(_sum(*state), "big")
    return digest
