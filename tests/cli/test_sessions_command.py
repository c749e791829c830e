# SPDX-License-Identifier: Apache-2.0
"""`joulemark sessions`: its screen, its refusals, and that no process outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.cli import gather, session_options, sessions
from joulemark.environment import capture
from joulemark.judging import WindowLimits
from joulemark.measure import session_rounds
from joulemark.measure.inventory import inventory_of
from joulemark.measure.session_rounds import Patience
from joulemark.processes.keeper import children_of
from joulemark.store.repository import Store
from living import outliving

SHORT = ("--window", "0.02s", "--warmup", "0.005s", "--longest", "0.02s", "--rounds", "1",
         "--attempts", "1")  # fmt: skip
MAC = "siphash-2-4/portable"


def core():
    """The first core that this process may use."""
    return min(os.sched_getaffinity(0))


@pytest.fixture
def every_window_counts(monkeypatch):
    """Windows of a machine that is busy, and windows that are too short, count too."""
    monkeypatch.setattr(sessions, "troubles", lambda _window, _limits: [])


@pytest.fixture
def no_window_counts(monkeypatch):
    """Others seem to use every core."""
    monkeypatch.setattr(session_rounds, "WindowLimits", lambda: WindowLimits(foreign_share=-9.0))
    monkeypatch.setattr(session_rounds, "Patience", lambda: Patience(lambda _seconds: None))


@pytest.mark.usefixtures("every_window_counts")
def test_first_screen(run):
    """The screen has figures of each implementation and length, then the verdict, in 80 columns."""
    done = run("sessions", MAC, "hmac-sha256/portable", "--sessions", "3", "--size", "64,imix",
               "--cores", core(), *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"3 sessions on core {core()}: a message takes from ")
    assert MAC in lines
    assert "hmac-sha256/portable" in lines
    (head, *_) = [line for line in lines if line.lstrip().startswith("size  ") and "fair" in line]
    assert head.split() == ["size", "absolute", "±", "apparent", "±", "fair"]
    (answer, *_) = [line for line in lines if "a message" in line and "all a second" in line]
    assert lines.index(answer) < lines.index(head)
    assert answer.split()[-3:] == ["p50", "p99", "p99.9"]
    rows = [line.split() for line in lines if line.startswith(("  64 B", "  IMIX"))]
    assert len(rows) == 8
    assert any(line.startswith(("valid: ", "not valid: ")) for line in lines)
    assert any("Linux interrupted the sessions" in line for line in lines)
    table = [line for line in lines if line.startswith("  ") and "," not in line]
    assert max(map(len, table)) <= 80


@pytest.mark.usefixtures("every_window_counts")
def test_a_load_comes_first(run):
    """With a rate the screen begins with the cores that it takes, and the JSON has the figures."""
    words = ("sessions", MAC, "--sessions", "3", "--size", "64", "--cores", core(), "--rate", "1M",
             "--watts-per-core", "15", "--no-store", *SHORT)  # fmt: skip
    lines = run(*words).stdout.splitlines()
    assert lines[0] == "1 000 000 messages a second:"
    assert lines[1].startswith(f"  {MAC}, 64 B  0.")
    assert " of a core; " in lines[1]
    assert lines[1].endswith("W modelled")
    assert f"in 3 sessions on core {core()}, times the rate" in lines[2]
    found = json.loads(run(*words, "--json").stdout)
    (point,) = found["points"]
    seconds = point["figures"]["core_seconds_per_message"]["median"]
    assert point["load"]["cores"]["median"] == pytest.approx(1e6 * seconds)
    assert point["load"]["watts"]["evidence"] == "modelled"
    assert found["load"]["watts_per_core"] == 15
    assert "give --rate too" in run("sessions", MAC, "--core-hour", "1").stderr


@pytest.mark.parametrize("command", ["sessions", "gather"])
def test_only_what_claims_enough_is_measured(run, monkeypatch, command):
    """What claims too little is left out with a sentence; if nothing is left, that is refused."""
    monkeypatch.setattr(sessions, "troubles", lambda _window, _limits: [])
    monkeypatch.setattr(gather, "gather_troubles", lambda _window, _limits: [])
    words = (command, MAC, "hmac-sha256/portable", "--sessions", "3", "--size", "64", "--cores",
             core(), "--json", *SHORT)  # fmt: skip
    done = run(*words, "--security-bits", "128", "--approved", "nist")
    assert done.exit_code == 0, done.output
    measured = {point["implementation"] for point in json.loads(done.stdout)["points"]}
    assert measured == {"hmac-sha256/portable"}
    assert "left out: siphash-2-4 (claims 64 bits of security)" in done.stderr
    done = run(*words, "--security-bits", "1000")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("joulemark: no algorithm is left to measure: hmac-sha256 (claims")


@pytest.mark.parametrize("more", [("sessions",), ("gather", "--rate", "100k", "--wait", "0")])
def test_the_range_of_few_windows_is_called_so(run, monkeypatch, more):
    """Fewer than six windows carry no 95 % interval, which a sentence says; one shows none."""
    monkeypatch.setattr(sessions, "troubles", lambda _window, _limits: [])
    monkeypatch.setattr(gather, "gather_troubles", lambda _window, _limits: [])
    command, *options = more
    words = (command, MAC, *options, "--sessions", "3", "--size", "64", "--cores", core(), *SHORT)
    for rounds, said in (("1", False), ("2", True), ("6", False)):
        text = " ".join(run(*words, "--rounds", rounds).stdout.split())
        few = "are the range of 2 windows: fewer than 6 carry no 95 % interval (--rounds 6)"
        assert (few in text) == said


def test_own_code_comes_first():
    """The user's code stands before ours, and all else in the order of the patterns."""
    inventory = inventory_of(None)
    names = [MAC, "hmac-sha256/portable", "cmac-aes128/portable"]
    inventory.facts[names[1]] = replace(inventory.facts[names[1]], provider="mine-hmac-sha256")
    asked = session_options.SessionOptions(patterns=names)
    assert asked.implementations(inventory) == [names[1], names[0], names[2]]


@pytest.mark.usefixtures("no_window_counts")
def test_windows_that_do_not_count_give_no_figure(run):
    """After three windows one sentence says why, nothing else is shown, and the exit code is 2."""
    done = run("sessions", MAC, "hmac-sha256/portable", "--sessions", "3", "--size", "64,1KiB",
               "--cores", core(), *SHORT[:-4], "--rounds", "3", "--attempts", "4")  # fmt: skip
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    (said,) = done.stderr.splitlines()
    why = "3 of 3 windows do not count: the sessions do not have their cores alone"
    assert said.startswith(f"joulemark: no figure, as {why}")
    assert said.endswith("; wait for a quiet moment, or name other --cores")


@pytest.mark.parametrize("counts", [True, False])
def test_a_limit_of_cpu_time_is_said(run, monkeypatch, request, counts):
    """Under a limit of a control group the screen says so, and so does a refusal."""
    request.getfixturevalue("every_window_counts" if counts else "no_window_counts")
    limited = replace(capture(), cpu_quota=0.5)
    monkeypatch.setattr(session_options, "capture", lambda: limited)
    done = run("sessions", MAC, "--sessions", "3", "--size", "64", "--cores", core(), *SHORT)
    said = " ".join((done.stdout if counts else done.stderr).split())
    assert "A CPU quota gives this process the time of 0.5 CPUs" in said


@pytest.mark.usefixtures("every_window_counts")
def test_json_has_every_counter(run):
    """The JSON has the raw counts from which the figures can be computed again."""
    done = run("sessions", MAC, "--sessions", "20", "--size", "100", "--cores", core(), "--json",
               *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    (point,) = found["points"]
    ((attempt,),) = point["rounds"]
    window = attempt["window"]
    assert len(window["sessions"]) == 20
    assert window["cores"] == [core()]
    assert all(
        session["tagged_bytes"] == 100 * session["messages"] for session in window["sessions"]
    )
    total = sum(session["tagged_bytes"] for session in window["sessions"])
    assert total == sum(window["part_bytes"]) > 0
    ticks = point["figures"]["apparent_ticks"]["median"]
    assert ticks == pytest.approx(window["window_ticks"] / total)
    assert point["valid"] == (not attempt["troubles"])


@pytest.mark.usefixtures("every_window_counts")
def test_nonces_are_counted_up(run):
    """Each message of a session has another nonce, and the session's last tag is checked."""
    done = run("sessions", "gmac-aes128/portable", "--sessions", "5", "--size", "imix", "--json",
               "--cores", core(), *SHORT)  # fmt: skip
    assert done.exit_code == 0, done.output
    ((attempt,),) = json.loads(done.stdout)["points"][0]["rounds"]
    for session in attempt["window"]["sessions"]:
        assert session["last_nonce"] >= session["messages"]


@pytest.mark.usefixtures("every_window_counts")
def test_the_store_keeps_what_choose_reads(run):
    """The point is stored for `choose`, unless --no-store is given."""
    command = ("sessions", MAC, "--sessions", "4", "--size", "64", *SHORT)
    assert run(*command, "--no-store").exit_code == 0
    assert not list(Path().glob("*.db"))
    assert run(*command).exit_code == 0
    with Store.open("joulemark.db") as store:
        ((stored),) = store.sessions_points(size_bytes=64, sessions=4)
    assert stored.point.facts.implementation == MAC
    assert len(stored.point.rounds) == 1


@pytest.mark.usefixtures("every_window_counts")
def test_a_thousand_sessions(run):
    """1000 sessions run on all cores, and each has its own right tag."""
    done = run("sessions", MAC, "--sessions", "1000", "--size", "1500", "--json", *SHORT)
    assert done.exit_code == 0, done.output
    ((attempt,),) = json.loads(done.stdout)["points"][0]["rounds"]
    assert len(attempt["window"]["sessions"]) == 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sessions", "0"], "--sessions 0: give a number from 1 to 1000"),
        (["--sessions", "1001"], "--sessions 1001: give a number from 1 to 1000"),
        (["--size", "2MiB", "--sessions", "1000"], "1000 sessions with messages of 2 MiB"),
        (["--size", "0"], "at least 1 byte"),
        (["--size", "imux"], "not a message size"),
        (["--cores", "1023"], "--cores 1023: this process may run on"),
        (["--cores", "0,x"], "--cores 0,x: give numbers"),
        (["--cores", "3-1"], "--cores 3-1: give ascending numbers"),
        (["--window", "0"], "--window 0: give a length of time"),
        (["--window", "3h"], "--window 3h: give a time from"),
        (["--rounds", "0"], "--rounds 0: give a number"),
        (["--attempts", "99"], "--attempts 99: give a number"),
    ],
)
def test_refused(refused, arguments, words):
    """Bad options are refused in one sentence before anything is measured."""
    assert words in refused("sessions", MAC, *arguments)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sha256/portable", "sha256/portable is a hash; sessions authenticate messages"),
        ("aes128/portable", "is a cipher"),
        ("hmac-sha256/python_hmac_copy", "runs in Python, one thread at a time"),
        ("hmac-sha999", "hmac-sha999"),
    ],
)
def test_no_such_mac(refused, name, words):
    """A name that is no MAC that can run here is refused."""
    assert words in refused("sessions", name)


def below(pid):
    """Processes that a process started, and all that they started."""
    return [number for child in children_of(pid) for number in (child, *below(child))]


def threads_of(pid):
    """Number of threads of a process; 0 if it has ended."""
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except (FileNotFoundError, ProcessLookupError):
        return 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_it(number, tmp_path):
    """A command that is interrupted or killed in a long window leaves no process and no thread."""
    command = [sys.executable, "-P", "-m", "joulemark.cli.entry"]
    command += ["sessions", MAC, "--sessions", "40", "--window", "300s"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)  # fmt: skip
    try:
        end_s = time.monotonic() + 120
        started = []
        while not any(threads_of(pid) > 40 for pid in started):
            started = below(process.pid)
            assert process.poll() is None
            assert time.monotonic() < end_s
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert outliving(started, 20.0) == []
    assert b"Traceback" not in said
    if number is signal.SIGINT:
        assert process.returncode == 130
        assert b"nothing of these sessions is kept" in said


@pytest.mark.usefixtures("every_window_counts")
def test_a_percentile_of_choice(run, refused):
    """It has an interval of its timed messages, on the screen and in JSON; too few have none."""
    asked = ("sessions", MAC, "--sessions", "2", "--size", "64", "--cores", core(), *SHORT)
    shown = run(*asked, "--percentile", "75")
    assert shown.exit_code == 0, shown.output
    assert any(
        line.split()[:3] == ["size", "p75", "interval"] for line in shown.stdout.splitlines()
    )
    (point,) = json.loads(run(*asked, "--percentile", "75", "--json").stdout)["points"]
    found = point["percentile"]
    assert 0 < found["low"] <= found["seconds"] <= found["high"]
    assert found["messages_timed"] > 11
    few = run(*asked, "--percentile", "99.9999")
    assert "p99.9999 needs 3688878 timed messages: a longer --window" in few.stdout
    assert "--percentile 0: give a number" in refused(*asked, "--percentile", "0")
