# SPDX-License-Identifier: Apache-2.0
"""Fugue as in the second round of the SHA-3 competition (Halevi, Hall and Jutla, 2009).

Columns are numbers of 32 bits, row 0 in the highest byte. SMIX is linear after its S-box, so the
Super-Mix is a table for each of 16 bytes, with the byte's share of all four columns.
"""

from __future__ import annotations

import struct
from functools import cache

from joulemark.reference.aes import multiply, s_box

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
    """Fugue-256 or Fugue-512.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.

    Example:
        >>> fugue(b"", 32).hex()[:16]
        'd6ec528980c130aa'
    """
    padded = message + bytes(-len(message) % 4) + (8 * len(message)).to_bytes(8, "big")
    return _digest(list(_initial(output_bytes)), padded, output_bytes)
