# SPDX-License-Identifier: Apache-2.0
"""KT128 and TurboSHAKE128 (RFC 9861), the customization string being empty."""

from __future__ import annotations

from functools import cache

__all__ = ["kt128"]

_MASK = (1 << 64) - 1
_CHUNK_BYTES = 8192
_RATE_BYTES = 168
_SINGLE, _FINAL_NODE, _LEAF = 0x07, 0x06, 0x0B


@cache
def _round_constants() -> tuple[int, ...]:
    """Of the last 12 of 24 rounds (FIPS 202, algorithm 5), from one register for all bits."""
    register, constants = 1, []
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << ((1 << j) - 1)
            register = (register << 1) ^ (register >> 7) * 0x171
        constants.append(constant)
    return tuple(constants[12:])


def _left(word: int, count: int) -> int:
    return (word << count | word >> (64 - count)) & _MASK


def _permute(lane: dict[tuple[int, int], int]) -> None:
    """Section 2.1: Keccak-p[1600, 12], of the words lane[x, y]."""
    for constant in _round_constants():
        column = [0] * 5
        for (x, _), word in lane.items():
            column[x] ^= word
        for x, y in lane:
            lane[x, y] ^= column[x - 1] ^ _left(column[(x + 1) % 5], 1)
        x, y, current = 1, 0, lane[1, 0]
        for t in range(1, 25):
            x, y = y, (2 * x + 3 * y) % 5
            current, lane[x, y] = lane[x, y], _left(current, t * (t + 1) // 2 % 64)
        for y in range(5):
            row = [lane[x, y] for x in range(5)]
            for x in range(5):
                lane[x, y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        lane[0, 0] ^= constant


def _turboshake128(message: bytes, separation: int) -> bytes:
    """Section 2.2: the first block of the output, of which a caller takes what it needs."""
    filled = message + bytes([separation])
    padded = bytearray(filled + bytes(-len(filled) % _RATE_BYTES))
    padded[-1] ^= 0x80
    lane = {(x, y): 0 for y in range(5) for x in range(5)}
    for start in range(0, len(padded), _RATE_BYTES):
        for at in range(0, _RATE_BYTES, 8):
            word = int.from_bytes(padded[start + at : start + at + 8], "little")
            lane[at // 8 % 5, at // 40] ^= word
        _permute(lane)
    return b"".join(word.to_bytes(8, "little") for word in lane.values())[:_RATE_BYTES]


def _length_encode(number: int) -> bytes:
    digits = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return digits + bytes([len(digits)])


def kt128(message: bytes, output_bytes: int = 32) -> bytes:
    """The first bytes of the output of KT128.

    Args:
        message: any number of bytes.
        output_bytes: at most 168, which is one block.

    Example:
        >>> kt128(b"").hex()[:16]
        '1ac2d450fc3b4205'
    """
    text = message + _length_encode(0)
    first, *leaves = (text[at : at + _CHUNK_BYTES] for at in range(0, len(text), _CHUNK_BYTES))
    if not leaves:
        return _turboshake128(text, _SINGLE)[:output_bytes]
    node = first + b"\x03" + bytes(7)
    node += b"".join(_turboshake128(leaf, _LEAF)[:32] for leaf in leaves)
    node += _length_encode(len(leaves)) + b"\xff\xff"
    return _turboshake128(node, _FINAL_NODE)[:output_bytes]
