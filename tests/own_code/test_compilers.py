# SPDX-License-Identifier: Apache-2.0
"""Messages of compilers, made fit to be shown."""

from __future__ import annotations

from joulemark.own_code.building import complaints
from joulemark.processes.tool import ToolOutput


def test_complaints_are_clean_and_few() -> None:
    """Only the first errors are shown, under the user's names, without signs a terminal obeys."""
    said = ToolOutput(1, "", "note: \n" + "/real/a.c:1: error: \x1b]0;title\x07 \u202e\n" * 9)
    lines = complaints(said, [("/real/a.c", "a.c")])
    assert lines == [r"a.c:1: error: \x1b]0;title\x07 \u202e"] * 5


def test_without_a_known_word_the_end_is_shown() -> None:
    """A compiler that dies says why in unforeseen words; long lines are cut."""
    said = ToolOutput(1, "", "".join(f"{number}\n\n" for number in range(9)) + "x" * 1000)
    lines = complaints(said)
    assert lines[:4] == ["5", "6", "7", "8"]
    assert len(lines) == 5
    assert len(lines[4]) == 300
