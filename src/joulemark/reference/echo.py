# SPDX-License-Identifier: Apache-2.0
"""ECHO as in the second round of the SHA-3 competition (Benadjila et al., version 1.5, 2009).

The big state is an array of 256 bytes: 16 words of an AES state, in columns of four.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from joulemark.reference.aes import column_tables, multiply

_Bytes = NDArray[np.uint8]
_STATE_BYTES = 256
_BLOCK_BYTES = {32: 192, 64: 128}
_ROUNDS = {32: 8, 64: 10}


@cache
def _aes_gather() -> NDArray[np.intp]:
    """ShiftRows of 16 words: for each row and column of all words, the index of its byte."""
    return np.array(
        [
            [
                16 * word + 4 * ((column + row) % 4) + row
                for word in range(16)
                for column in range(4)
            ]
            for row in range(4)
        ]
    )


@cache
def _aes_tables() -> tuple[NDArray[np.uint32], ...]:
    """For each row and value of a byte, its share of the column after SubBytes and MixColumns.

    Row 0 is the first byte in memory.
    """
    return tuple(np.array(table, dtype=">u4").view(np.uint32) for table in column_tables())


def _aes_rounds(state: _Bytes) -> _Bytes:
    """Applies a round of AES without key to each of the 16 words."""
    row0, row1, row2, row3 = state[_aes_gather()]
    table0, table1, table2, table3 = _aes_tables()
    columns: NDArray[np.uint32] = table0[row0] ^ table1[row1] ^ table2[row2] ^ table3[row3]
    return columns.view(np.uint8)


@cache
def _doubles() -> _Bytes:
    return np.array([multiply(byte, 2) for byte in range(256)], dtype=np.uint8)


@cache
def _big_gather(below: int) -> NDArray[np.intp]:
    """BIG.ShiftRows: which byte goes to each byte of the row so many rows below."""
    column, row, byte = np.ogrid[:4, :4, :16]
    whence = (row + below) % 4
    gathered: NDArray[np.intp] = 64 * ((column + whence) % 4) + 16 * whence + byte
    return gathered


def _big_shift_and_mix(state: _Bytes) -> _Bytes:
    words, below = state[_big_gather(0)], state[_big_gather(1)]
    everything = words ^ below ^ state[_big_gather(2)] ^ state[_big_gather(3)]
    mixed: _Bytes = _doubles()[words ^ below] ^ words ^ everything
    return mixed.reshape(_STATE_BYTES)


def _compress(chain: _Bytes, block: _Bytes, counter: int, rounds: int) -> _Bytes:
    before = np.concatenate([chain, block])
    state, key = before, np.zeros((16, 2), dtype="<u8")
    for round_ in range(rounds):
        key[:, 0] = np.arange(16, dtype=np.uint64) + np.uint64(counter + 16 * round_)
        state = _aes_rounds(_aes_rounds(state) ^ key.view(np.uint8).reshape(_STATE_BYTES))
        state = _big_shift_and_mix(state)
    # With `keepdims`: mypy finds no form of `reduce` without it in the types of NumPy 2.5.
    parts = (before ^ state).reshape(-1, chain.size)
    folded: _Bytes = np.bitwise_xor.reduce(parts, axis=0, keepdims=True)[0]
    return folded


def echo(message: bytes, output_bytes: int) -> bytes:
    """ECHO-256 or ECHO-512, without salt.

    Args:
        message: any number of bytes.
        output_bytes: 32 or 64.

    Example:
        >>> echo(b"", 32).hex()[:16]
        '4496cd09d425999a'
    """
    block_bytes, bits = _BLOCK_BYTES[output_bytes], 8 * len(message)
    zeros = -(len(message) + 1 + 2 + 16) % block_bytes
    lengths = (8 * output_bytes).to_bytes(2, "little") + bits.to_bytes(16, "little")
    padded = np.frombuffer(message + b"\x80" + bytes(zeros) + lengths, dtype=np.uint8)
    word = (8 * output_bytes).to_bytes(16, "little")
    chain = np.frombuffer(word * ((_STATE_BYTES - block_bytes) // 16), dtype=np.uint8)
    for at in range(0, padded.size, block_bytes):
        # The counter of a block is the message's bits up to its end, or 0 if it has none of them.
        counter = min(8 * (at + block_bytes), bits) if 8 * at < bits else 0
        chain = _compress(chain, padded[at : at + block_bytes], counter, _ROUNDS[output_bytes])
    return chain.tobytes()[:output_bytes]
