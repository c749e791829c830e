# SPDX-License-Identifier: Apache-2.0
"""Numbered notes below a table: warnings of the same kind share a number, a count, an example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Notes"]

_LONGEST_KIND = 30
"""What stands before a colon is a kind only if it is about this short; else it is prose."""


@dataclass
class _Note:
    number: int
    example: str
    times: int = 0


class Notes:
    """Collects warnings and hands out the numbers of their kinds, from 1.

    A warning reads `kind: sentence`; one without a kind is a kind of its own.
    """

    def __init__(self) -> None:
        self._notes: dict[str, _Note] = {}

    def numbers(self, sentences: Iterable[str]) -> list[int]:
        """Numbers of the kinds of `sentences`, new ones appended."""
        numbers = []
        for text in sentences:
            kind, colon, _ = text.partition(": ")
            key = kind if colon and len(kind) <= _LONGEST_KIND else text
            note = self._notes.setdefault(key, _Note(len(self._notes) + 1, text))
            note.times += 1
            numbers.append(note.number)
        return sorted(numbers)

    def legend(self) -> list[tuple[int, str]]:
        """Number and text of every kind so far, in order; the first warning stands for its kind."""
        return [
            (
                note.number,
                note.example
                if note.times == 1
                else f"{note.example} ({note.times} trials carry this warning; this is the first.)",
            )
            for note in self._notes.values()
        ]
