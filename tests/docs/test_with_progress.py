# SPDX-License-Identifier: Apache-2.0
"""tools/with_progress.py: the progress of a build in one line, and why it failed."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tool_scripts import tool as script

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script as a module."""
    return script("with_progress")


class Clock:
    """A clock whose time passes only when a test sets it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now_s


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        """Says that this stream is a terminal."""
        return True


def ran(tool: ModuleType, code: str, log: Path, out: io.StringIO, *more: str) -> int:
    """Runs a Python program under the tool."""
    return tool.main([*more, "building", str(log), sys.executable, "-c", code], out)


def test_steps_of_ninja_give_the_time_left(tool: ModuleType) -> None:
    """The time left follows from the pace since the first step; time before it does not count."""
    clock = Clock()
    steps = tool.Steps(None, clock)
    assert str(steps) == "0 s"
    for now_s, line in ((140.0, "  [10/90] Building C object a.o\n"), (141.0, "warning: [3/4]\n"),
                        (160.0, "[50/90] Building C object b.o\n")):  # fmt: skip
        clock.now_s = now_s
        steps.read(line)
    assert str(steps) == "50 of 90, 60 s, about 20 s left"


def test_packages_of_pip_are_counted(tool: ModuleType) -> None:
    """Each package that pip collects is a step, and steps never exceed the total."""
    steps = tool.Steps(2, Clock())
    for line in ("Collecting numpy==2.4\n", "  Downloading numpy\n", "[1/9] no step of pip\n",
                 "Collecting scipy==1.17\n", "Collecting more\n"):  # fmt: skip
        steps.read(line)
    assert str(steps) == "2 of 2, 0 s"


def test_a_pipe_gets_a_line_now_and_then(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe gets the title, steps now and then, and the end; the log has all output."""
    monkeypatch.setattr(tool, "HEARTBEAT_S", 0.05)
    out, log = io.StringIO(), tmp_path / "deep" / "log"
    code = "import time\nprint('[1/4] a', flush=True)\ntime.sleep(0.4)\nprint('[4/4] b')"
    assert ran(tool, code, log, out) == 0
    lines = out.getvalue().splitlines()
    assert lines[0] == "building ..."
    assert any(line.startswith("building: 1 of 4, ") for line in lines)
    assert re.fullmatch(r"building: done in \d+ s", lines[-1])
    assert "\r" not in out.getvalue()
    assert log.read_text("utf-8") == "[1/4] a\n[4/4] b\n"


def test_a_terminal_has_one_line(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is written over on a terminal, and the last text stays."""
    monkeypatch.setattr(tool, "REDRAW_S", 0.05)
    out = Terminal()
    assert ran(tool, "import time; time.sleep(0.3)", tmp_path / "log", out) == 0
    assert out.getvalue().count("\n") == 1
    assert out.getvalue().count("\r\x1b[Kbuilding: 0 s") > 1


def test_a_failure_shows_what_was_said_last(tool: ModuleType, tmp_path: Path) -> None:
    """A failure shows the last lines and the log's name, and keeps the command's exit code."""
    out, log = io.StringIO(), tmp_path / "log"
    code = "import sys\nfor i in range(99): print('line', i, flush=True)\nsys.exit('no compiler')"
    assert ran(tool, code, log, out) == 1
    text = out.getvalue()
    assert "building: failed after" in text
    assert "    no compiler\n" in text
    assert "    line 60\n" in text
    assert "    line 40\n" not in text
    assert text.endswith(f"All of it is in {log}\n")


def test_a_command_that_is_not_there(tool: ModuleType, tmp_path: Path) -> None:
    """A missing command gives a line that names it and exit code 127, as in a shell."""
    out = io.StringIO()
    assert tool.main(["building", str(tmp_path / "log"), "no-such-program"], out) == 127
    assert "no-such-program" in out.getvalue()


def test_make_shows_how_far_it_is() -> None:
    """`make` runs each pip under the tool, and `make help` names the next command."""
    text = (REPOSITORY / "Makefile").read_text("utf-8")
    pips = [line for line in text.splitlines() if "$(PIP) install" in line]
    assert len(pips) == 2
    for line in pips:
        assert "$(WITH_PROGRESS)" in text[: text.index(line)].rsplit("\n\n", 1)[-1] + line
    assert "--quiet" not in text.split("lock:")[0]
    assert "make bench" in text.split("help:")[1].split("setup:")[0]
