# SPDX-License-Identifier: Apache-2.0
"""ECHO, Groestl and SIMD, candidates of the SHA-3 competition, on arrays of NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joulemark.reference.aes import column_tables, multiply, s_box
from joulemark.reference.words import bytes_of, rotate_left, words_of

# ECHO as in the second round of the SHA-3 competition (Benadjila et al., version 1.5, 2009).
#
# The big state is an array of 256 bytes: 16 words of an AES state, in columns of four.

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
    """ECHO-256 or ECHO-512, without salt, with a digest of 32 or 64 bytes.

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


# Groestl as in the final and the second round of the SHA-3 competition (Gauravaram et al.).
#
# P and Q work side by side on one array: the columns of P, then those of Q. A column has 8 bytes.

_GROESTL_ROUNDS = {8: 10, 16: 14}
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
    added = np.zeros((_GROESTL_ROUNDS[columns], 2, columns, 8), dtype=np.uint8)
    rounds = np.arange(_GROESTL_ROUNDS[columns], dtype=np.uint8)[:, None]
    if round2:
        added[:, 0, 0, 0] = rounds[:, 0]
        added[:, 1, 0, 7] = rounds[:, 0] ^ 0xFF
    else:
        named = rounds ^ (np.arange(columns, dtype=np.uint8) << 4)
        added[:, 1] = 0xFF
        added[:, 0, :, 0] ^= named
        added[:, 1, :, 7] ^= named
    return added.reshape(_GROESTL_ROUNDS[columns], -1)


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
    """Groestl-256 or Groestl-512 of the final round, with a digest of 32 or 64 bytes.

    Example:
        >>> groestl_final(b"", 32).hex()[:16]
        '1a52d11d550039be'
    """
    return _groestl(message, output_bytes, round2=False)


def groestl_round2(message: bytes, output_bytes: int) -> bytes:
    """Groestl of the second round, later called Groestl-0; arguments as `groestl_final`."""
    return _groestl(message, output_bytes, round2=True)


# SIMD-256 and SIMD-512 (Leurent, Bouillaguet, Fouque: "SIMD is a Message Digest", version 1.1).
#
# The number-theoretic transform is its definition: a product with a matrix of powers, modulo 257.

_MASK = (1 << 32) - 1
_INITIAL = {
    4: "4d56798307190ba98474577b39d726e9aaf3d9253ee20b03afd5e751c96006d3"
    "c2c2ba1449b3bcb4f67caf46668626c9e2eaa8d21ff47833d0c661a555693de1",
    8: "0ba16b9572f999ad9fecc2aeba3264fc5e8949298e9f30e52f1daa37f0f2c558"
    "ac506643a90635a5e25b878baab7878f88817f7a0a02892b559a7550598f657e"
    "7eef60a16b70e3e89c1714d1b958e2a8ab02675eed1c014fcd8d65bbfdb7a257"
    "09254899d699c7bc9019b6dc2b9022e48fa1495621bf9bd3b94d09436ffddc22",
}
_ORDER = tuple(bytes.fromhex("04060002070503010f0b0c08090d0a0e11121714161510131e18191f1b1d1c1a"))
_ROTATIONS = ((3, 23, 17, 27), (28, 19, 22, 7), (29, 9, 15, 5), (4, 13, 10, 25))
_EXCHANGES = {4: (1, 2, 3), 8: (1, 6, 2, 3, 5, 7, 4)}
"""Number of lanes -> for each step, the XOR of a lane's number and the lane whose A it adds."""


@cache
def _powers(size: int) -> Any:
    """The root of unity of this order, 41 or its square, to the power of row times column."""
    root = 41 if size == 256 else 41 * 41 % 257
    exponents = np.outer(np.arange(size), np.arange(size)) % size
    return np.array([pow(root, exponent, 257) for exponent in range(size)])[exponents]


def _expand(block: bytes, lanes: int, *, last: bool) -> list[list[int]]:
    """Section 1.2: 32 vectors of words, each of two residues between -128 and 128."""
    size = 32 * lanes
    x = np.zeros(size, dtype=np.int64)
    x[: len(block)] = np.frombuffer(block, dtype=np.uint8)
    x[size - 1] = 1
    if last:
        x[size - 3] = 1
    y = _powers(size) @ x % 257
    y = np.where(y > 128, y - 257, y).tolist()
    half = size // 2
    words = []
    for number in _ORDER:
        at = 2 * lanes * number
        for j in range(0, 2 * lanes, 2):
            if number < 16:
                low, high, factor = y[at + j], y[at + j + 1], 185
            elif number < 24:
                first = at + j - size
                low, high, factor = y[first], y[first + half], 233
            else:
                first = at + j - size - half + 1
                low, high, factor = y[first], y[first + half], 233
            words.append((high * factor << 16 & _MASK) | low * factor & 0xFFFF)
    return [words[at : at + lanes] for at in range(0, 32 * lanes, lanes)]


def _simd_compress(h: list[list[int]], block: bytes, lanes: int, *, last: bool) -> list[list[int]]:
    words = words_of(block, "little")
    a, b, c, d = (
        [number ^ word for number, word in zip(row, words[i * lanes :], strict=False)]
        for i, row in enumerate(h)
    )
    schedule = _expand(block, lanes, last=last) + h
    exchanges = _EXCHANGES[lanes]
    for step, w in enumerate(schedule):
        turns = _ROTATIONS[min(step // 8, 3)]
        r, s = turns[step % 4], turns[(step + 1) % 4]
        majority = step < 32 and step % 8 > 3
        turned = [rotate_left(word, r) for word in a]
        exchange = exchanges[step % len(exchanges)]
        new = []
        for i in range(lanes):
            x, y, z = a[i], b[i], c[i]
            chosen = (x & y) | (x & z) | (y & z) if majority else (x & y) | (~x & z)
            total = d[i] + w[i] + (chosen & _MASK) & _MASK
            new.append(rotate_left(total, s) + turned[i ^ exchange] & _MASK)
        a, b, c, d = new, turned, b, c
    return [a, b, c, d]


def simd(message: bytes, lanes: int) -> bytes:
    """SIMD-256, of 4 lanes, or SIMD-512, of 8.

    Example:
        >>> simd(b"", 4).hex()[:16]
        '8029e81e7320e13e'
    """
    block_bytes = 16 * lanes
    initial = words_of(bytes.fromhex(_INITIAL[lanes]), "big")
    h = [initial[at : at + lanes] for at in range(0, len(initial), lanes)]
    padded = message + bytes(-len(message) % block_bytes)
    for at in range(0, len(padded), block_bytes):
        h = _simd_compress(h, padded[at : at + block_bytes], lanes, last=False)
    length = (8 * len(message)).to_bytes(8, "little").ljust(block_bytes, b"\0")
    h = _simd_compress(h, length, lanes, last=True)
    return bytes_of((*h[0], *h[1]), "little")
