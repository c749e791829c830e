# SPDX-License-Identifier: Apache-2.0
"""Blue Midnight Wish, CubeHash and Shabal: SHA-3 candidates of sums, rotations and XOR."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from joulemark.reference.words import bytes_of, rotate_left, words_of

# Blue Midnight Wish, second round of the SHA-3 competition (2009), chapter 1.
#
# Words are Python's integers. Where the specification's tables follow a rule, the rule stands
# here.


@dataclass(frozen=True)
class _Width:
    bits: int
    s_rotations: tuple[tuple[int, int], ...]
    r: tuple[int, ...]

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


_WIDTHS = {
    32: _Width(32, ((4, 19), (8, 23), (12, 25), (15, 29)), (3, 7, 13, 16, 19, 23, 27)),
    64: _Width(64, ((4, 37), (13, 43), (19, 53), (28, 59)), (5, 11, 27, 32, 37, 43, 53)),
}
_S_SHIFTS = ((1, 3), (1, 2), (2, 1), (2, 2))
_FOLDS = (
    "+5-7+10+13+14",
    "+6-8+11+14-15",
    "+0+7+9-12+15",
    "+0-1+8-10+13",
    "+1+2+9-11-14",
    "+3-2+10-12+15",
    "+4-0-3-11+13",
    "+1-4-5-12-14",
    "+2-5-6+13-15",
    "+0-3+6-7+14",
    "+8-1-4-7+15",
    "+8-0-2-5+9",
    "+1+3-6-9+10",
    "+2+4+7+10+11",
    "+3-5+8-11-12",
    "+12-4-6-9+13",
)
"""Table 1.5: the words of message and chaining value that each word of f0 adds or subtracts."""
_SUMS = tuple(
    tuple((int(word), sign == "+") for sign, word in re.findall(r"([+-])(\d+)", fold))
    for fold in _FOLDS
)


def _shift(x: int, distance: int, width: _Width) -> int:
    """Shifts a word to the left, or by a negative distance to the right."""
    return x << distance & width.mask if distance > 0 else x >> -distance


def _s(which: int, x: int, width: _Width) -> int:
    if which > 3:
        return x >> (which - 3) ^ x
    (right, left), (one, other) = _S_SHIFTS[which], width.s_rotations[which]
    shifted = x >> right ^ (x << left & width.mask)
    return shifted ^ rotate_left(x, one, width.bits) ^ rotate_left(x, other, width.bits)


def _fold(h: list[int], m: list[int], width: _Width) -> list[int]:
    """f0: the first sixteen words."""
    x = [a ^ b for a, b in zip(m, h, strict=True)]
    q = []
    for i, terms in enumerate(_SUMS):
        total = sum(x[word] if plus else -x[word] for word, plus in terms)
        q.append(_s(i % 5, total & width.mask, width) + h[(i + 1) % 16] & width.mask)
    return q


def _expand(q: list[int], h: list[int], m: list[int], width: _Width) -> None:
    """f1: sixteen words more, each of the sixteen before."""
    turned = [rotate_left(word, i + 1, width.bits) for i, word in enumerate(m)]
    third = width.mask // 3 >> 4
    for i in range(16):
        last = q[i : i + 16]
        total = turned[i] + turned[(i + 3) % 16] - turned[(i + 10) % 16] + (16 + i) * third
        total = (total & width.mask) ^ h[(i + 7) % 16]
        if i < 2:
            total += sum(_s((j + 1) % 4, word, width) for j, word in enumerate(last))
        else:
            total += sum(last[0:14:2])
            total += sum(
                rotate_left(word, r, width.bits)
                for word, r in zip(last[1:14:2], width.r, strict=True)
            )
            total += _s(4, last[14], width) + _s(5, last[15], width)
        q.append(total & width.mask)


def _compress(h: list[int], m: list[int], width: _Width) -> list[int]:
    q = _fold(h, m, width)
    _expand(q, h, m, width)
    low = high = 0
    for word in q[16:24]:
        low ^= word
    for word in q[24:]:
        high ^= word
    high ^= low
    of_high, of_word = (5, -7, -5, -1, -3, 6, -4, -11), (-5, 8, 5, 5, 0, -6, 6, 2)
    of_low = (8, -6, 6, 4, -3, -4, -7, -2)
    out = []
    for i in range(8):
        mixed = _shift(high, of_high[i], width) ^ _shift(q[16 + i], of_word[i], width) ^ m[i]
        out.append(mixed + (low ^ q[24 + i] ^ q[i]) & width.mask)
    for i in range(8):
        total = rotate_left(out[(4 + i) % 8], 9 + i, width.bits) + (high ^ q[24 + i] ^ m[8 + i])
        total += _shift(low, of_low[i], width) ^ q[16 + (7 + i) % 8] ^ q[8 + i]
        out.append(total & width.mask)
    return out


def bmw(message: bytes, bits: int) -> bytes:
    """BMW-256, of words of 32 bits, or BMW-512, of 64.

    Example:
        >>> bmw(b"", 32).hex()[:16]
        '82cac4bf6f4c2b41'
    """
    width, block_bytes = _WIDTHS[bits], 2 * bits
    zeros = -(len(message) + 9) % block_bytes
    padded = message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(8, "little")
    first = 0x40 if bits == 32 else 0x80
    counting = bytes(range(first, first + block_bytes))
    size = bits // 8
    h = [int.from_bytes(counting[at : at + size], "big") for at in range(0, block_bytes, size)]
    for at in range(0, len(padded), block_bytes):
        block = padded[at : at + block_bytes]
        words = [int.from_bytes(block[i : i + size], "little") for i in range(0, block_bytes, size)]
        h = _compress(h, words, width)
    end = [int("a" * (2 * size - 1) + f"{i:x}", 16) for i in range(16)]
    return b"".join(word.to_bytes(size, "little") for word in _compress(end, h, width)[8:])


# CubeHash16/32 (Bernstein: "CubeHash specification", 2.B.1), with any initial and final rounds.
#
# Each half of the state, the words x[0jklm] and x[1jklm], is one integer with a word in every 64
# bits, so that sums and rotations have room.

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


# Shabal (Bresson and others, second round of the SHA-3 competition, 2009), chapters 2 and 3.
#
# The initial values are computed, from two blocks that name the digest's length.

_MASK = (1 << 32) - 1
_SHABAL_BLOCK_BYTES = 64


@dataclass
class _State:
    a: list[int] = field(default_factory=lambda: [0] * 12)
    b: list[int] = field(default_factory=lambda: [0] * 16)
    c: list[int] = field(default_factory=lambda: [0] * 16)
    w: int = -1

    def permute(self, m: list[int]) -> None:
        """The counter, then the keyed permutation P."""
        a, c = self.a, self.c
        a[0] ^= self.w & _MASK
        a[1] ^= self.w >> 32 & _MASK
        b = [(word << 17 | word >> 15) & _MASK for word in self.b]
        last = a[11]
        for step in range(48):
            i = step % 16
            v = (last << 15 | last >> 17) * 5
            last = ((a[step % 12] ^ v & _MASK ^ c[8 - i]) * 3) & _MASK
            last ^= b[i - 3] ^ b[i - 7] & ~b[i - 10] ^ m[i]
            a[step % 12] = last
            b[i] = (b[i] << 1 | b[i] >> 31) & _MASK ^ last ^ _MASK
        for j in range(36):
            a[j % 12] += c[(j + 3) % 16]
        self.a, self.b = [word & _MASK for word in a], b

    def absorb(self, m: list[int]) -> None:
        """Takes a block that is not the last."""
        self.b = [word + add & _MASK for word, add in zip(self.b, m, strict=True)]
        self.permute(m)
        self.c = [word - sub & _MASK for word, sub in zip(self.c, m, strict=True)]
        self.b, self.c = self.c, self.b
        self.w += 1


@cache
def _shabal_initial(output_bits: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    state = _State()
    for first in (output_bits, output_bits + 16):
        state.absorb(list(range(first, first + 16)))
    return tuple(state.a), tuple(state.b), tuple(state.c)


def shabal(message: bytes, output_bytes: int) -> bytes:
    """Shabal with a digest of 32 or 64 bytes, or another multiple of 4.

    Example:
        >>> shabal(b"", 32).hex()[:16]
        'aec750d11feee9f1'
    """
    a, b, c = _shabal_initial(8 * output_bytes)
    state = _State(list(a), list(b), list(c), 1)
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _SHABAL_BLOCK_BYTES)
    words = words_of(padded, "little")
    for at in range(0, len(words) - 16, 16):
        state.absorb(words[at : at + 16])
    m = words[-16:]
    state.b = [word + add & _MASK for word, add in zip(state.b, m, strict=True)]
    state.permute(m)
    for _ in range(3):
        state.b, state.c = state.c, state.b
        state.permute(m)
    return bytes_of(state.b, "little")[-output_bytes:]
