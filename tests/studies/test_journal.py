# SPDX-License-Identifier: Apache-2.0
"""Finished parts of a study are kept, and used again only for the same question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.report import ReportError
from joulemark.studies.equipment import Journal


class Measurement:
    """A measurement that counts its calls."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self) -> dict[str, Any]:
        """The number of this measurement."""
        self.taken += 1
        return {"number": self.taken}


def ask(folder: Path, measure: Measurement, *, fresh: bool = False, **asked: Any) -> int:
    """The number of the measurement that answers."""
    number: int = Journal(folder, "study", fresh=fresh).part("part", asked, measure)["number"]
    return number


def test_the_same_question_is_measured_once(tmp_path: Path) -> None:
    """A tuple and a list are the same question, as JSON knows no difference."""
    measure = Measurement()
    assert ask(tmp_path, measure, sizes=(64, 128)) == 1
    assert ask(tmp_path, measure, sizes=[64, 128]) == 1


def test_another_question_is_measured(tmp_path: Path) -> None:
    """More repetitions, or another machine, are not answered from the file."""
    measure = Measurement()
    assert ask(tmp_path, measure, repetitions=10) == 1
    assert ask(tmp_path, measure, repetitions=20) == 2


def test_fresh_measures_again(tmp_path: Path) -> None:
    """A fresh measurement replaces the one in the file."""
    measure = Measurement()
    assert ask(tmp_path, measure) == 1
    assert ask(tmp_path, measure, fresh=True) == 2
    assert ask(tmp_path, measure) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"asked": {}, "measured": 3}'])
def test_a_damaged_file_is_measured_again(tmp_path: Path, content: str) -> None:
    """A file of something else, or a cut one, answers no question."""
    measure = Measurement()
    (tmp_path / "study-part.json").write_text(content)
    assert ask(tmp_path, measure) == 1


def test_a_folder_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    """The error is a sentence, not a traceback."""
    with pytest.raises(ReportError, match="cannot be written"):
        ask(tmp_path / "gone", Measurement())
