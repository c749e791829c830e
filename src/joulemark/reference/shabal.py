# SPDX-License-Identifier: Apache-2.0
"""Shabal (Bresson and others, second round of the SHA-3 competition, 2009), chapters 2 and 3.

The initial values are computed, from two blocks that name the digest's length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from joulemark.reference.words import bytes_of, words_of

_MASK = (1 << 32) - 1
_BLOCK_BYTES = 64


@dataclass
class _State:
    a: list[int] = field(default_factory=lambda: [0] * 12)
    b: list[int] = field(default_factory=lambda: [0] * 16)
    c: list[int] = field(default_factory=lambda: [0] * 16)
    w: int = -1

    def permute(self, m: list[int]) -> None:
        """The counter, then the keyed permutation P."""
        a, c = self.a, self.c
        a[0] ^= self.w & _MASK
        a[1] ^= self.w >> 32 & _MASK
        b = [(word << 17 | word >> 15) & _MASK for word in self.b]
        last = a[11]
        for step in range(48):
            i = step % 16
            v = (last << 15 | last >> 17) * 5
            last = ((a[step % 12] ^ v & _MASK ^ c[8 - i]) * 3) & _MASK
            last ^= b[i - 3] ^ b[i - 7] & ~b[i - 10] ^ m[i]
            a[step % 12] = last
            b[i] = (b[i] << 1 | b[i] >> 31) & _MASK ^ last ^ _MASK
        for j in range(36):
            a[j % 12] += c[(j + 3) % 16]
        self.a, self.b = [word & _MASK for word in a], b

    def absorb(self, m: list[int]) -> None:
        """Takes a block that is not the last."""
        self.b = [word + add & _MASK for word, add in zip(self.b, m, strict=True)]
        self.permute(m)
        self.c = [word - sub & _MASK for word, sub in zip(self.c, m, strict=True)]
        self.b, self.c = self.c, self.b
        self.w += 1


@cache
def _initial(output_bits: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    state = _State()
    for first in (output_bits, output_bits + 16):
        state.absorb(list(range(first, first + 16)))
    return tuple(state.a), tuple(state.b), tuple(state.c)


def shabal(message: bytes, output_bytes: int) -> bytes:
    """Shabal with a digest of 32 or 64 bytes, or another multiple of 4.

    Example:
        >>> shabal(b"", 32).hex()[:16]
        'aec750d11feee9f1'
    """
    a, b, c = _initial(8 * output_bytes)
    state = _State(list(a), list(b), list(c), 1)
    padded = message + b"\x80" + bytes(-(len(message) + 1) % _BLOCK_BYTES)
    words = words_of(padded, "little")
    for at in range(0, len(words) - 16, 16):
        state.absorb(words[at : at + 16])
    m = words[-16:]
    state.b = [word + add & _MASK for word, add in zip(state.b, m, strict=True)]
    state.permute(m)
    for _ in range(3):
        state.b, state.c = state.c, state.b
        state.permute(m)
    return bytes_of(state.b, "little")[-output_bytes:]
