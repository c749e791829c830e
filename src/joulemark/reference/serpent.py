# SPDX-License-Identifier: Apache-2.0
"""Serpent encryption (Anderson, Biham and Knudsen, 1998) in its standard description.

The block is permuted first (IP), so that the four bits of an S-box lie side by side, and each round
substitutes 32 nibbles by table. The kernels work the other way round, on whole words without the
permutation. Substitution and linear transformation of a round are both done by tables of bytes,
which are computed from the S-boxes and from the transformation's definition.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial

from joulemark.errors import UsageError
from joulemark.reference.words import rotate_left, words_of

_S_BOXES = (
    (3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12),
    (15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4),
    (8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2),
    (0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14),
    (1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13),
    (15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1),
    (7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0),
    (1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6),
)
"""The S-boxes of the submission's appendix A.5."""
_ROUNDS = 32
_FRACTION = 0x9E3779B9
"""Constant of the key schedule: the first 32 bits of the golden ratio's fraction."""
_WORD = 0xFFFFFFFF


@cache
def _spread() -> list[int]:
    """Each byte with its bit i at place 4 i."""
    return [sum((byte >> i & 1) << 4 * i for i in range(8)) for byte in range(256)]


def _permute(block: int) -> int:
    """IP: bit i of word j becomes bit 4 i + j."""
    spread, out = _spread(), 0
    for at, byte in enumerate(block.to_bytes(16, "little")):
        out |= spread[byte] << (at // 4 + 32 * (at % 4))
    return out


def _permute_back(block: int) -> int:
    """FP, the inverse of IP."""
    out = 0
    for bit in range(128):
        out |= (block >> bit & 1) << (bit // 4 + 32 * (bit % 4))
    return out


def mix_words(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """The linear transformation of four words."""
    a, c = rotate_left(a, 13), rotate_left(c, 3)
    b, d = rotate_left(b ^ a ^ c, 1), rotate_left(d ^ c ^ (a << 3 & _WORD), 7)
    a, c = rotate_left(a ^ b ^ d, 5), rotate_left(c ^ d ^ (b << 7 & _WORD), 22)
    return a, b, c, d


def _transform(block: int) -> int:
    """The linear transformation, of a block that is not permuted."""
    a, b, c, d = mix_words(*(block >> at & _WORD for at in (0, 32, 64, 96)))
    return a | b << 32 | c << 64 | d << 96


@cache
def _substitutions() -> list[bytes]:
    """Each S-box on both nibbles of a byte."""
    return [bytes(box[x & 15] | box[x >> 4] << 4 for x in range(256)) for box in _S_BOXES]


@cache
def _round_tables() -> list[list[list[int]]]:
    """For each S-box, byte of a permuted block and value: the byte's share of the next block."""
    bits = [_permute(_transform(_permute_back(1 << bit))) for bit in range(128)]
    linear = []
    for at in range(16):
        table = [0]
        for bit in bits[8 * at : 8 * at + 8]:
            table += [old ^ bit for old in table]
        linear.append(table)
    return [[[table[y] for y in box] for table in linear] for box in _substitutions()]


@lru_cache(maxsize=4)
def _round_keys(key: bytes) -> list[int]:
    """Round keys 0 to 32, permuted."""
    padded = key if len(key) == 32 else (key + b"\1").ljust(32, b"\0")
    words = words_of(padded, "little")
    for i in range(4 * (_ROUNDS + 1)):
        words.append(rotate_left(words[-8] ^ words[-5] ^ words[-3] ^ words[-1] ^ _FRACTION ^ i, 11))
    keys = []
    for i in range(_ROUNDS + 1):
        a, b, c, d = words[8 + 4 * i : 12 + 4 * i]
        permuted = _permute(a | b << 32 | c << 64 | d << 96).to_bytes(16, "little")
        keys.append(int.from_bytes(permuted.translate(_substitutions()[(3 - i) % 8]), "little"))
    return keys


def _encrypt(keys: list[int], block: bytes) -> bytes:
    tables = _round_tables()
    state = _permute(int.from_bytes(block, "little"))
    for i in range(_ROUNDS - 1):
        state, row = 0, zip(tables[i % 8], (state ^ keys[i]).to_bytes(16, "little"), strict=True)
        for table, byte in row:
            state ^= table[byte]
    last = (state ^ keys[_ROUNDS - 1]).to_bytes(16, "little").translate(_substitutions()[7])
    out = _permute_back(int.from_bytes(last, "little") ^ keys[_ROUNDS])
    return out.to_bytes(16, "little")


def serpent_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key.

    Bytes and words are in the order of NESSIE's vectors: the first byte holds the lowest bits.

    Args:
        key: 16 to 32 bytes; a 1 bit and zeros fill up a shorter one.

    Example:
        >>> serpent_encryption(bytes([128]) + bytes(15))(bytes(16)).hex()
        '264e5481eff42a4606abda06c0bfda3d'
    """
    if not 16 <= len(key) <= 32:
        raise UsageError(f"A Serpent key has 16 to 32 bytes, not {len(key)}.")
    return partial(_encrypt, _round_keys(key))
