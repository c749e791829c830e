# SPDX-License-Identifier: Apache-2.0
"""Ascon-Hash256 (NIST SP 800-232) and Ascon-Hash of Ascon v1.2, and the permutation of both.

The S-box is in the algebraic normal form of the standard (section 3.3), for all columns at once.
"""

from __future__ import annotations

from typing import Literal

_MASK = (1 << 64) - 1
_ROUNDS = 12
_RATE_BYTES = 8
_DIGEST_WORDS = 4


def _diffuse(word: int, first: int, second: int) -> int:
    """The sum, bit by bit, of a word and two of its rotations to the right."""
    twice = word << 64 | word
    return (word ^ twice >> first ^ twice >> second) & _MASK


def permute(state: list[int]) -> list[int]:
    """Ascon-p with 12 rounds: constant, S-boxes of all columns, then the diffusion of each word."""
    for index in range(_ROUNDS):
        a, b, c, d, e = state
        c ^= (0xF - index) << 4 | index
        state = [
            _diffuse((e & b) ^ d ^ (c & b) ^ c ^ (b & a) ^ b ^ a, 19, 28),
            _diffuse(e ^ (d & c) ^ (d & b) ^ d ^ (c & b) ^ c ^ b ^ a, 61, 39),
            _diffuse((e & d) ^ e ^ c ^ b ^ _MASK, 1, 6),
            _diffuse((e & a) ^ e ^ (d & a) ^ d ^ c ^ b ^ a, 10, 17),
            _diffuse((e & b) ^ e ^ d ^ (b & a) ^ b, 7, 41),
        ]
    return state


def _sponge(start_word: int, message: bytes, first: int, order: Literal["little", "big"]) -> bytes:
    state = permute([start_word, 0, 0, 0, 0])
    padded = message + bytes([first]) + bytes(-(len(message) + 1) % _RATE_BYTES)
    for at in range(0, len(padded), _RATE_BYTES):
        state[0] ^= int.from_bytes(padded[at : at + _RATE_BYTES], order)
        state = permute(state)
    digest = [state[0]]
    while len(digest) < _DIGEST_WORDS:
        state = permute(state)
        digest.append(state[0])
    return b"".join(word.to_bytes(_RATE_BYTES, order) for word in digest)


def ascon_hash256(message: bytes) -> bytes:
    """Digest of 32 bytes; words are read with their lowest byte first.

    Example:
        >>> ascon_hash256(b"").hex()[:16]
        '0b3be5850f2f6b98'
    """
    return _sponge(0x0000080100CC0002, message, 0x01, "little")


def ascon_hash_v12(message: bytes) -> bytes:
    """Digest of 32 bytes by v1.2, which reads words with their highest byte first.

    Example:
        >>> ascon_hash_v12(b"").hex()[:16]
        '7346bc14f036e87a'
    """
    return _sponge(0x00400C0000000100, message, 0x80, "big")
