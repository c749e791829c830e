# SPDX-License-Identifier: Apache-2.0
"""From a simulator's log to counts: firmware/bench/bench.c says which bytes come in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.errors import CrashError, WrongOutputError
from joulemark.firmware.log import Mark, SimulatorLog

__all__ = ["BenchAnswer", "LengthAnswer", "read_answer"]

_NO_ROOM = 0xFE
_NOTHING, _KEY, _MESSAGE = 1, 3, 5


@dataclass(frozen=True, slots=True)
class LengthAnswer:
    """Both turns of one length; None of what there was no room for in RAM."""

    outputs: tuple[bytes, bytes] | None
    core_cycles: int
    """Of the second turn."""
    first_core_cycles: int
    instructions: int
    stack_bytes: int


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """What one program said."""

    key_bytes: int
    state_bytes: int
    key_core_cycles: int
    lengths: tuple[LengthAnswer, ...]


class _Bytes:
    """The answer, read from its beginning."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise CrashError("its answer ends too soon")
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self) -> int:
        return int.from_bytes(self.take(2), "little")


def read_answer(
    log: SimulatorLog, lengths: Sequence[int], output_bytes: Sequence[int]
) -> BenchAnswer:
    """What a program of the bench came to.

    Args:
        log: of its simulator.
        lengths: of the messages that it was built for.
        output_bytes: of the output for each of them.

    Raises:
        CrashError: the answer is not that of such a program.
        WrongOutputError: the implementation refused key or message.
    """
    data, pairs = _Bytes(log.answer), _pairs(log.marks)
    key_bytes, state_bytes = data.number(), data.number()
    nothing = pairs.pop(0)
    empty = _less(nothing[1], nothing[0], 0, 0)
    status = data.take(1)[0]
    if status == _NO_ROOM:
        raise WrongOutputError("its key state has no room in the target's RAM")
    _require_done(status, "the key set-up")
    key, _ = _less(pairs[0][1], pairs[0][0], *empty)
    at, found = 1, []
    for size_bytes in output_bytes:
        outputs, counts = [], []
        for _ in range(2):
            status = data.take(1)[0]
            if status == _NO_ROOM:
                continue
            _require_done(status, "a message")
            outputs.append(data.take(size_bytes))
            if at >= len(pairs):
                raise CrashError("it has fewer marks than messages")
            counts.append(_less(pairs[at][1], pairs[at][0], *empty))
            at += 1
        stack_bytes = data.number()
        if len(outputs) == 2:
            both = (outputs[0], outputs[1])
            found.append(LengthAnswer(both, counts[1][0], counts[0][0], counts[1][1], stack_bytes))
        else:
            found.append(LengthAnswer(None, 0, 0, 0, stack_bytes))
    del lengths
    return BenchAnswer(key_bytes, state_bytes, key, tuple(found))


def _pairs(marks: Sequence[Mark]) -> list[tuple[Mark, Mark]]:
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
    return pairs


def _less(end: Mark, begin: Mark, core_cycles: int, instructions: int) -> tuple[int, int]:
    """Core cycles and instructions between two marks, less those of an empty pair."""
    return (
        end.core_cycles - begin.core_cycles - core_cycles,
        end.instructions - begin.instructions - instructions,
    )


def _require_done(status: int, what: str) -> None:
    if status:
        raise WrongOutputError(f"it refused {what} with status {status}")
