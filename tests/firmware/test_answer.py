# SPDX-License-Identifier: Apache-2.0
"""From a simulator's log to counts, with logs that are written here."""

from __future__ import annotations

import pytest

from joulemark.errors import CrashError, WrongOutputError
from joulemark.firmware.firmware_counts import BenchAnswer, LengthAnswer, parse_log, read_answer


def _log(marks: str, answer: bytes, end: str = "end") -> str:
    return "\n".join([*marks.splitlines(), *(f"byte {number}" for number in answer), end])


_MARKS = """mark 1 100 50
mark 2 104 52
mark 3 200 100
mark 4 304 152
mark 5 1000 500
mark 6 1504 752
mark 5 2000 900
mark 6 2404 1102"""
"""An empty pair takes 4 core cycles and 2 instructions, the key 100, the turns 500 and 400."""
_ANSWER = bytes([16, 0, 56, 0, 0]) + b"\0ab" + b"\0ab" + bytes([0x34, 0x01])


def test_the_cost_of_marks_is_taken_off() -> None:
    """The second turn is counted, less the cost of a pair of marks."""
    found = read_answer(parse_log(_log(_MARKS, _ANSWER)), [2])
    assert found == BenchAnswer(16, 56, 100, (LengthAnswer((b"ab", b"ab"), 400, 500, 200, 0x134),))


def test_a_message_without_room_has_no_figure() -> None:
    """Both turns report it, and the lengths after it keep their figures."""
    answer = bytes([16, 0, 56, 0, 0, 0xFE, 0xFE, 9, 0]) + _ANSWER[5:]
    found = read_answer(parse_log(_log(_MARKS, answer)), [2, 2])
    assert [length.outputs for length in found.lengths] == [None, (b"ab", b"ab")]
    assert found.lengths[1].core_cycles == 400


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_log(_MARKS, _ANSWER, "crash the stack is gone"), "the stack is gone"),
        (_log(_MARKS, _ANSWER, ""), "its simulator ended before it"),
        (_log(_MARKS, _ANSWER[:-1]), "its answer ends too soon"),
        (_log(_MARKS.replace("mark 6 2404 1102", ""), _ANSWER), "marks do not come in pairs"),
        (_log(_MARKS.replace("mark 2", "mark 4"), _ANSWER), "marks do not come in pairs"),
        (_log(_MARKS.replace("mark 1 100 50", "mark 1 x 50"), _ANSWER), "a line that is none"),
    ],
)
def test_a_log_that_is_none_is_a_crash(text: str, words: str) -> None:
    """No part of a faulty log is taken for a figure."""
    with pytest.raises(CrashError, match=words):
        read_answer(parse_log(text), [2])


def test_an_implementation_that_refuses_is_wrong() -> None:
    """The message has the status that the implementation returned."""
    answer = _ANSWER[:4] + bytes([1])
    with pytest.raises(WrongOutputError, match=r"it refused the key set-up with status 1"):
        read_answer(parse_log(_log(_MARKS, answer)), [2])
