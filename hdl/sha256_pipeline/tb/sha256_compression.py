# SPDX-License-Identifier: Apache-2.0
"""The compression function of SHA-256 in Python, for arbitrary chaining values.

Written from FIPS 180-4, sections 4.1.2 and 6.2.2, alone; the tests compare it with hashlib.
"""

from __future__ import annotations

import math

__all__ = ["INITIAL_STATE", "compress", "padded", "sha256"]

_MASK = 0xFFFFFFFF


def _primes(count: int) -> list[int]:
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _cube_root(value: int) -> int:
    low, high = 0, 1 << (value.bit_length() // 3 + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= value else (low, middle)
    return low


_CONSTANTS = [_cube_root(prime << 96) & _MASK for prime in _primes(64)]
INITIAL_STATE = b"".join((math.isqrt(p << 64) & _MASK).to_bytes(4, "big") for p in _primes(8))
"""Fractional parts of the square roots of the first eight primes (section 5.3.3)."""


def _rotate(word: int, by: int) -> int:
    return (word >> by | word << (32 - by)) & _MASK


def compress(state: bytes, block: bytes) -> bytes:
    """The next chaining value after a block of 64 bytes."""
    words = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 64, 4)]
    for t in range(16, 64):
        x, y = words[t - 15], words[t - 2]
        words.append(
            words[t - 16] + words[t - 7]
            + (_rotate(x, 7) ^ _rotate(x, 18) ^ x >> 3)
            + (_rotate(y, 17) ^ _rotate(y, 19) ^ y >> 10)
            & _MASK
        )  # fmt: skip
    start = [int.from_bytes(state[i : i + 4], "big") for i in range(0, 32, 4)]
    a, b, c, d, e, f, g, h = start
    for t in range(64):
        t1 = h + (_rotate(e, 6) ^ _rotate(e, 11) ^ _rotate(e, 25)) + (e & f ^ ~e & g)
        t1 += _CONSTANTS[t] + words[t]
        t2 = (_rotate(a, 2) ^ _rotate(a, 13) ^ _rotate(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (t1 + t2) & _MASK, a, b, c, (d + t1) & _MASK, e, f, g
    ends = (a, b, c, d, e, f, g, h)
    return b"".join((x + y & _MASK).to_bytes(4, "big") for x, y in zip(start, ends, strict=True))


def padded(message: bytes) -> list[bytes]:
    """The message's padded blocks (section 5.1.1)."""
    whole = message + b"\x80" + bytes((55 - len(message)) % 64)
    whole += (8 * len(message)).to_bytes(8, "big")
    return [whole[i : i + 64] for i in range(0, len(whole), 64)]


def sha256(message: bytes) -> bytes:
    """The SHA-256 digest of a message."""
    state = INITIAL_STATE
    for block in padded(message):
        state = compress(state, block)
    return state
