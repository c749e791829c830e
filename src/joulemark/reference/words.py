# SPDX-License-Identifier: Apache-2.0
"""Words: bytes as words of 32 bits, words as bytes, and rotations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Order = Literal["big", "little"]


def words_of(data: bytes, order: Order) -> list[int]:
    """The words of some bytes, whose number is a multiple of 4."""
    return [int.from_bytes(data[at : at + 4], order) for at in range(0, len(data), 4)]


def bytes_of(words: Iterable[int], order: Order) -> bytes:
    """The bytes of words."""
    return b"".join(word.to_bytes(4, order) for word in words)


def rotate_left(word: int, count: int, bits: int = 32) -> int:
    """A word of so many bits rotated to the left, by at most as many."""
    return (word << count | word >> (bits - count)) & ((1 << bits) - 1)
