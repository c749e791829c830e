# SPDX-License-Identifier: Apache-2.0
"""Groestl as in the final and the second round of the SHA-3 competition (Gauravaram et al.).

P and Q work side by side on one array: the columns of P, then those of Q. A column has 8 bytes.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from joulemark.reference.aes import multiply, s_box

_Bytes = NDArray[np.uint8]
_ROUNDS = {8: 10, 16: 14}
_MIX = (2, 2, 3, 4, 5, 3, 5, 7)
"""First row of MixBytes' circulant matrix."""
_SHIFTS = {
    8: ((0, 1, 2, 3, 4, 5, 6, 7), (1, 3, 5, 7, 0, 2, 4, 6)),
    16: ((0, 1, 2, 3, 4, 5, 6, 11), (1, 3, 5, 11, 0, 2, 4, 6)),
}
"""Columns -> the shift of each row to the left by ShiftBytes, in columns, in P and in Q."""


@cache
def _tables() -> NDArray[np.uint64]:
    """For each row and value of a byte, its share of the column after SubBytes and MixBytes."""
    tables = np.zeros((8, 256, 8), dtype=np.uint8)
    for row in range(8):
        for to in range(8):
            factor = _MIX[(row - to) % 8]
            tables[row, :, to] = [multiply(byte, factor) for byte in s_box()]
    return tables.view(np.uint64)[:, :, 0]


@cache
def _gather(columns: int, *, round2: bool) -> NDArray[np.intp]:
    """ShiftBytes: for each row and column, the index of its byte in both matrices."""
    in_p, in_q = _SHIFTS[columns]
    shifts = (in_p, in_p if round2 else in_q)
    return np.array(
        [
            [
                8 * (columns * which + (column + shifts[which][row]) % columns) + row
                for which in range(2)
                for column in range(columns)
            ]
            for row in range(8)
        ]
    )


@cache
def _constants(columns: int, *, round2: bool) -> _Bytes:
    """For each round, the constants that AddRoundConstant adds to both matrices."""
    added = np.zeros((_ROUNDS[columns], 2, columns, 8), dtype=np.uint8)
    rounds = np.arange(_ROUNDS[columns], dtype=np.uint8)[:, None]
    if round2:
        added[:, 0, 0, 0] = rounds[:, 0]
        added[:, 1, 0, 7] = rounds[:, 0] ^ 0xFF
    else:
        named = rounds ^ (np.arange(columns, dtype=np.uint8) << 4)
        added[:, 1] = 0xFF
        added[:, 0, :, 0] ^= named
        added[:, 1, :, 7] ^= named
    return added.reshape(_ROUNDS[columns], -1)


def _permute(p: _Bytes, q: _Bytes, *, round2: bool) -> tuple[_Bytes, _Bytes]:
    columns = p.size // 8
    gather, tables = _gather(columns, round2=round2), _tables()
    rows = np.arange(8)[:, None]
    state = np.concatenate([p, q])
    for constants in _constants(columns, round2=round2):
        terms = tables[rows, (state ^ constants)[gather]]
        # With `keepdims`: mypy finds no form of `reduce` without it in the types of NumPy 2.5.
        state = np.bitwise_xor.reduce(terms, axis=0, keepdims=True)[0].view(np.uint8)
    return state[: p.size], state[p.size :]


def _groestl(message: bytes, output_bytes: int, *, round2: bool) -> bytes:
    block_bytes = 2 * output_bytes
    zeros = -(len(message) + 1 + 8) % block_bytes
    blocks = (len(message) + 1 + zeros + 8) // block_bytes
    padded = np.frombuffer(
        message + b"\x80" + bytes(zeros) + blocks.to_bytes(8, "big"), dtype=np.uint8
    )
    length = (8 * output_bytes).to_bytes(block_bytes, "big")
    chain: _Bytes = np.frombuffer(length, dtype=np.uint8)
    for at in range(0, padded.size, block_bytes):
        block = padded[at : at + block_bytes]
        p, q = _permute(chain ^ block, block, round2=round2)
        chain = chain ^ p ^ q
    last, _ = _permute(chain, chain, round2=round2)
    return (chain ^ last).tobytes()[-output_bytes:]


def groestl_final(message: bytes, output_bytes: int) -> bytes:
    """Groestl-256 or Groestl-512 of the competition's final round.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.

    Example:
        >>> groestl_final(b"", 32).hex()[:16]
        '1a52d11d550039be'
    """
    return _groestl(message, output_bytes, round2=False)


def groestl_round2(message: bytes, output_bytes: int) -> bytes:
    """Groestl of the second round, later called Groestl-0; arguments as `groestl_final`."""
    return _groestl(message, output_bytes, round2=True)
