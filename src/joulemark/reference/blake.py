# SPDX-License-Identifier: Apache-2.0
"""BLAKE, of the SHA-3 competition, and BLAKE3, with and without a key.

BLAKE2 is in Python's own `hashlib`. Words are Python's integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isqrt

from joulemark.errors import UsageError
from joulemark.reference.words import bytes_of, rotate_left, words_of

# BLAKE ("SHA-3 proposal BLAKE", versions 1.2 and 1.3, chapter 2), without a salt. Constants are
# computed: pi by Machin's formula, the initial values as square roots of primes.

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
    """BLAKE with a digest as long as its chaining value, of 8 words of 32 or 64 bits.

    Rounds are 10 or 14 for BLAKE-32 and BLAKE-64 of the second round of the competition, 14 or 16
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


# BLAKE3 with and without a key, 32 bytes of output (O'Connor and others, 2020).

_MASK = 0xFFFFFFFF
_BLOCK_BYTES = 64
_CHUNK_BYTES = 1024
_KEY_BYTES = 32
_CHUNK_START, _CHUNK_END, _PARENT, _ROOT, _KEYED_HASH = 1, 2, 4, 8, 16
_ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
"""Table 2: the words of the block in the next round."""
_INITIAL = initial_words(32)


@dataclass(frozen=True)
class _Mode:
    """Table 3: the start of each chunk and each parent, and a flag that all of them have."""

    start: tuple[int, ...]
    flag: int


def _blake3_compress(
    chain: tuple[int, ...], block: bytes, counter: int, flags: int
) -> tuple[int, ...]:
    """Section 2.2: the first eight words of the output; a short block is filled with zeros."""
    padded = block.ljust(_BLOCK_BYTES, b"\0")
    words = words_of(padded, "little")
    v = [*chain, *_INITIAL[:4], counter & _MASK, counter >> 32, len(block), flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(QUARTERS):
            for word, first, second in ((words[2 * i], 16, 20), (words[2 * i + 1], 24, 25)):
                v[a] = (v[a] + v[b] + word) & _MASK
                v[d] = rotate_left(v[d] ^ v[a], first)
                v[c] = (v[c] + v[d]) & _MASK
                v[b] = rotate_left(v[b] ^ v[c], second)
        words = [words[i] for i in _ORDER]
    return tuple(v[i] ^ v[i + 8] for i in range(8))


def _tree(mode: _Mode, message: bytes, first_chunk: int, root: int) -> tuple[int, ...]:
    """Sections 2.4 and 2.5: a chunk, or a parent of two subtrees, the left one of 2^k chunks."""
    if len(message) > _CHUNK_BYTES:
        chunks = 1 << ((len(message) - 1) // _CHUNK_BYTES).bit_length() - 1
        cut = chunks * _CHUNK_BYTES
        left = _tree(mode, message[:cut], first_chunk, 0)
        right = _tree(mode, message[cut:], first_chunk + chunks, 0)
        pair = bytes_of(left + right, "little")
        return _blake3_compress(mode.start, pair, 0, mode.flag | _PARENT | root)
    chain = mode.start
    starts = range(0, max(len(message), 1), _BLOCK_BYTES)
    for at in starts:
        flags = mode.flag | (_CHUNK_START if at == 0 else 0)
        if at == starts[-1]:
            flags |= _CHUNK_END | root
        chain = _blake3_compress(chain, message[at : at + _BLOCK_BYTES], first_chunk, flags)
    return chain


def blake3(message: bytes) -> bytes:
    """Digest of 32 bytes.

    Example:
        >>> blake3(b"").hex()[:16]
        'af1349b9f5f9a1a6'
    """
    return bytes_of(_tree(_Mode(_INITIAL, 0), message, 0, _ROOT), "little")


def blake3_keyed(key: bytes, message: bytes) -> bytes:
    """Tag of 32 bytes: the 32 bytes of key stand for the initial value, and a flag tells the mode.

    Example:
        >>> blake3_keyed(b"whats the Elvish word for friend", b"").hex()[:16]
        '92b2b75604ed3c76'
    """
    if len(key) != _KEY_BYTES:
        raise UsageError(f"A BLAKE3 key has {_KEY_BYTES} bytes, not {len(key)}.")
    mode = _Mode(tuple(words_of(key, "little")), _KEYED_HASH)
    return bytes_of(_tree(mode, message, 0, _ROOT), "little")
