# SPDX-License-Identifier: Apache-2.0
"""core_coverage: the counts read from Verilator's coverage data."""

from __future__ import annotations

from pathlib import Path

import pytest

from core_coverage import read_coverage
from joulemark.errors import UsageError


def point(file: Path, line: int, count: int, **fields: str) -> str:
    """One line of a data file."""
    named = {"f": str(file), "l": str(line), "n": "3", "t": "line", "o": "block", **fields}
    return f"C '{''.join(f'{chr(1)}{key}{chr(2)}{value}' for key, value in named.items())}' {count}"


def write(path: Path, *points: str) -> Path:
    """Writes a data file with these points and returns its path."""
    path.write_text("\n".join(["# SystemC::Coverage-3", *points]) + "\n", "utf-8")
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The source that points are about; its text is never read."""
    return tmp_path / "core.sv"


def test_lines_of_a_point_count_one_by_one(source: Path, tmp_path: Path) -> None:
    """A block of four lines that ran and a block of one line that did not give 80 %."""
    data = write(tmp_path / "1.dat", point(source, 3, 7, S="3-5,8"), point(source, 9, 0, S="9"))
    lines = read_coverage([data], [source]).lines
    assert (lines.reached, lines.total, lines.percent) == (4, 5, 80.0)
    assert lines.missed == ("core.sv:9",)


def test_a_line_is_reached_only_if_all_on_it_is(source: Path, tmp_path: Path) -> None:
    """A line with two statements, of which one never ran, is not reached."""
    points = [point(source, 3, 7, S="3"), point(source, 3, 0, S="3", n="9", o="else")]
    assert read_coverage([write(tmp_path / "1.dat", *points)], [source]).lines.reached == 0


def test_runs_add_up(source: Path, tmp_path: Path) -> None:
    """A line that one run misses another run may reach, in an instance of another size."""
    first = write(tmp_path / "1.dat", point(source, 3, 0, S="3", h="top", page="v_line/core"))
    second = write(
        tmp_path / "2.dat", point(source, 3, 1, S="3", h="top.u_two", page="v_line/core__R2")
    )
    assert read_coverage([first], [source]).lines.percent == 0
    assert read_coverage([first, second], [source]).lines.percent == 100


def test_kinds_are_counted_apart(source: Path, tmp_path: Path) -> None:
    """Toggles and the missing `else` of an `if` are no lines."""
    data = write(
        tmp_path / "1.dat",
        point(source, 3, 5, t="branch", o="if", S="4"),
        point(source, 3, 0, t="branch", o="else", n="4"),
        point(source, 1, 5, t="toggle", o="ready_o:0->1"),
        point(source, 1, 0, t="toggle", o="ready_o:1->0"),
    )
    found = read_coverage([data], [source])
    assert (found.lines.reached, found.lines.total) == (1, 1)
    assert (found.branches.reached, found.branches.total) == (1, 2)
    assert (found.toggles.reached, found.toggles.total) == (1, 2)
    assert found.toggles.missed == ("core.sv:1:3 ready_o:1->0",)


def test_other_files_do_not_count(source: Path, tmp_path: Path) -> None:
    """Only the core's sources count, and a core with nothing to reach has reached all."""
    data = write(tmp_path / "1.dat", point(tmp_path / "other.sv", 3, 0, S="3"))
    assert read_coverage([data], [source]).lines.percent == 100


@pytest.mark.parametrize("text", ["", "something\n", "# SystemC::Coverage-3\nC no point\n"])
def test_what_is_no_data_is_refused(source: Path, tmp_path: Path, text: str) -> None:
    """The message is one sentence that names the file."""
    path = tmp_path / "1.dat"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=r"1\.dat"):
        read_coverage([path], [source])


def test_a_missing_file_is_refused(source: Path, tmp_path: Path) -> None:
    """A run that wrote no file is not taken for a run that reached no line."""
    with pytest.raises(UsageError, match="cannot be read"):
        read_coverage([tmp_path / "none.dat"], [source])
