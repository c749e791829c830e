# SPDX-License-Identifier: Apache-2.0
"""Runs a long command of the build, writes its output to a file, and shows its progress.

    python3 tools/with_progress.py [--of N] TITLE LOG COMMAND...

On a terminal one line is rewritten again and again: steps done, seconds passed, time left.
Elsewhere a new line says the same every 15 seconds. Ninja counts the steps, or with `--of` the
packages that pip collects are counted, N in all. If the command fails, the end of its output is
printed, and the exit code is the command's. This program imports only the standard library, since
it runs before any package is installed.
"""

from __future__ import annotations

import argparse
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

__all__ = ["Steps", "main"]

HEARTBEAT_S: Final = 15.0
REDRAW_S: Final = 1.0
_TAIL_LINES: Final = 40
_NINJA: Final = re.compile(r"^\s*\[(\d+)/(\d+)\] ")
_COLLECTED: Final = re.compile(r"^\s*Collecting ")


class Steps:
    """The progress of a command, read from its output.

    Args:
        packages: number of packages that pip will collect; None if ninja counts steps.
        clock: returns seconds since any fixed moment.
    """

    def __init__(
        self, packages: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._packages = packages
        self._clock = clock
        self._began_s = clock()
        self._done, self._total = 0, 0
        self._first: tuple[int, float] | None = None
        """Steps done at the first count seen, and its time: the pace is counted from there."""

    def read(self, line: str) -> None:
        """Takes one line of the command's output into account."""
        if self._packages is not None:
            if _COLLECTED.match(line):
                self._move(min(self._done + 1, self._packages), self._packages)
        elif found := _NINJA.match(line):
            self._move(int(found[1]), int(found[2]))

    def _move(self, done: int, total: int) -> None:
        if self._first is None or total != self._total:
            self._first = (done, self._clock())
        self._done, self._total = done, total

    def __str__(self) -> str:
        passed = f"{self.passed_s:.0f} s"
        if self._first is None:
            return passed
        done, since_s = self._first
        text = f"{self._done} of {self._total}, {passed}"
        if done < self._done < self._total:
            pace_s = (self._clock() - since_s) / (self._done - done)
            text += f", about {pace_s * (self._total - self._done):.0f} s left"
        return text

    @property
    def passed_s(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began_s


def main(words: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Runs the command; returns its exit code, or 127 if it cannot be started.

    Args:
        words: the arguments; None for the program's arguments.
        out: receives the progress; None for standard error.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", type=int, default=None, metavar="N")
    parser.add_argument("title")
    parser.add_argument("log", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args(words)
    out = out or sys.stderr
    asked.log.parent.mkdir(parents=True, exist_ok=True)
    steps = Steps(asked.of)
    try:
        code = _run(asked.title, asked.log, asked.command, steps, out)
    except OSError as error:
        _say(out, f"{asked.title}: {error}")
        return 127
    if code:
        _say(out, f"{asked.title}: failed after {steps.passed_s:.0f} s; it said at the end:")
        lines = asked.log.read_text("utf-8", "replace").splitlines()
        out.writelines(f"    {line}\n" for line in lines[-_TAIL_LINES:])
        out.write(f"All of it is in {asked.log}\n")
    else:
        _say(out, f"{asked.title}: done in {steps.passed_s:.0f} s")
    return code


def _run(title: str, log: Path, command: Sequence[str], steps: Steps, out: TextIO) -> int:
    """Runs the command, logs its output and shows its progress; returns the exit code."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    every_s = REDRAW_S if out.isatty() else HEARTBEAT_S
    with (
        log.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, encoding="utf-8", errors="replace",
        ) as child,
    ):  # fmt: skip
        threading.Thread(target=_pass_on, args=(child.stdout, lines), daemon=True).start()
        out.write(f"{title}\r" if out.isatty() else f"{title} ...\n")
        out.flush()
        due_s = time.monotonic() + every_s
        while True:
            try:
                line = lines.get(timeout=max(0.0, due_s - time.monotonic()))
            except queue.Empty:
                _beat(out, f"{title}: {steps}")
                due_s = time.monotonic() + every_s
                continue
            if line is None:
                break
            kept.write(line)
            steps.read(line)
    return child.returncode


def _pass_on(stream: TextIO, lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _beat(out: TextIO, text: str) -> None:
    out.write(f"\r\x1b[K{text}" if out.isatty() else f"{text}\n")
    out.flush()


def _say(out: TextIO, text: str) -> None:
    """Writes a line that is not overwritten."""
    out.write(f"\r\x1b[K{text}\n" if out.isatty() else f"{text}\n")
    out.flush()


if __name__ == "__main__":
    raise SystemExit(main())
