# SPDX-License-Identifier: Apache-2.0
"""Runs the command with hostile plugins, and checks what must hold in every case."""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forked_commands import COMMAND, run_joulemark

ALGORITHM, RIVAL = "siphash-2-4", "siphash-2-4/portable"
ROUNDS = 2
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
_END_WAIT_S = 5.0


@dataclass
class HostileRun:
    """The outcome of a command with hostile plugins."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    alive: list[str]
    """Command lines of processes that the command left."""
    left_behind: list[str]
    """Files that the command left in the folder for temporary files."""
    left: int
    """Number of processes that plugins said they left."""
    answer: dict[str, Any] = field(default_factory=dict)

    def failures_of(self, name: str) -> list[tuple[str, str]]:
        """Kind and reason of each failure of a variant of SipHash-2-4."""
        return [(failure["kind"], failure["reason"]) for failure in self.answer["failures"]
                if failure["implementation"] == f"{ALGORITHM}/{name}"]  # fmt: skip

    def has_figures(self, implementation: str) -> bool:
        """Whether the answer has all figures of an implementation."""
        found = [
            result
            for result in self.answer["results"]
            if result["implementation"] == implementation
        ]
        return [entry["seconds_per_message"]["samples"] >= ROUNDS for entry in found] == [True]


def _still_there(mark: str, left: Sequence[int]) -> list[str]:
    """Command lines of processes that have the mark in their environment or are in `left`."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if mark.encode() in (process / "environ").read_bytes() or int(process.name) in left:
                found.append((process / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found


def run_hostile(
    words: Sequence[str], plugins: Sequence[Path], folder: Path, *, limit_s: float,
    check_cpu_s: float = 0.0,
) -> HostileRun:  # fmt: skip
    """Runs `joulemark WORDS --plugin ...` in a new folder of its own.

    Args:
        words: the subcommand and its arguments.
        plugins: shared objects.
        folder: an empty folder.
        limit_s: seconds after which the command must have ended.
        check_cpu_s: see `run_joulemark`.
    """
    temporary, left = folder / "temporary", folder / "left"
    temporary.mkdir()
    left.touch()
    mark = secrets.token_hex(16)
    command = [*words]
    for plugin in plugins:
        command += ["--plugin", str(plugin)]
    began_s = time.monotonic()
    done = run_joulemark(
        *command, cwd=folder, timeout_s=limit_s, check_cpu_s=check_cpu_s,
        env={**os.environ, "TMPDIR": str(temporary), "JOULEMARK_TEST_MARK": mark,
             "JOULEMARK_TEST_LEFT": str(left)},
    )  # fmt: skip
    took_s = time.monotonic() - began_s
    numbers = [int(line) for line in left.read_text().split()]
    while (alive := _still_there(mark, numbers)) and time.monotonic() < began_s + took_s + (
        _END_WAIT_S
    ):
        time.sleep(0.05)
    return HostileRun(
        done.returncode, done.stdout, done.stderr, took_s, alive,
        [path.name for path in temporary.iterdir()], len(numbers),
    )  # fmt: skip


def run_on_terminal(
    words: Sequence[str], folder: Path, terminal: tuple[int, int], *, limit_s: float
) -> bytes:
    """Runs `joulemark WORDS` on a terminal that belongs to the command; returns what it printed.

    The terminal is the controlling one of the command's session, so that `/dev/tty` is open to
    every process that stays in the session.
    """
    ours, theirs = terminal
    with subprocess.Popen(
        ["setsid", "--ctty", *COMMAND, *words], cwd=folder,
        stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"},
    ) as child:  # fmt: skip
        os.close(theirs)
        printed, end_s = b"", time.monotonic() + limit_s
        while time.monotonic() < end_s:
            if select.select([ours], [], [], 0.2)[0]:
                try:
                    printed += os.read(ours, 1 << 16)
                except OSError:  # EIO: the last process that held the terminal has ended
                    break
        else:
            child.kill()
    os.close(ours)
    return printed


def bench_beside_rival(
    names: Sequence[str], plugins: Sequence[Path], folder: Path, *, limit_s: float,
    check_cpu_s: float = 0.0,
) -> HostileRun:  # fmt: skip
    """A short `joulemark bench --json` of these variants of SipHash beside our own."""
    words = ["bench", RIVAL, *(f"{ALGORITHM}/{name}" for name in names), "--size", "16",
             "--rounds", str(ROUNDS), "--window-ms", "0.1", "--json", "--hang-limit", "2",
             "--store", str(folder / "run.db")]  # fmt: skip
    done = run_hostile(words, plugins, folder, limit_s=limit_s, check_cpu_s=check_cpu_s)
    if done.stdout:
        done.answer = json.loads(done.stdout)
    return done


def check_contained(done: HostileRun, code: int) -> None:
    """Checks that nothing is left, no foreign sign is printed, and the exit code is right."""
    assert done.alive == []
    assert done.left_behind == []
    assert _CONTROL.findall(done.stdout + done.stderr) == []
    assert b"Traceback" not in done.stderr
    assert done.code == code, done.stderr
    lines = done.stderr.decode().splitlines()
    assert all(line.startswith(("joulemark: ", "checked: ")) for line in lines), lines
