# SPDX-License-Identifier: Apache-2.0
"""CubeHash16/32 with 160 initial and 160 final rounds (Bernstein: "CubeHash specification", 2.B.1).

The state is two lists of 16 words, whose places are named by four bits: the specification's
x[0jklm] and x[1jklm].
"""

from __future__ import annotations

from functools import cache

__all__ = ["cubehash"]

_MASK = (1 << 32) - 1
_ROUNDS = 16
_BLOCK_BYTES = 32
_PLACES = {bit: tuple(place ^ bit for place in range(16)) for bit in (1, 2, 4, 8)}


def _half(low: list[int], high: list[int], turn: int, swap_low: int, swap_high: int) -> None:
    """Five of the ten steps of a round."""
    high[:] = [a + b & _MASK for a, b in zip(low, high, strict=True)]
    low[:] = [(a << turn | a >> (32 - turn)) & _MASK for a in low]
    low[:] = [low[place] for place in _PLACES[swap_low]]
    low[:] = [a ^ b for a, b in zip(low, high, strict=True)]
    high[:] = [high[place] for place in _PLACES[swap_high]]


def _rounds(low: list[int], high: list[int], count: int) -> None:
    for _ in range(count):
        _half(low, high, 7, 8, 2)
        _half(low, high, 11, 4, 1)


@cache
def _initial(output_bytes: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = [output_bytes, _BLOCK_BYTES, _ROUNDS] + [0] * 13, [0] * 16
    _rounds(low, high, 10 * _ROUNDS)
    return tuple(low), tuple(high)


def cubehash(message: bytes, output_bytes: int) -> bytes:
    """CubeHash16/32 with a digest of any number of bytes up to 64.

    Example:
        >>> cubehash(b"", 32).hex()[:16]
        '44c6de3ac6c73c39'
    """
    low, high = map(list, _initial(output_bytes))
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _BLOCK_BYTES)
    for at in range(0, len(padded), 4):
        low[at // 4 % 8] ^= int.from_bytes(padded[at : at + 4], "little")
        if at % _BLOCK_BYTES == _BLOCK_BYTES - 4:
            _rounds(low, high, _ROUNDS)
    high[15] ^= 1
    _rounds(low, high, 10 * _ROUNDS)
    return b"".join(word.to_bytes(4, "little") for word in low)[:output_bytes]
