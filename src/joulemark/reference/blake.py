# SPDX-License-Identifier: Apache-2.0
"""BLAKE ("SHA-3 proposal BLAKE", versions 1.2 and 1.3, chapter 2), without a salt.

Words are Python's integers, and the constants are computed: pi by Machin's formula, the initial
values as square roots of primes.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

_PERMUTATIONS = tuple(
    tuple(int(digit, 16) for digit in row)
    for row in (
        "0123456789abcdef",
        "ea489fd61c02b753",
        "b8c052fdae367194",
        "7931dcbe265a40f8",
        "905724afe1bc683d",
        "2c6a0b834d75fe19",
        "c51fed4a0763928b",
        "db7ec13950f4862a",
        "6fe9b308c2d714a5",
        "a2847615fb9e3cd0",
    )
)
_ROTATIONS = {32: (16, 12, 8, 7), 64: (32, 25, 16, 11)}
QUARTERS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)
"""Places of the four words of each step of a round."""


def _arctangent_of_inverse(number: int, unit: int) -> int:
    """`unit` times arctan(1 / number), by its series."""
    total, power, divisor = 0, unit // number, 1
    while power:
        total += power // divisor if divisor % 4 == 1 else -(power // divisor)
        power //= number * number
        divisor += 2
    return total


@cache
def _constants(bits: int) -> tuple[int, ...]:
    """Sixteen words of pi's fraction."""
    unit = 1 << (16 * bits + 64)
    pi = 16 * _arctangent_of_inverse(5, unit) - 4 * _arctangent_of_inverse(239, unit)
    fraction = (pi - 3 * unit) >> 64
    return tuple(fraction >> (bits * (15 - i)) & ((1 << bits) - 1) for i in range(16))


@cache
def initial_words(bits: int) -> tuple[int, ...]:
    """The fractions of the square roots of the first eight primes, as in SHA-2."""
    primes = (2, 3, 5, 7, 11, 13, 17, 19)
    return tuple(isqrt(prime << (2 * bits)) & ((1 << bits) - 1) for prime in primes)


def _compress(h: list[int], block: bytes, counter_bits: int, bits: int, rounds: int) -> list[int]:
    mask, c = (1 << bits) - 1, _constants(bits)
    width = bits // 8
    m = [int.from_bytes(block[width * i : width * i + width], "big") for i in range(16)]
    low, high = counter_bits & mask, counter_bits >> bits
    v = [*h, *c[:4], low ^ c[4], low ^ c[5], high ^ c[6], high ^ c[7]]
    r1, r2, r3, r4 = _ROTATIONS[bits]
    for i in range(rounds):
        order = _PERMUTATIONS[i % 10]
        for number, (ia, ib, ic, id_) in enumerate(QUARTERS):
            j, k = order[2 * number], order[2 * number + 1]
            a, b, c3, d = v[ia], v[ib], v[ic], v[id_]
            a = (a + b + (m[j] ^ c[k])) & mask
            d ^= a
            d = (d >> r1 | d << (bits - r1)) & mask
            c3 = (c3 + d) & mask
            b ^= c3
            b = (b >> r2 | b << (bits - r2)) & mask
            a = (a + b + (m[k] ^ c[j])) & mask
            d ^= a
            d = (d >> r3 | d << (bits - r3)) & mask
            c3 = (c3 + d) & mask
            b ^= c3
            v[ia], v[ib], v[ic], v[id_] = a, (b >> r4 | b << (bits - r4)) & mask, c3, d
    return [h[i] ^ v[i] ^ v[i + 8] for i in range(8)]


def blake(message: bytes, bits: int, rounds: int) -> bytes:
    """BLAKE with a digest as long as its chaining value, of 8 words.

    Args:
        message: any number of bytes.
        bits: 32 or 64, a word's.
        rounds: 10 or 14 for BLAKE-32 and BLAKE-64 of the second round of the competition, 14 or 16
            for BLAKE-256 and BLAKE-512 of the final round.

    Example:
        >>> blake(b"", 32, 14).hex()[:16]
        '716f6e863f744b9a'
    """
    block_bytes, length_bytes = 2 * bits, bits // 4
    zeros = -(len(message) + 1 + length_bytes) % block_bytes
    end = bytearray(b"\x80" + bytes(zeros))
    end[-1] |= 0x01
    padded = message + end + (8 * len(message)).to_bytes(length_bytes, "big")
    h = list(initial_words(bits))
    for at in range(0, len(padded), block_bytes):
        counted = min(at + block_bytes, len(message)) if at < len(message) else 0
        h = _compress(h, padded[at : at + block_bytes], 8 * counted, bits, rounds)
    return b"".join(word.to_bytes(bits // 8, "big") for word in h)
