# SPDX-License-Identifier: Apache-2.0
"""RC6, Serpent and Twofish, finalists of the competition that AES won."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

from joulemark.errors import UsageError
from joulemark.reference.aes import multiply
from joulemark.reference.words import bytes_of, rotate_left, words_of

# RC6-32/20 encryption (Rivest, Robshaw, Sidney and Yin, 1998): words of 32 bits, 20 rounds.

_ROUNDS = 20
_KEY_WORDS = 2 * _ROUNDS + 4
_P, _Q = 0xB7E15163, 0x9E3779B9
"""From the base of the natural logarithms and from the golden ratio (section 2.2)."""
_WORD = 0xFFFFFFFF


def _rotate(word: int, count: int) -> int:
    """Rotates by the low five bits of the count."""
    return rotate_left(word, count & 31)


@lru_cache(maxsize=4)
def _round_keys(key: bytes) -> list[int]:
    words = words_of(key, "little")
    keys = [(_P + i * _Q) & _WORD for i in range(_KEY_WORDS)]
    a = b = 0
    for step in range(3 * max(len(words), _KEY_WORDS)):
        i, j = step % _KEY_WORDS, step % len(words)
        a = keys[i] = _rotate((keys[i] + a + b) & _WORD, 3)
        b = words[j] = _rotate((words[j] + a + b) & _WORD, a + b)
    return keys


def _encrypt(keys: list[int], block: bytes) -> bytes:
    a, b, c, d = words_of(block, "little")
    b, d = b + keys[0] & _WORD, d + keys[1] & _WORD
    for i in range(1, _ROUNDS + 1):
        t = _rotate(b * (2 * b + 1) & _WORD, 5)
        u = _rotate(d * (2 * d + 1) & _WORD, 5)
        a, b, c, d = (
            b,
            _rotate(c ^ u, t) + keys[2 * i + 1] & _WORD,
            d,
            _rotate(a ^ t, u) + keys[2 * i] & _WORD,
        )
    a, c = a + keys[2 * _ROUNDS + 2] & _WORD, c + keys[2 * _ROUNDS + 3] & _WORD
    return bytes_of((a, b, c, d), "little")


def rc6_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key of 16, 24 or 32 bytes.

    Example:
        >>> rc6_encryption(bytes(16))(bytes(16)).hex()
        '8fc3a53656b1f778c129df4e9848a41e'
    """
    if len(key) not in (16, 24, 32):
        raise UsageError(f"An RC6 key has 16, 24 or 32 bytes, not {len(key)}.")
    return partial(_encrypt, _round_keys(key))


# Serpent encryption (Anderson, Biham and Knudsen, 1998) in its standard description.
#
# The block is permuted first (IP), so that the four bits of an S-box lie side by side, and each
# round substitutes 32 nibbles by table. The kernels work the other way round, on whole words
# without the permutation. Substitution and linear transformation of a round are both done by
# tables of bytes, which are computed from the S-boxes and from the transformation's definition.

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
_SERPENT_ROUNDS = 32
_FRACTION = 0x9E3779B9
"""Constant of the key schedule: the first 32 bits of the golden ratio's fraction."""


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
def _serpent_round_keys(key: bytes) -> list[int]:
    """Round keys 0 to 32, permuted."""
    padded = key if len(key) == 32 else (key + b"\1").ljust(32, b"\0")
    words = words_of(padded, "little")
    for i in range(4 * (_SERPENT_ROUNDS + 1)):
        words.append(rotate_left(words[-8] ^ words[-5] ^ words[-3] ^ words[-1] ^ _FRACTION ^ i, 11))
    keys = []
    for i in range(_SERPENT_ROUNDS + 1):
        a, b, c, d = words[8 + 4 * i : 12 + 4 * i]
        permuted = _permute(a | b << 32 | c << 64 | d << 96).to_bytes(16, "little")
        keys.append(int.from_bytes(permuted.translate(_substitutions()[(3 - i) % 8]), "little"))
    return keys


def _serpent_encrypt(keys: list[int], block: bytes) -> bytes:
    tables = _round_tables()
    state = _permute(int.from_bytes(block, "little"))
    for i in range(_SERPENT_ROUNDS - 1):
        state, row = 0, zip(tables[i % 8], (state ^ keys[i]).to_bytes(16, "little"), strict=True)
        for table, byte in row:
            state ^= table[byte]
    last = (state ^ keys[_SERPENT_ROUNDS - 1]).to_bytes(16, "little").translate(_substitutions()[7])
    out = _permute_back(int.from_bytes(last, "little") ^ keys[_SERPENT_ROUNDS])
    return out.to_bytes(16, "little")


def serpent_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key of 16 to 32 bytes.

    A 1 bit and zeros fill up a shorter key. Bytes and words are in the order of NESSIE's vectors:
    the first byte holds the lowest bits.

    Example:
        >>> serpent_encryption(bytes([128]) + bytes(15))(bytes(16)).hex()
        '264e5481eff42a4606abda06c0bfda3d'
    """
    if not 16 <= len(key) <= 32:
        raise UsageError(f"A Serpent key has 16 to 32 bytes, not {len(key)}.")
    return partial(_serpent_encrypt, _serpent_round_keys(key))


# Twofish encryption (Schneier, Kelsey, Whiting, Wagner, Hall and Ferguson, 1998).
#
# The fixed permutations come from their four small tables, and the matrices from multiplication
# in GF(2^8), as the specification defines them; the kernels have them as tables.

_TWOFISH_ROUNDS = 16
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


def _twofish_encrypt(schedule: tuple[list[int], list[list[int]]], block: bytes) -> bytes:
    keys, boxes = schedule
    a, b, c, d = (word ^ key for word, key in zip(words_of(block, "little"), keys[:4], strict=True))
    for i in range(_TWOFISH_ROUNDS):
        t0, t1 = _apply(boxes, a), _apply(boxes, rotate_left(b, 8))
        f0, f1 = t0 + t1 + keys[2 * i + 8] & _WORD, t0 + 2 * t1 + keys[2 * i + 9] & _WORD
        a, b, c, d = rotate_left(c ^ f0, 31), rotate_left(d, 1) ^ f1, a, b
    out = zip((c, d, a, b), keys[4:8], strict=True)
    return bytes_of((word ^ key for word, key in out), "little")


def twofish_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key of 16, 24 or 32 bytes.

    Example:
        >>> twofish_encryption(bytes(16))(bytes(16)).hex()
        '9f589f5cf6122c32b6bfec2f2ae8c35a'
    """
    if len(key) not in (16, 24, 32):
        raise UsageError(f"A Twofish key has 16, 24 or 32 bytes, not {len(key)}.")
    return partial(_twofish_encrypt, _schedule(key))
