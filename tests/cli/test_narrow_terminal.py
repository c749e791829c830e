# SPDX-License-Identifier: Apache-2.0
"""Tables of words in a terminal of 80 signs: words are folded, names and numbers are not."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.cli.reference import reference_text
from joulemark.cli.shared import terminal
from joulemark.foreign import folded_text
from joulemark.report import text_table

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def shown(monkeypatch, capsys, width: int | None, rows, **options) -> list[str]:
    """Returns the lines of a table in a terminal of this width; None is a pipe."""
    monkeypatch.setattr(terminal, "terminal_width", lambda *_: width)
    terminal.columns(rows, **options)
    return capsys.readouterr().out.splitlines()


def test_a_sentence_is_folded_beside_what_it_is_about(monkeypatch, capsys) -> None:
    """A sentence is folded under its own column; the columns before it stay as they are."""
    rows = [("one", "a sentence of several words", "5"), ("three", "short", "15")]
    lines = shown(monkeypatch, capsys, 26, rows, right=(2,), prose=(1,))
    assert lines == [
        "  one    a sentence of   5",
        "         several words",
        "  three  short          15",
    ]


def test_what_is_piped_is_never_folded(monkeypatch, capsys) -> None:
    """In a pipe no line is folded, so that grep finds whole sentences."""
    rows = [("one", "word " * 40)]
    assert len(shown(monkeypatch, capsys, None, rows, prose=(1,))) == 1


def test_sentences_fold_and_commands_stay_whole(monkeypatch, capsys) -> None:
    """A sentence is folded behind its indent; a command in quotes can still be copied."""
    monkeypatch.setattr(terminal, "terminal_width", lambda _output: 30)
    terminal.print_text("  - measure once more, with 'joulemark bench sha256'; CPU's clock")
    assert capsys.readouterr().out.splitlines() == [
        "  - measure once more, with",
        "    'joulemark bench sha256';",
        "    CPU's clock",
    ]


def test_numbers_too_wide_for_the_terminal_stand_closer(monkeypatch, capsys) -> None:
    """Without words to fold, a table gives up its indent and then half of each gap."""
    rows = [("1", "22", "333"), ("4444", "5", "6")]
    assert shown(monkeypatch, capsys, 11, rows) == ["1    22 333", "4444 5  6"]


def test_help_fits_80_columns() -> None:
    """No help text has a line wider than 80 columns; commands to copy go on behind a backslash."""
    first, *texts = reference_text(80).split("\n## ")
    lines = [line for text in texts for line in text.splitlines()]
    assert len(lines) > 1500, first
    assert [line for line in lines if len(line) > 80] == []


def test_names_do_not_break(monkeypatch, capsys) -> None:
    """A word longer than its column makes the line longer."""
    (line,) = shown(monkeypatch, capsys, 20, [("x" * 30, "y" * 30)], prose=(0, 1))
    assert line.split() == ["x" * 30, "y" * 30]


def test_a_wide_table_says_once_what_all_rows_have(monkeypatch, capsys) -> None:
    """Its headings are folded then, and a pipe gets the whole table."""
    rows = [["a", "modelled", "1 000"], ["b", "modelled", "20"]]
    table = text_table("", ["name", "evidence", "cycles of the set-up"], rows)

    def printed(width: int | None) -> list[str]:
        monkeypatch.setattr(terminal, "terminal_width", lambda *_: width)
        terminal.print_table(table, right=(2,))
        return capsys.readouterr().out.splitlines()

    assert [line.split("  ")[1:3] for line in printed(None)[1:]] == [["a", ""], ["b", ""]]
    assert "evidence" in printed(None)[0]
    assert printed(18) == [
        "  All rows:",
        "  evidence",
        "  modelled.",
        "  name  cycles",
        "        of the",
        "        set-up",
        "  a      1 000",
        "  b         20",
    ]


BUDGET = "budget lorawan_1_0 --node lora_sf7 --payload 8 --every 15min --show all"


COMMANDS = ["core list", "doctor --quick", "list hmac-sha256", "show hmac-sha256", BUDGET]
COMMANDS += ["reproduce kaps2006", "test siphash-2-4/portable"]


def lines_on(terminal: tuple[int, int], command: str, folder: Path, **variables: str) -> list[str]:
    """The lines that a command shows on a terminal."""
    master, slave = terminal
    os.set_blocking(master, True)
    environment = {**os.environ, **variables}
    joulemark = Path(sys.executable).with_name("joulemark")
    with subprocess.Popen(
        [joulemark, *command.split()], stdout=slave, stderr=slave, env=environment, cwd=folder
    ) as child:
        os.close(slave)
        said = b""
        while True:
            try:
                piece = os.read(master, 1 << 16)
            except OSError:  # the command has closed its end
                break
            if not piece:
                break
            said += piece
        assert child.wait() == 0, said
    os.close(master)
    printed = STYLE.sub("", said.decode()).replace("\r\n", "\n")
    return [line.rpartition("\r")[2] for line in printed.split("\n")]  # what a bar leaves


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_fit_80_columns(command: str, terminal: tuple[int, int], tmp_path: Path) -> None:
    """In a terminal no line is wider than 80 columns."""
    lines = lines_on(terminal, command, tmp_path, COLUMNS="80", LINES="25")
    assert lines
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("columns", ["", "0", "1"])
def test_a_terminal_of_no_size(columns: str, terminal: tuple[int, int], tmp_path: Path) -> None:
    """A terminal whose size nobody has set says 0 columns, and is taken for one of 80."""
    command = "bench siphash-2-4/portable --size 16 --rounds 1 --window-ms 0.1 --no-store"
    lines = lines_on(terminal, command, tmp_path, COLUMNS=columns, LINES="")
    assert any("portable" in line for line in lines)
    if columns != "1":
        assert max(map(len, lines)) <= 80


def test_a_long_command_can_be_copied() -> None:
    """A command that is wider than the terminal, quoted or not, is one command for a shell."""
    command = "joulemark bench " + " ".join(f"name-{number}" for number in range(20)) + " --size 64"
    sentence = f"No figure was measured here; measure with '{command}', and choose again."
    for text in (f"  {command}", sentence):
        lines = folded_text(text, 60)
        assert max(map(len, lines)) <= 60
        said = "\n".join(lines)
        copied = said[said.index("joulemark bench") : said.index("--size 64") + len("--size 64")]
        assert shlex.split(copied.replace("\\\n", "")) == shlex.split(command)
    quoted = "joulemark check sha256 --old-rev main --build 'make mine.so' --artifact mine.so"
    for line in folded_text(quoted, 50):
        assert line.count("'") in {0, 2}
