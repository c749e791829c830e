# SPDX-License-Identifier: Apache-2.0
"""`joulemark gather`: its screen, its files and its refusals."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from joulemark.cli import gather
from joulemark.judging import WindowLimits
from joulemark.measure import session_rounds
from joulemark.measure.session_rounds import Patience

SHORT = ("--window", "0.02s", "--warmup", "0.002s", "--longest", "0.02s", "--rounds", "1",
         "--attempts", "1", "--sessions", "6", "--size", "64")  # fmt: skip
MAC = "hmac-sha256/engine"


def core():
    """The first core that this process may use."""
    return min(os.sched_getaffinity(0))


@pytest.fixture
def every_window_counts(monkeypatch):
    """Windows of a machine that is busy, and windows that are too short, count too."""
    monkeypatch.setattr(gather, "gather_troubles", lambda _window, _limits: [])


@pytest.fixture
def no_window_counts(monkeypatch):
    """Others seem to use every core."""
    monkeypatch.setattr(session_rounds, "WindowLimits", lambda: WindowLimits(foreign_share=-9.0))
    monkeypatch.setattr(session_rounds, "Patience", lambda: Patience(lambda _seconds: None))


@pytest.mark.usefixtures("every_window_counts")
def test_a_quick_run(run):
    """Each rate has rows one by one and with each wait; there are tables, answers and a page."""
    done = run("gather", MAC, "--rate", "100k,saturated", "--wait", "0,20us", "--batch", "16",
               "--cores", core(), "--report", "gather.html", *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert re.fullmatch("Waiting for others saves core time in [01] of 2 cases", lines[0])
    assert f"  6 sessions, a gatherer on core {core()}, batches of 16 or fewer" in lines
    assert f"{MAC}, 64 B, 100 k/s" in lines
    assert f"{MAC}, 64 B, saturated" in lines
    waits = [line.split()[0] for line in lines if line.startswith(("  alone ", "  0 ", "  20 "))]
    assert waits == ["alone", "0", "20", "alone", "0"]
    assert any("batches are full at once" in line for line in lines)
    assert any(line.startswith(("valid: ", "not valid: ")) for line in lines)
    assert MAC in Path("gather.html").read_text("utf-8")


@pytest.mark.usefixtures("every_window_counts")
def test_what_the_messages_take(run):
    """Each rate has its cores with and without batches; saturated gatherers have no rate."""
    words = ("gather", MAC, "--rate", "100k,saturated", "--wait", "0", "--core-hour", "0.04",
             "--cores", core(), *SHORT)  # fmt: skip
    done = run(*words)
    lines = done.stdout.splitlines()
    place = lines.index("What the messages take")
    assert lines[place + 1].startswith(f"  {MAC}, 64 B, 100 k/s  0.")
    assert " without batches); " in lines[place + 1]
    assert lines[place + 1].endswith(" a day modelled")
    assert lines[place + 2].startswith("  times: measured: time of a core")
    found = json.loads(run(*words, "--json").stdout)
    kept, saturated = found["curves"]
    (now,) = [point for point in found["points"] if point["batch_most"] > 1 and point["rate_per_s"]]
    seconds = now["figures"]["core_seconds_per_message"]["median"]
    assert kept["load"]["cores"]["median"] == pytest.approx(1e5 * seconds)
    assert saturated["load"] is None


@pytest.mark.usefixtures("no_window_counts")
def test_windows_that_do_not_count_give_no_answer(run):
    """One sentence says why, nothing else is shown, no page is written, and the exit code is 2."""
    done = run("gather", MAC, "--rate", "100k", "--wait", "0,20,100us", "--cores", core(),
               "--report", "gather.html", *SHORT)  # fmt: skip
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    (said,) = done.stderr.splitlines()
    why = "3 of 3 windows do not count: the sessions do not have their cores alone"
    assert said.startswith(f"joulemark: no figure, as {why}")
    assert said.endswith("; no page is written")
    assert not Path("gather.html").exists()


@pytest.mark.usefixtures("no_window_counts")
def test_json_of_windows_that_do_not_count_has_no_figure(run):
    """The JSON has the counters of every window, and neither figures nor an answer."""
    done = run("gather", MAC, "--rate", "100k", "--wait", "20us", "--cores", core(), "--json",
               *SHORT)  # fmt: skip
    assert done.exit_code == 2
    found = json.loads(done.stdout)
    assert not found["valid"]
    assert {str(point["figures"]) for point in found["points"]} == {"None"}
    assert {curve["wait_that_pays_s"] for curve in found["curves"]} == {None}
    assert all(curve["sentence"].startswith("no answer") for curve in found["curves"])


@pytest.mark.usefixtures("every_window_counts")
def test_json_has_every_counter(run):
    """The JSON has the counters that the figures follow from; a saturated batch is full."""
    done = run("gather", MAC, "--rate", "saturated", "--batch", "16", "--cores", core(), "--json",
               *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    alone, full = found["points"]
    assert (alone["batch_most"], full["batch_most"]) == (1, 16)
    ((attempt,),) = full["rounds"]
    (gatherer,) = attempt["window"]["gatherers"]
    assert gatherer["messages"] == 16 * gatherer["batches"]
    assert sum(count for _, count in attempt["window"]["latencies"]) == gatherer["messages"]
    (curve,) = found["curves"]
    assert curve["rate_per_s"] is None
    assert curve["wait_that_pays_s"] is None


@pytest.mark.usefixtures("every_window_counts")
def test_nonces(run):
    """A MAC with nonces gets a nonce for each message, and its last tags are checked."""
    done = run("gather", "gmac-aes128/portable", "--rate", "20k", "--wait", "50us", "--json",
               "--cores", core(), *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["points"]) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rate", "fast"], "--rate fast: give messages a second"),
        (["--rate", "0"], "--rate 0: give messages a second"),
        (["--rate", "2000M"], "--rate 2000M: give messages a second"),
        (["--wait", "soon"], "--wait soon: give microseconds"),
        (["--wait", "2s"], "--wait 2s: give microseconds"),
        (["--wait", "1Ms"], "--wait 1Ms: give microseconds"),
        (["--batch", "1"], "--batch 1: give a number from 2 to 1024"),
        (["--batch", "1025"], "--batch 1025: give a number"),
        (["--report", "no/such/folder.html"], "--report no/such/folder.html: there is no folder"),
        (["--sessions", "0"], "--sessions 0: give a number"),
        (["--watts-per-core", "0"], "--watts-per-core 0: give a number above 0"),
    ],
)
def test_refused(refused, arguments, words):
    """Bad options are refused in one sentence before anything is measured."""
    assert words in refused("gather", MAC, *arguments)
