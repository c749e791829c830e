# SPDX-License-Identifier: Apache-2.0
"""The log of a simulator about one program: marks with counts, and the bytes of the answer.

All simulators write these lines:

    mark NUMBER CORE_CYCLES INSTRUCTIONS   both since reset
    byte NUMBER                            a byte of the answer
    end                                    the program ended by itself
    crash WHY                              the program did not end by itself
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import CrashError

__all__ = ["Mark", "SimulatorLog", "parse_log"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark, with the counts since reset."""

    number: int
    core_cycles: int
    instructions: int


@dataclass(frozen=True, slots=True)
class SimulatorLog:
    """All marks and bytes of one program."""

    marks: tuple[Mark, ...]
    answer: bytes


def parse_log(text: str) -> SimulatorLog:
    """Reads the log of a program that ended by itself.

    Raises:
        CrashError: the program did not end by itself, or the log has other lines.
    """
    marks, answer, ended = [], bytearray(), False
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        try:
            if word == "mark":
                marks.append(Mark(*map(int, rest.split())))
            elif word == "byte":
                answer.append(int(rest))
        except (ValueError, TypeError):
            raise CrashError(f"its simulator wrote a line that is none: {line[:60]!r}") from None
        if word == "crash":
            raise CrashError(f"it did not end: {rest}")
        ended = ended or word == "end"
    if not ended:
        raise CrashError("its simulator ended before it")
    return SimulatorLog(tuple(marks), bytes(answer))
