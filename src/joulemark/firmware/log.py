# SPDX-License-Identifier: Apache-2.0
"""What a simulator wrote of one program: marks with their counts, and the bytes of the answer.

Lines of a log, the same of all simulators:

    mark NUMBER CORE_CYCLES INSTRUCTIONS   both since reset
    byte NUMBER
    end                                    the program ended by itself
    crash WHY                              it did not
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.errors import CrashError

__all__ = ["Mark", "SimulatorLog", "parse_log"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark."""

    number: int
    core_cycles: int
    instructions: int


@dataclass(frozen=True, slots=True)
class SimulatorLog:
    """All of one program."""

    marks: tuple[Mark, ...]
    answer: bytes


def parse_log(text: str) -> SimulatorLog:
    """The log of a program that ended by itself.

    Raises:
        CrashError: it did not, or the simulator did not write what it should.
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
