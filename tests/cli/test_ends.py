# SPDX-License-Identifier: Apache-2.0
"""A command ends with one sentence and leaves nothing, however it is ended, wherever started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_store import store_with

from joulemark.processes.keeper import children_of
from living import outliving

COMMAND = [sys.executable, "-m", "joulemark.cli.entry"]


def ended(line: list[str], **more: object) -> subprocess.CompletedProcess[bytes]:
    """Runs a command line and returns the finished process."""
    return subprocess.run(line, capture_output=True, timeout=120, check=False, **more)


def in_shell(before: str, *arguments: str, after: str = "") -> subprocess.CompletedProcess[bytes]:
    """Runs the command in a shell, with shell text before and after its words."""
    words = " ".join(f"'{word}'" for word in (*COMMAND, *arguments))
    return ended(["sh", "-c", f"{before} {words} {after}"])


def one_sentence(done: subprocess.CompletedProcess[bytes], code: int = 2) -> str:
    """Returns the message of a command; fails on anything but one sentence."""
    said = done.stderr.decode()
    assert done.returncode == code, said
    assert len(said.splitlines()) == 1, said
    assert said.startswith("joulemark: ")
    return said


def catches_ctrl_c(pid: int) -> bool:
    """Whether a process has a handler for SIGINT, by proc_pid_status(5)."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGINT - 1) & 1)


@pytest.mark.parametrize(
    "delay_s",
    [0.0, 0.1, 0.6, *(pytest.param(delay_s, marks=pytest.mark.exhaustive)
                      for delay_s in (0.03, 0.3))],
)  # fmt: skip
def test_early_ctrl_c(delay_s: float, tmp_path: Path) -> None:
    """Ctrl-C gives no traceback, even while modules are imported."""
    process = subprocess.Popen([*COMMAND, "export", "--store", str(tmp_path / "x.db")],
                               stderr=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    # Python itself sets its handler, and our first line takes it away.
    while not catches_ctrl_c(process.pid):
        assert process.poll() is None
    while catches_ctrl_c(process.pid):
        assert process.poll() is None
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said
    assert len(said.splitlines()) <= 1
    assert process.returncode in {130, -signal.SIGINT, 2}  # 2: the command was quicker


def test_closed_output() -> None:
    """A closed output is reported, and the store does not become the output."""
    assert "cannot be written" in one_sentence(in_shell("", "list", after=">&-"))


def test_closed_errors_and_input() -> None:
    """A command that needs neither standard error nor input runs without both."""
    done = in_shell("", "list", after="2>&- <&-")
    assert done.returncode == 0
    assert b"hmac-sha256" in done.stdout


def test_ascii_output(tmp_path: Path) -> None:
    """Signs that the output has no code for are written by their numbers."""
    path = store_with(tmp_path / "x.db", {})
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "100"}
    for line in (["compare", "hmac-sha256/portable", "hmac-sha256/shani"], ["export"]):
        done = ended([*COMMAND, *line, "--store", str(path)], env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.isascii()


@pytest.mark.parametrize(
    "limit", [6, 12, *(pytest.param(limit, marks=pytest.mark.exhaustive) for limit in (8, 10))]
)
def test_few_file_descriptors(limit: int, tmp_path: Path) -> None:
    """Too few file descriptors give one sentence with the limit or the file."""
    path = store_with(tmp_path / "x.db", {})
    done = in_shell(f"ulimit -n {limit};", "bench", "siphash-2-4/portable", "--quick",
                    "--store", str(path))  # fmt: skip
    if b"joulemark: " in done.stderr:  # with fewer, Python itself does not start
        assert "ulimit -n" in one_sentence(done) or "cannot be" in one_sentence(done)


def test_no_home(refused: Callable[..., str]) -> None:
    """A home folder of an unknown user is named in the refusal."""
    said = refused("runs", "--store", "~nobody-of-this-name/x.db")
    assert "home folder" in said


def test_report_in_the_place_of_a_folder(refused: Callable[..., str], tmp_path: Path) -> None:
    """A report that would replace a folder is refused before anything is measured."""
    began_s = time.monotonic()
    said = refused("bench", "siphash-2-4/portable", "--report", tmp_path)
    assert "this is a folder" in said
    assert time.monotonic() - began_s < 10


@pytest.mark.parametrize("number", [
    signal.SIGTERM, signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.exhaustive),
])  # fmt: skip
def test_ended_from_outside(number: signal.Signals, tmp_path: Path) -> None:
    """A bench ended by a signal leaves neither process nor folder, and says what is kept."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [*COMMAND, "bench", "siphash-2-4/portable", "--size", "64", "--rounds", "500",
         "--store", str(tmp_path / "x.db")],
        env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    end_s = time.monotonic() + 60
    while not (tmp_path / "x.db").exists() or not children_of(process.pid):
        assert time.monotonic() < end_s
        time.sleep(0.02)
    time.sleep(1.0)
    below = [*children_of(process.pid)]
    below += [count for child in below for count in children_of(child)]
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number, said
    assert b"the same command goes on" in said
    assert b"Traceback" not in said
    assert not outliving(below, 10)
    assert not list(tmp_path.glob("joulemark-*"))
