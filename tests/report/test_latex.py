# SPDX-License-Identifier: Apache-2.0
"""Tables for LaTeX: whole, with every special sign escaped and one unit for each column."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import fake_energy
import fake_results as fake
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.report import Cell, Heading, Notes, Sheet, Table, interval_cell
from joulemark.report.export.latex import render
from joulemark.report.latex import escaped, latex

EVIL = 'a_b & 50% of $x^2$ {or} #1 ~ \\end{tabular}\\\\ \n[3em] --size <>|"'


def tables(text: str) -> list[list[str]]:
    """The rows of each table, each without its end."""
    found = re.findall(r"\\begin\{(tabular|longtable)\}\{.*?\}\n(.*?)\\end\{\1\}", text, re.DOTALL)
    return [[row[:-3] for row in body.split("\n") if row.endswith(r" \\")] for _, body in found]


def check(text: str) -> None:
    """The text is what LaTeX reads without an error, as far as this can be told without LaTeX."""
    shown = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    bare = shown.replace(r"\\", "").replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    for sign in "#%_":
        assert not re.search(rf"(?<!\\){sign}", shown)
    begun, ended = (sorted(re.findall(rf"\\{word}\{{(\w+)}}", shown)) for word in ("begin", "end"))
    assert begun == ended
    assert not re.search(r"(\\\\|rule)\s*[\[*]", shown), "a bracket that a command would take"
    for rows in tables(text):
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


@given(st.text(max_size=60))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    """No text ends a cell, a row, a line, a comment or a group."""
    heading = Heading("name")
    notes = Notes("Of it", [text])
    sheet = Sheet(text, [Table(text, [heading, heading], [[Cell(text)] * 2, [Cell("b")]]), notes])
    found = latex(sheet)
    check(found)
    assert len(tables(found)[0]) == 3


def test_special_signs_have_their_commands() -> None:
    """Signs with a meaning are escaped; a sign that no usual font has stands as its code."""
    assert escaped(EVIL).startswith(r"a\_b \& 50\% of \$x\textasciicircum{}2\$ \{or\} \#1 ")
    assert escaped("3 \N{MICRO SIGN}s, 2\N{MULTIPLICATION SIGN}") == r"3 \textmu{}s, 2\texttimes{}"
    assert escaped("--size") == "-{}-size"
    assert escaped("\N{CHECK MARK}") == "[U+2713]"


def test_units_stand_in_headings() -> None:
    """Figures of several prefixes get the usual one, with the same digits; a dash stays."""
    micro = "\N{MICRO SIGN}s"
    texts = ["95.1 ns [95, 95.25]", f"900 ns [0.88 {micro}, 1.2 {micro}]"]
    texts += [f"1.234 {micro} [1.2, 1.3]", "-"]
    cells = [[Cell("a"), interval_cell(figure, "measured", 1.0)] for figure in texts]
    headings = [Heading("code"), Heading("time", number=True)]
    text = latex(Sheet("t", [Table("Times", headings, cells)]))
    assert [row.split(" & ")[1] for row in tables(text)[0]] == [
        "time (ns)", r"\emph{measured}", "95.1 [95, 95.25]", "900 [880, 1200]",
        "1234 [1200, 1300]", "-",
    ]  # fmt: skip


def test_an_interval_may_reach_another_prefix() -> None:
    """All medians are in ns, and the end of an interval in microseconds is moved to them."""
    cells = [[interval_cell("990 ns [985 ns, 1.02 \N{MICRO SIGN}s]", "measured", 1.0)]]
    text = latex(Sheet("t", [Table("", [Heading("time", number=True)], cells)]))
    assert tables(text)[0][-1] == "990 [985, 1020]"


def test_a_column_of_several_units_keeps_them() -> None:
    """Hertz and seconds share no heading."""
    rows = [[Cell("1 s")], [Cell("2 Hz")]]
    text = latex(Sheet("t", [Table("", [Heading("x", number=True)], rows)]))
    assert tables(text)[0] == ["x", "1 s", "2 Hz"]


def test_quartiles_in_one_cell_stay() -> None:
    """A cell of three figures is no quantity with a long unit."""
    quartiles = "177 ns, 177 ns to 178 ns"
    table = Table(
        "", [Heading("a"), Heading("quartiles", number=True)], [[Cell("x"), Cell(quartiles)]]
    )
    text = latex(Sheet("t", [table]))
    assert quartiles in text
    assert "quartiles (" not in text


def test_a_long_table_may_be_broken() -> None:
    """Forty rows fill a page."""
    heading = [Heading("n")]
    assert r"\begin{longtable}" in latex(Sheet("t", [Table("", heading, [[Cell("1")]] * 41)]))
    assert r"\begin{tabular}" in latex(Sheet("t", [Table("", heading, [[Cell("1")]] * 40)]))


def test_a_run_as_tables_for_a_paper() -> None:
    """Every result of a run is a row with its interval, and the unit is in the heading."""
    text = render(fake_energy.with_energy(fake.realistic()), None).decode()
    check(text)
    assert r"Time per message (ns)" in text
    assert any("shani" in row and "[" in row for rows in tables(text) for row in rows)
    assert sum(len(rows) for rows in tables(text)) > len(fake.realistic().results)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not here")
def test_pdflatex_reads_it(tmp_path: Path) -> None:
    """LaTeX itself makes a page of it."""
    text = render(fake_energy.with_energy(fake.realistic()), None).decode()
    packages = re.findall(r"\\usepackage\S*?\}", text.split("\n", 1)[0])
    begin = "\n".join([r"\documentclass{article}", *packages, r"\begin{document}"])
    (tmp_path / "a.tex").write_text(f"{begin}\n{text}\n\\end{{document}}\n", "utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "a.tex"], cwd=tmp_path, check=True, timeout=60)
