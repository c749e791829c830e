# SPDX-License-Identifier: Apache-2.0
"""RC6-32/20 encryption (Rivest, Robshaw, Sidney and Yin, 1998): words of 32 bits, 20 rounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

from joulemark.errors import UsageError
from joulemark.reference.words import bytes_of, rotate_left, words_of

_ROUNDS = 20
_KEY_WORDS = 2 * _ROUNDS + 4
_P, _Q = 0xB7E15163, 0x9E3779B9
"""From the base of the natural logarithms and from the golden ratio (section 2.2)."""
_WORD = 0xFFFFFFFF


def _rotate(word: int, count: int) -> int:
    """Rotates by the low five bits of the count."""
    return rotate_left(word, count & 31)


@lru_cache(maxsize=4)
def _round_keys(key: bytes) -> list[int]:
    words = words_of(key, "little")
    keys = [(_P + i * _Q) & _WORD for i in range(_KEY_WORDS)]
    a = b = 0
    for step in range(3 * max(len(words), _KEY_WORDS)):
        i, j = step % _KEY_WORDS, step % len(words)
        a = keys[i] = _rotate((keys[i] + a + b) & _WORD, 3)
        b = words[j] = _rotate((words[j] + a + b) & _WORD, a + b)
    return keys


def _encrypt(keys: list[int], block: bytes) -> bytes:
    a, b, c, d = words_of(block, "little")
    b, d = b + keys[0] & _WORD, d + keys[1] & _WORD
    for i in range(1, _ROUNDS + 1):
        t = _rotate(b * (2 * b + 1) & _WORD, 5)
        u = _rotate(d * (2 * d + 1) & _WORD, 5)
        a, b, c, d = (
            b,
            _rotate(c ^ u, t) + keys[2 * i + 1] & _WORD,
            d,
            _rotate(a ^ t, u) + keys[2 * i] & _WORD,
        )
    a, c = a + keys[2 * _ROUNDS + 2] & _WORD, c + keys[2 * _ROUNDS + 3] & _WORD
    return bytes_of((a, b, c, d), "little")


def rc6_encryption(key: bytes) -> Callable[[bytes], bytes]:
    """A function that encrypts one block of 16 bytes under this key.

    Args:
        key: 16, 24 or 32 bytes.

    Example:
        >>> rc6_encryption(bytes(16))(bytes(16)).hex()
        '8fc3a53656b1f778c129df4e9848a41e'
    """
    if len(key) not in (16, 24, 32):
        raise UsageError(f"An RC6 key has 16, 24 or 32 bytes, not {len(key)}.")
    return partial(_encrypt, _round_keys(key))
