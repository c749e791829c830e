# SPDX-License-Identifier: Apache-2.0
"""Tools end with all processes that they started, in whatever way the caller leaves them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from joulemark.processes import ended_like_ctrl_c, signal_name, tool
from joulemark.processes.child import Child
from joulemark.processes.keeper import children_of
from joulemark.processes.tool import ToolRuns, ask_tool, run_tool
from living import lives, outliving

STARTER = """
import subprocess, sys, time
subprocess.Popen(["sleep", "300"])
open(sys.argv[1], "a").write("x")
time.sleep(300)
"""


def below(pid: int) -> list[int]:
    """Every process below a given process."""
    direct = children_of(pid)
    return [*direct, *(number for child in direct for number in below(child))]


def started_since(before: list[int]) -> list[int]:
    """New running processes below this one; processes that other tests left may have ended."""
    return [number for number in below(os.getpid()) if number not in before and lives(number)]


def test_a_tool_that_takes_too_long_ends_with_its_children(tmp_path: Path) -> None:
    """A tool that runs out of time is ended together with its children."""
    started = tmp_path / "started"
    seen: list[int] = []
    before = below(os.getpid())
    with (tmp_path / "log").open("w") as log, ThreadPoolExecutor() as pool:
        task = pool.submit(run_tool, [sys.executable, "-c", STARTER, str(started)], output=log,
                           timeout_s=4.0)  # fmt: skip
        while not started.exists():
            time.sleep(0.01)
        seen = started_since(before)
        with pytest.raises(subprocess.TimeoutExpired):
            task.result()
    assert len(seen) == 2
    assert not outliving(seen)


def test_an_error_ends_the_tools_of_all_threads(tmp_path: Path) -> None:
    """After an error the running tools are ended at once, and no further tool is started."""
    started = tmp_path / "started"
    runs = ToolRuns()
    seen: list[int] = []
    before = below(os.getpid())
    began_s = time.monotonic()

    def work(log: Path) -> None:
        with log.open("w") as output:
            runs.run([sys.executable, "-c", STARTER, str(started)], output=output)

    def broken_off() -> None:
        with ThreadPoolExecutor(2) as pool, runs.ended_on_error():
            for number in range(4):
                pool.submit(work, tmp_path / f"{number}.log")
            while not started.exists() or len(started.read_text()) < 2:
                time.sleep(0.01)
            seen.extend(started_since(before))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert time.monotonic() - began_s < 60
    assert len(seen) == 4
    assert not outliving(seen)
    assert len(started.read_text()) == 2


def test_names_of_signals() -> None:
    """A signal is shown by its name, or by its number if it has no name."""
    assert [signal_name(number) for number in (11, 33, 34, 35, 63, 64)] == [
        "SIGSEGV", "33", "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+29", "SIGRTMAX",
    ]  # fmt: skip


def test_a_signal_to_be_ignored_stays_ignored() -> None:
    """An ignored signal stays ignored (nohup); another interrupts once, so that cleanup goes on."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_like_ctrl_c() as received:
            os.kill(os.getpid(), signal.SIGHUP)
            assert received.number == 0
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            assert received.number == signal.SIGTERM
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_while_a_program_starts_does_not_lose_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The signal waits until the program is known, and the program has ended behind it."""
    started: list[int] = []

    class Interrupted(Child):
        """Starts its program, and is interrupted before anybody knows of it."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self.pid)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(tool, "Child", Interrupted)
    # A worker of tests has no handler: the signal would end it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask_tool(["sleep", "60"])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
    assert len(started) == 1


def test_a_program_that_was_just_written_is_started(tmp_path: Path) -> None:
    """Another thread's child may hold the file open for a moment, and may never let it go."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho ran\n", "utf-8")
    program.chmod(0o755)
    with program.open("a") as held:
        timer = threading.Timer(0.2, held.close)
        timer.start()
        assert ask_tool([str(program)]).output == "ran\n"
        timer.join()
    with program.open("a"), pytest.raises(OSError, match="busy"):
        ask_tool([str(program)])
