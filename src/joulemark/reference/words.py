# SPDX-License-Identifier: Apache-2.0
"""Words of 32 bits: bytes as words, words as bytes, and rotations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

_MASK = 0xFFFFFFFF

Order = Literal["big", "little"]


def words_of(data: bytes, order: Order) -> list[int]:
    """The words of some bytes, whose number is a multiple of 4."""
    return [int.from_bytes(data[at : at + 4], order) for at in range(0, len(data), 4)]


def bytes_of(words: Iterable[int], order: Order) -> bytes:
    """The bytes of words."""
    return b"".join(word.to_bytes(4, order) for word in words)


def rotate_left(word: int, count: int) -> int:
    """A word rotated to the left by 0 to 32 bits."""
    return (word << count | word >> (32 - count)) & _MASK
