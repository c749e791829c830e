# SPDX-License-Identifier: Apache-2.0
"""A sheet is data: what makes it draws nothing, and each way of drawing it says the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from joulemark.report import (
    Cell,
    Facts,
    Heading,
    Notes,
    Sheet,
    Table,
    interval_cell,
    text_table,
    words_in_headings,
)
from joulemark.report.draw import markdown, sheet_lines, text_of
from joulemark.report.export.csv import csv_bytes
from joulemark.report.page import table_html

MAKERS = (
    "joulemark.report",
    "joulemark.report.tables",
    "joulemark.report.terminal_tables",
    "joulemark.report.screen",
    "joulemark.report.budget.answer",
    "joulemark.report.gate",
    "joulemark.studies.study",
    "joulemark.explorer.views",
)
DRAWN_WITH = {"rich", "typer", "jinja2", "altair", "vl_convert"}
TABLE = Table(
    "Times",
    [Heading("name", prose=True), Heading("time", number=True), Heading("rate", number=True)],
    [
        [Cell("64 B", strong=True)],
        [Cell("one *two*"), interval_cell("85.9 ns [85, 86]", "measured", 85.9), Cell("-")],
        [Cell("three"), interval_cell("9 ns [8, 10]", "measured", 9.0), Cell("1", evidence="new")],
    ],
    notes=["A note of nine words, which a terminal folds."],
)


@pytest.mark.parametrize("module", MAKERS)
def test_what_makes_sheets_loads_nothing_that_draws(module: str) -> None:
    """Neither terminal, nor template, nor picture is loaded with the maker of a sheet."""
    code = f"import sys, {module}; print(sorted({DRAWN_WITH} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_shared_word_moves_into_the_heading() -> None:
    """A word stands once where all cells have it, and in its cell where they differ."""
    row = [Cell("a"), Cell("1", evidence="measured"), Cell("2", evidence="modelled")]
    other = [Cell("b"), Cell("3", evidence="measured"), Cell("4", evidence="measured")]
    table = words_in_headings(Table("", [Heading(text) for text in "xyz"], [row, other]))
    assert [heading.evidence for heading in table.headings] == ["", "measured", ""]
    html = table_html(table)
    assert html.count("measured") == 2
    assert html.count("modelled") == 1


def test_a_table_in_a_terminal() -> None:
    """Title, headings with their word, a rule, rows, and notes in lines of the terminal."""
    lines = [text_of(line) for line in sheet_lines(Sheet("", [TABLE]), 40)]
    assert lines == [
        "Times",
        "",
        "                        time  rate",
        " name               measured   new",
        f" {'─' * 33}",
        " 64 B",
        " one *two*  85.9 ns [85, 86]     -",
        " three          9 ns [8, 10]     1",
        "",
        " A note of nine words, which a terminal",
        "folds.",
        "",
    ]


@pytest.mark.parametrize("width", [24, 30, 50])
def test_words_fold_and_figures_do_not(width: int) -> None:
    """A narrow terminal folds words and sentences, and no line is wider than it."""
    facts = Facts("Warnings", [("!1", "Another program had the CPU for some of the time.")])
    table = text_table("Shares", ["part", "share"], [["a long name of a part", "12 %"]])
    first = Heading("part", prose=True)
    sheet = Sheet("", [Table("Shares", [first, table.headings[1]], table.rows), facts])
    lines = [text_of(line) for line in sheet_lines(sheet, width)]
    assert max(map(len, lines)) <= width
    assert sum("12 %" in line for line in lines) == 1
    assert next(line for line in lines if line.startswith(" !1")).startswith(" !1 Another")


def test_markdown_escapes_words_and_leaves_figures() -> None:
    """Words from outside cannot become markup; an interval is written as it is."""
    facts = Facts("Without a figure", [("a|b", "1. why")])
    warning = Notes("", ["Simulated."], warning=True, listed=False)
    closed = Facts("Settings", [("a", "b")], closed=True)
    text = markdown(Sheet("A_b", [warning, TABLE, facts, closed, Notes("Empty", [])], "1. Lead"))
    assert text.startswith("# A\\_b\n\n1\\. Lead\n\n**Simulated.**\n\n## Times\n\n| name | time |")
    assert "| one \\*two\\* | 85.9 ns [85, 86] measured | - |" in text
    assert text.endswith("\n\n## Without a figure\n\n- **a\\|b**: 1. why\n")


def test_csv_has_one_rule_for_formulas() -> None:
    """Texts that a spreadsheet would run get an apostrophe, numbers and gaps do not."""
    rows = [{"a": "=1+1", "b": -1.5}, {"a": " @x", "b": None}]
    assert csv_bytes(("a", "b"), rows) == b"a,b\r\n'=1+1,-1.5\r\n' @x,\r\n"
