# SPDX-License-Identifier: Apache-2.0
"""A scheduler and workers as separate processes, each machine with a cache folder of its own."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from joulemark.fleet.serving import write_keys

COMMAND = [sys.executable, "-P", "-m", "joulemark.cli.entry", "fleet"]
PATIENCE_S = 120.0
JOBS = Path(__file__).parent
"""Folder of the functions that tests have workers call."""


class SmallFleet:
    """A fleet in a folder; `end` ends all of it.

    Its members have the options `tls`: keys of their own, unless others are given.
    """

    def __init__(self, folder: Path, *tls: str) -> None:
        self.folder = folder
        if not tls:
            write_keys(folder / "fleet.pem")
        self.tls = tls or ("--fleet-keys", str(folder / "fleet.pem"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._members: dict[str, subprocess.Popen[bytes]] = {}
        self.address = self._line("scheduler", "scheduler", "--port", "0", *self.tls).split()[-1]

    def worker(self, machine: str, *, package: Path | None = None) -> None:
        """Starts a worker; `package` is a folder with another build."""
        self._line(
            machine, "worker", self.address, "--machine", machine, "--threads", "1", *self.tls,
            package=package,
        )  # fmt: skip

    def started(self, *words: object, name: str = "command") -> subprocess.Popen[bytes]:
        """A command of `joulemark fleet`, whose errors go to a file in the folder."""
        with (
            (self.folder / f"{name}.out").open("wb") as output,
            (self.folder / f"{name}.err").open("wb") as errors,
        ):
            process = subprocess.Popen(
                [*COMMAND, *map(str, words)], stdout=output, stderr=errors, cwd=self.folder
            )
        self._processes.append(process)
        return process

    def said(self, name: str = "command") -> tuple[str, str]:
        """The output and errors that a command of `joulemark fleet` has printed."""
        output, errors = (self.folder / f"{name}.{text}" for text in ("out", "err"))
        return output.read_text(), errors.read_text()

    def samples(self, machine: str) -> int:
        """Number of samples in a machine's store that nobody has fetched."""
        found = 0
        for path in (self.folder / f"cache-{machine}").glob("joulemark/fleet/*.db"):
            with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as store:
                found += store.execute("SELECT count(*) FROM sample").fetchone()[0]
        return found

    def leave(self, machine: str) -> None:
        """Ends a machine's worker."""
        self._members[machine].terminate()
        self._members[machine].wait(30)

    def end(self) -> None:
        """Ends all processes."""
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(30)

    def _line(self, name: str, *words: str, package: Path | None = None) -> str:
        log = self.folder / f"{name}.log"
        environment = {
            **os.environ, "XDG_CACHE_HOME": str(self.folder / f"cache-{name}"),
            "PYTHONPATH": os.pathsep.join(map(str, filter(None, (package, JOBS)))),
        }  # fmt: skip
        with log.open("wb") as output:
            self._members[name] = process = subprocess.Popen(
                [*COMMAND, *words], stdout=output, stderr=output, env=environment, cwd=self.folder
            )
            self._processes.append(process)
        until(lambda: log.read_text().endswith("\n"), f"{name} is ready")
        return log.read_text().strip()


def until(true: Callable[[], bool], what: str, limit_s: float = PATIENCE_S) -> None:
    """Waits until a condition holds."""
    end_s = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < end_s, f"not in {limit_s:g} s: {what}"
        time.sleep(0.1)
