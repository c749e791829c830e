# SPDX-License-Identifier: Apache-2.0
"""The bar of long commands is drawn on a terminal; elsewhere each minute has one line."""

from __future__ import annotations

import re
from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from joulemark.cli.shared.progress import HEARTBEAT_S, PointProgress, ProgressBar, StepProgress


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_bar_leaves(*, terminal: bool) -> None:
    """A failure is printed whole, in lines that fit; the bar itself needs a terminal."""
    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=80)
    reason = "no [tool] here, " + "x" * 100
    with ProgressBar("making reports", "reports", console=console) as bar:
        bar.move(1, 2, "first core")
        bar.report("second core", reason)
    text = written.getvalue()
    whole = [f"joulemark: second core: {reason}\n"]
    folded = ["joulemark: second core: no [tool] here,\n", f"  {'x' * 100}\n"]  # by the bar's width
    assert [line for line in (folded if terminal else whole) if line not in text] == []
    assert ("first core" in text and "reports," in text) is terminal
    assert terminal or text.count("\n") == 1


@pytest.mark.parametrize("terminal", [True, False])
def test_a_long_step_shows_its_seconds(*, terminal: bool) -> None:
    """A terminal has a line for each step with the time that it takes; elsewhere there is none."""
    written = StringIO()
    with StepProgress(Console(file=written, force_terminal=terminal, width=80)) as say:
        say("compiling")
        say("simulating")
    text = " ".join(re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", written.getvalue()).split())
    assert ("compiling 0:00:00" in text) is terminal
    assert ("simulating 0:00:00" in text) is terminal
    assert terminal or not text


def beats(*moves: tuple[float, int, int], terminal: bool = False) -> list[str]:
    """Returns the lines of a bar for moves of (time in s, steps done, steps in all)."""
    written = StringIO()
    now_s = [0.0]
    console = Console(file=written, force_terminal=terminal, width=80)
    with ProgressBar("measuring", "visits", console=console, clock=lambda: now_s[0]) as bar:
        for at_s, done, total in moves:
            now_s[0] = at_s
            bar.move(done, total)
    return written.getvalue().splitlines()


def test_a_long_run_is_heard_each_minute() -> None:
    """Each minute a line has the steps done, and the time left at the last minute's pace."""
    minute = HEARTBEAT_S
    assert beats((0, 0, 900), (minute - 1, 90, 900)) == []
    assert beats(
        (0, 0, 900), (minute, 100, 900), (1.5 * minute, 150, 900), (2 * minute, 400, 900),
        (3 * minute, 850, 900),
    ) == [
        "joulemark: 100 of 900 visits, about 8 min left",
        "joulemark: 400 of 900 visits, about 2 min left",
        "joulemark: 850 of 900 visits, about 7 s left",
    ]  # fmt: skip


def test_a_long_point_is_heard_too() -> None:
    """While no report is finished, a line says since when; after a finished one it is quiet."""
    written = StringIO()
    now_s = [0.0]
    console = Console(file=written, force_terminal=False, width=80)
    with PointProgress(console, clock=lambda: now_s[0]) as progress:
        progress.still_working()
        now_s[0] = 2 * HEARTBEAT_S
        progress.still_working()
        progress.move(1, 4)
        progress.still_working()
        now_s[0] = 17 * HEARTBEAT_S
        progress.still_working()
    assert written.getvalue().splitlines() == [
        "joulemark: 0 reports, the next is in work for 2 min",
        "joulemark: 1 of 4 reports, the next is in work for 15 min",
    ]


def test_time_left_is_of_steps_made_now() -> None:
    """Steps from an earlier run or of another kind do not count; a terminal has the bar alone."""
    minute = HEARTBEAT_S
    assert beats((0, 800, 900), (minute, 850, 900)) == [
        "joulemark: 850 of 900 visits, about 1 min left"
    ]
    assert beats((0, 0, 900), (minute, 1, 30), (1.5 * minute, 5, 30)) == []
    drawn = beats((0, 0, 900), (minute, 100, 900), terminal=True)
    assert not [line for line in drawn if "joulemark:" in line]


def test_a_failed_point_is_told() -> None:
    """A failed point is printed with its reason; a point that was made is not printed."""
    written = StringIO()
    point = SimpleNamespace(text="siphash default on ecp5")
    with PointProgress(Console(file=written, force_terminal=False, width=80)) as progress:
        progress.observed(SimpleNamespace(point=point, reason=None), 1, 2)
        progress.observed(SimpleNamespace(point=point, reason="no nextpnr here"), 2, 2)
    assert written.getvalue() == "joulemark: siphash default on ecp5: no nextpnr here\n"
