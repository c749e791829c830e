# SPDX-License-Identifier: Apache-2.0
"""Reads counts from a simulator's log; firmware/bench/bench.c defines the order of its bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO

from joulemark.errors import CrashError, WrongOutputError
from joulemark.firmware.log import Mark, SimulatorLog

__all__ = ["BenchAnswer", "LengthAnswer", "read_answer"]

_NO_ROOM = 0xFE
_NOTHING, _KEY, _MESSAGE = 1, 3, 5


@dataclass(frozen=True, slots=True)
class LengthAnswer:
    """Both turns of one length."""

    outputs: tuple[bytes, bytes] | None
    """Outputs of both turns; None if the message had no room in RAM, and then all counts are 0."""
    core_cycles: int
    """Core cycles of the second turn, as are the instructions."""
    first_core_cycles: int
    instructions: int
    stack_bytes: int


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """The answer of one program."""

    key_bytes: int
    state_bytes: int
    key_core_cycles: int
    lengths: tuple[LengthAnswer, ...]


class _Bytes:
    """The bytes of an answer, read from its beginning."""

    def __init__(self, data: bytes) -> None:
        self._stream = BytesIO(data)

    def take(self, count: int) -> bytes:
        taken = self._stream.read(count)
        if len(taken) < count:
            raise CrashError("its answer ends too soon")
        return taken

    def number(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def has_room(self, what: str) -> bool:
        """Whether the next status says that `what` was done, not that it had no room."""
        status = self.take(1)[0]
        if status not in (0, _NO_ROOM):
            raise WrongOutputError(f"it refused {what} with status {status}")
        return status == 0


def read_answer(log: SimulatorLog, output_bytes: Sequence[int]) -> BenchAnswer:
    """Reads the answer of a program of the bench.

    Args:
        log: of its simulator.
        output_bytes: length of the output for each message that the program was built for.

    Raises:
        CrashError: the answer is not that of such a program.
        WrongOutputError: the implementation refused key or message.
    """
    data, counts = _Bytes(log.answer), _counts(log.marks)
    key_bytes, state_bytes = data.number(), data.number()
    if not data.has_room("the key set-up"):
        raise WrongOutputError("its key state has no room in the target's RAM")
    key_core_cycles, _ = next(counts)
    lengths = []
    for size_bytes in output_bytes:
        turns = []
        for _ in range(2):
            if data.has_room("a message"):
                output = data.take(size_bytes)
                count = next(counts, None)
                if count is None:
                    raise CrashError("it has fewer marks than messages")
                turns.append((output, *count))
        stack_bytes = data.number()
        if len(turns) == 2:
            (first_output, first, _), (output, core_cycles, instructions) = turns
            outputs = (first_output, output)
            lengths.append(LengthAnswer(outputs, core_cycles, first, instructions, stack_bytes))
        else:
            lengths.append(LengthAnswer(None, 0, 0, 0, stack_bytes))
    return BenchAnswer(key_bytes, state_bytes, key_core_cycles, tuple(lengths))


def _counts(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Core cycles and instructions between each two marks, less those of the first, empty pair."""
    pairs = list(zip(marks[::2], marks[1::2], strict=False))
    known = (_NOTHING, _KEY, _MESSAGE)
    if (
        len(marks) % 2
        or len(pairs) < 2
        or any(
            first.number not in known or second.number != first.number + 1
            for first, second in pairs
        )
    ):
        raise CrashError("its marks do not come in pairs")
    between = [
        (end.core_cycles - begin.core_cycles, end.instructions - begin.instructions)
        for begin, end in pairs
    ]
    empty = between[0]
    return iter([(pair[0] - empty[0], pair[1] - empty[1]) for pair in between[1:]])
