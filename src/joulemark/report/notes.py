# SPDX-License-Identifier: Apache-2.0
"""Numbered notes below a table: warnings of the same kind share a number, a count, an example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.records.figures import Doubt, DoubtKind

_OTHER_PROGRAMS = {
    DoubtKind.INTERRUPTED,
    DoubtKind.OFF_CPU,
    DoubtKind.SHARED_CORE,
    DoubtKind.FOREIGN_CPU,
    DoubtKind.STEAL,
}
"""Another program had the CPU, or its core. Different counters see it, a quiet machine mends it."""


def cause_of(doubt: Doubt) -> DoubtKind | Doubt:
    """The cause of a doubt: doubts with one remedy have one cause.

    A doubt of no known kind is its own cause, so such doubts agree only if they read the same.
    """
    if doubt.kind is DoubtKind.OTHER:
        return doubt
    return DoubtKind.FOREIGN_CPU if doubt.kind in _OTHER_PROGRAMS else doubt.kind


@dataclass
class _Note:
    number: int
    example: str
    times: int = 0


class DoubtNumbers:
    """Collects doubts and hands out the numbers of their kinds, from 1.

    Doubts of no known kind share a number where they read the same.

    Args:
        by_cause: kinds of one cause share a number too.
    """

    def __init__(self, *, by_cause: bool = False) -> None:
        self._by_cause = by_cause
        self._notes: dict[DoubtKind | Doubt, _Note] = {}

    def numbers(self, doubts: Iterable[Doubt]) -> list[int]:
        """Numbers of the kinds of `doubts`, ascending; a cause has one number."""
        numbers: list[int] = []
        for doubt in doubts:
            together = self._by_cause or doubt.kind is DoubtKind.OTHER
            key = cause_of(doubt) if together else doubt.kind
            note = self._notes.setdefault(key, _Note(len(self._notes) + 1, doubt.sentence))
            if self._by_cause and note.number in numbers:
                continue
            note.times += 1
            numbers.append(note.number)
        return sorted(numbers)

    def legend(self) -> list[tuple[int, str]]:
        """Number and text of every kind so far, in order; the first warning stands for its kind."""
        more = " ({} trials carry this warning; this is the first.)"
        return [
            (note.number, note.example + (more.format(note.times) if note.times > 1 else ""))
            for note in self._notes.values()
        ]
