# SPDX-License-Identifier: Apache-2.0
"""Fugue and SHAvite-3, candidates of the SHA-3 competition that are made of parts of AES."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from joulemark.reference.aes import keyless_round, multiply, s_box

# Fugue as in the second round of the SHA-3 competition (Halevi, Hall and Jutla, 2009).
#
# Columns are numbers of 32 bits, row 0 in the highest byte. SMIX is linear after its S-box, so
# the Super-Mix is a table for each of 16 bytes, with the byte's share of all four columns.

_M = ((1, 4, 7, 1), (1, 1, 4, 7), (7, 1, 1, 4), (4, 7, 1, 1))
_COLUMNS = {32: 30, 64: 36}
_ROUNDS = {32: 2, 64: 4}
_LAST_ROUNDS = {32: 10, 64: 32}
_FINAL = {
    32: (((4, 15), 15), ((4, 16), 14)),
    64: (((4, 9, 18, 27), 9), ((4, 10, 18, 27), 9), ((4, 10, 19, 27), 9), ((4, 10, 19, 28), 8)),
}
"""Columns that column 0 is added to, and the rotation of the state after that, in columns."""
_DIGEST = {
    32: (1, 2, 3, 4, 15, 16, 17, 18),
    64: (1, 2, 3, 4, 9, 10, 11, 12, 18, 19, 20, 21, 27, 28, 29, 30),
}


def _super_mix(u: list[list[int]]) -> list[list[int]]:
    """M times `u`, plus row sums without the diagonal times M transposed; then rows are rotated."""
    mixed = [[0] * 4 for _ in range(4)]
    for i in range(4):
        others = 0
        for j in range(4):
            others ^= u[i][j] if j != i else 0
        for k in range(4):
            value = multiply(others, _M[k][i])
            for row in range(4):
                value ^= multiply(u[row][k], _M[i][row])
            mixed[i][(k - i) % 4] = value
    return mixed


@cache
def _tables() -> tuple[tuple[int, ...], ...]:
    """For each byte of four columns and each value, its share of them as a number of 128 bits."""
    tables = []
    for column in range(4):
        for row in range(4):
            adds = []
            for value in s_box():
                u = [[0] * 4 for _ in range(4)]
                u[row][column] = value
                mixed = _super_mix(u)
                flat = bytes(mixed[i][k] for k in range(4) for i in range(4))
                adds.append(int.from_bytes(flat, "big"))
            tables.append(tuple(adds))
    return tuple(tables)


def _smix(s: list[int]) -> None:
    mixed = 0
    for table, byte in zip(_tables(), struct.pack(">4I", *s[:4]), strict=True):
        mixed ^= table[byte]
    s[:4] = struct.unpack(">4I", mixed.to_bytes(16, "big"))


def _round(s: list[int]) -> None:
    """ROR3, CMIX and SMIX."""
    s[:] = s[-3:] + s[:-3]
    half, (a, b, c) = len(s) // 2, s[4:7]
    s[0] ^= a
    s[1] ^= b
    s[2] ^= c
    s[half] ^= a
    s[half + 1] ^= b
    s[half + 2] ^= c
    _smix(s)


def _insert(s: list[int], word: int) -> None:
    """TIX."""
    wide = len(s) == _COLUMNS[64]
    s[22 if wide else 10] ^= s[0]
    s[0] = word
    s[8] ^= s[0]
    s[1] ^= s[24]
    if wide:
        s[4] ^= s[27]
        s[7] ^= s[30]


def _digest(s: list[int], words: bytes, output_bytes: int) -> bytes:
    for at in range(0, len(words), 4):
        _insert(s, int.from_bytes(words[at : at + 4], "big"))
        for _ in range(_ROUNDS[output_bytes]):
            _round(s)
    for _ in range(_LAST_ROUNDS[output_bytes]):
        _round(s)
    steps = _FINAL[output_bytes]
    for to, rotation in steps * 13:
        for column in to:
            s[column] ^= s[0]
        s[:] = s[-rotation:] + s[:-rotation]
        _smix(s)
    for column in steps[0][0]:
        s[column] ^= s[0]
    return b"".join(s[column].to_bytes(4, "big") for column in _DIGEST[output_bytes])


@cache
def _initial(output_bytes: int) -> tuple[int, ...]:
    """The digest of the digest's length in bits, from zeros and without padding."""
    columns = _COLUMNS[output_bytes]
    length = (8 * output_bytes).to_bytes(4, "big")
    digest = _digest([0] * columns, length, output_bytes)
    words = [int.from_bytes(digest[at : at + 4], "big") for at in range(0, output_bytes, 4)]
    return (*[0] * (columns - len(words)), *words)


def fugue(message: bytes, output_bytes: int) -> bytes:
    """Fugue-256 or Fugue-512, with a digest of 32 or 64 bytes.

    Example:
        >>> fugue(b"", 32).hex()[:16]
        'd6ec528980c130aa'
    """
    padded = message + bytes(-len(message) % 4) + (8 * len(message)).to_bytes(8, "big")
    return _digest(list(_initial(output_bytes)), padded, output_bytes)


# SHAvite-3 (Biham and Dunkelman), of the SHA-3 competition's second round, and two other
# versions.
#
# AES is that of FIPS 197, and words are little-endian. Four words are one number of 128 bits
# here, big-endian, as AES's reference takes a block: the first byte is the highest.
#
# The name means the specification of 2009. The code that its authors submitted with it reverses
# the bytes of each word in AES, and so do the competition's known answers. In October 2010 the
# authors tweaked SHAvite-3-512: 16 rounds instead of 14, and the counter twice as often.

_ALL = (1 << 128) - 1


def _quad(*words: int) -> int:
    return int.from_bytes(b"".join(word.to_bytes(4, "little") for word in words), "big")


def _quads(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 16], "big") for at in range(0, len(data), 16)]


def _counter_256(bits: int) -> dict[int, int]:
    """Number of a subkey -> the number that is added to it: the counter's words in four orders."""
    low, high = bits & 0xFFFFFFFF, bits >> 32 & 0xFFFFFFFF
    not_low, not_high = low ^ 0xFFFFFFFF, high ^ 0xFFFFFFFF
    return {
        4: _quad(low, not_high, 0, 0),
        14: _quad(0, high, not_low, 0),
        21: _quad(0, 0, high, not_low),
        31: _quad(low, 0, 0, not_high),
    }


def _counter_512(bits: int) -> dict[int, int]:
    a, b, c, d = ((bits >> shift) & 0xFFFFFFFF for shift in (0, 32, 64, 96))
    inverted = 0xFFFFFFFF
    return {
        8: _quad(a, b, c, d ^ inverted),
        41: _quad(d, c, b, a ^ inverted),
        79: _quad(c, d, a, b ^ inverted),
        110: _quad(b, a, d, c ^ inverted),
    }


def _counter_tweaked(bits: int) -> dict[int, int]:
    """As `_counter_512`, and between those subkeys the same words with all bits inverted."""
    added = _counter_512(bits)
    between = zip((28, 61, 91, 122), added.values(), strict=True)
    return added | {place: words ^ _ALL for place, words in between}


def _round_of_reversed_words(block: int) -> int:
    """A round of AES on words whose bytes are in the other order."""
    return _reverse_words(keyless_round(_reverse_words(block)))


def _reverse_words(block: int) -> int:
    words = block.to_bytes(16, "big")
    return int.from_bytes(b"".join(words[at : at + 4][::-1] for at in (0, 4, 8, 12)), "big")


@dataclass(frozen=True)
class Version:
    """The differences between the versions of SHAvite-3."""

    aes: Callable[[int], int] = keyless_round
    counter_512: Callable[[int], dict[int, int]] = _counter_512
    rounds_512: int = 14


SECOND_ROUND = Version()
CODE_OF_2009 = Version(aes=_round_of_reversed_words)
TWEAK_OF_2010 = Version(counter_512=_counter_tweaked, rounds_512=16)
"""The tweak of SHAvite-3-512; SHAvite-3-256 stayed the same."""


@dataclass(frozen=True)
class _Cipher:
    """The block cipher of one version under one block of the message and its counter."""

    version: Version
    block: bytes
    bits: int

    def subkeys(self, counter: dict[int, int], count: int) -> list[int]:
        """Subkeys of four words: the block, then in turns as many nonlinear and linear subkeys.

        A nonlinear subkey is the sum of its predecessor and AES of an earlier subkey. In a linear
        subkey each word adds the word 3 (SHAvite-3-256) or 7 (SHAvite-3-512) before, which may be
        in the same subkey.
        """
        keys = _quads(self.block)
        size = len(keys)
        for i in range(size, count):
            back, before = keys[i - size], keys[i - 1]
            if i // size % 2:
                rotated = (back << 32 | back >> 96) & _ALL
                keys.append(self.version.aes(rotated) ^ before ^ counter.get(i, 0))
            elif size == 8:
                keys.append(back ^ (keys[i - 2] << 32 & _ALL | before >> 96))
            else:
                mixed = back ^ (before << 32 & _ALL)
                keys.append(mixed ^ mixed >> 96)
        return keys

    def feistel(self, x: int, keys: list[int]) -> int:
        """The round function: adds each subkey in turn and applies AES."""
        for key in keys:
            x = self.version.aes(x ^ key)
        return x

    def encrypt_256(self, left: int, right: int) -> list[int]:
        """Two halves after twelve rounds."""
        keys = self.subkeys(_counter_256(self.bits), 36)
        for at in range(0, len(keys), 3):
            left, right = right, left ^ self.feistel(right, keys[at : at + 3])
        return [left, right]

    def encrypt_512(self, a: int, b: int, c: int, d: int) -> list[int]:
        """Four quarters after all rounds."""
        keys = self.subkeys(self.version.counter_512(self.bits), 8 * self.version.rounds_512)
        for at in range(0, len(keys), 8):
            new_b = a ^ self.feistel(b, keys[at : at + 4])
            new_d = c ^ self.feistel(d, keys[at + 4 : at + 8])
            a, b, c, d = d, new_b, b, new_d
        return [a, b, c, d]


def _compress(chain: list[int], version: Version, block: bytes, bits: int) -> list[int]:
    cipher = _Cipher(version, block, bits)
    encrypt = cipher.encrypt_256 if len(chain) == 2 else cipher.encrypt_512
    return [new ^ old for new, old in zip(encrypt(*chain), chain, strict=True)]


@cache
def _shavite3_initial(output_bytes: int, version: Version) -> list[int]:
    """Compresses zeros, and into the result a block with the digest's length in bits."""
    block_bytes = 2 * output_bytes
    zeros = _compress([0] * (output_bytes // 16), version, bytes(block_bytes), 0)
    length = (8 * output_bytes).to_bytes(2, "little")
    return _compress(zeros, version, length + bytes(block_bytes - 2), 0)


def shavite3(message: bytes, output_bytes: int, version: Version = SECOND_ROUND) -> bytes:
    """SHAvite-3-256 or SHAvite-3-512 of a version, without salt, with a digest of 32 or 64 bytes.

    Example:
        >>> shavite3(b"", 32).hex()[:16]
        '08c5825af2e9e594'
    """
    block_bytes, length_bytes = 2 * output_bytes, output_bytes // 4
    bits = 8 * len(message)
    zeros = -(len(message) + 1 + length_bytes + 2) % block_bytes
    padded = message + b"\x80" + bytes(zeros) + bits.to_bytes(length_bytes, "little")
    padded += (8 * output_bytes).to_bytes(2, "little")
    chain = _shavite3_initial(output_bytes, version)
    for at in range(0, len(padded), block_bytes):
        # The counter of a block is the message's bits up to its end, or 0 if it has none of them.
        counter = min(8 * (at + block_bytes), bits) if 8 * at < bits else 0
        chain = _compress(chain, version, padded[at : at + block_bytes], counter)
    return b"".join(quad.to_bytes(16, "big") for quad in chain)
