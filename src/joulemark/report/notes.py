# SPDX-License-Identifier: Apache-2.0
"""Numbered notes below a table: warnings of the same kind share a number, a count, an example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.records.doubt import Doubt, DoubtKind
from joulemark.report.doubt_causes import cause_of

__all__ = ["Notes"]


@dataclass
class _Note:
    number: int
    example: str
    times: int = 0


class Notes:
    """Collects doubts and hands out the numbers of their kinds, from 1.

    Doubts of no known kind share a number where they read the same.

    Args:
        by_cause: kinds of one cause share a number too.
    """

    def __init__(self, *, by_cause: bool = False) -> None:
        self._by_cause = by_cause
        self._notes: dict[DoubtKind | Doubt, _Note] = {}

    def numbers(self, doubts: Iterable[Doubt]) -> list[int]:
        """Numbers of the kinds of `doubts`, new ones appended; of one cause only one."""
        numbers: list[int] = []
        for doubt in doubts:
            key = self._key(doubt)
            note = self._notes.setdefault(key, _Note(len(self._notes) + 1, doubt.sentence))
            if self._by_cause and note.number in numbers:
                continue
            note.times += 1
            numbers.append(note.number)
        return sorted(numbers)

    def _key(self, doubt: Doubt) -> DoubtKind | Doubt:
        if self._by_cause or doubt.kind is DoubtKind.OTHER:
            return cause_of(doubt)
        return doubt.kind

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
