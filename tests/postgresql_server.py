# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server for the tests, from the programs of Debian's package `postgresql`.

The server lies in a temporary folder, listens on a socket in that folder and nowhere else, and ends
with the thread that started it. If the tests run as root, which PostgreSQL refuses, it runs as
another user. It does not wait for the disk: a killed server loses the same either way, and no test
cuts the power.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["PostgresqlServer", "postgresql_programs"]

MISSING = "no PostgreSQL server; on Debian or Ubuntu: apt-get install postgresql"
USER = "joulemark"
_PR_SET_PDEATHSIG = 1
_LONGEST_START_S = 180.0
"""Longest wait for a start: it takes under 1 s, but tens of seconds on a very busy machine."""
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "log_min_messages": "fatal",
}


def postgresql_programs() -> Path:
    """Folder of `initdb` and `postgres`; skips the test where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4])
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).parent
    if not found:
        pytest.skip(MISSING)
    return found[-1].parent


def _lesser_user() -> pwd.struct_passwd | None:
    """The user as whom the server runs; None: the user of the tests."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _end_with_us() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


class PostgresqlServer:
    """A server with databases; made by `initdb`, not yet started."""

    def __init__(self) -> None:
        self.programs = postgresql_programs()
        self.user = _lesser_user()
        # A short path, since a socket's name has at most 107 bytes; the lesser user may enter.
        self.folder = Path(tempfile.mkdtemp(prefix="jm-pg-", dir="/tmp"))
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        words = ["initdb", "-D", "data", "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8",
                 "--locale=C", "--no-instructions"]  # fmt: skip
        if self._as_user([str(self.programs / words[0]), *words[1:]]).wait() != 0:
            raise RuntimeError(f"no database: {self._log()}")

    def _as_user(self, words: list[str]) -> subprocess.Popen[bytes]:
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} \
            if self.user else {}  # fmt: skip
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                words, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                preexec_fn=_end_with_us,  # noqa: PLW1509 - no thread of ours holds a lock
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **who,
            )  # fmt: skip

    def start(self) -> None:
        """Start it, and wait until it answers.

        A server that was killed leaves processes that notice its end only when they get their turn;
        as long as one is there, the next server refuses to start, and is started again.
        """
        words = [str(self.programs / "postgres"), "-D", "data", "-k", str(self.folder)]
        for name, value in _SETTINGS.items():
            words += ["-c", f"{name}={value}"]
        end = time.monotonic() + _LONGEST_START_S
        self._process = self._as_user(words)
        while not self._answers():
            if time.monotonic() > end:
                raise RuntimeError(f"no server: {self._log()}")
            time.sleep(0.05)
            if self._process.poll() is not None:
                if "is still in use" not in self._log():
                    raise RuntimeError(f"no server: {self._log()}")
                self._process = self._as_user(words)

    def require_running(self) -> None:
        """Start it if an earlier test left it ended."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def _log(self) -> str:
        return (self.folder / "log").read_text()[-2000:]

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url("postgres").replace("+psycopg", "")).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """Kill the server by SIGKILL, as a fault would, so that it can tell no client."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Stop the server in an orderly way, which cuts off its clients."""
        self._end(signal.SIGINT)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Within the block the server and its processes stand still, as on a machine that swaps."""
        assert self._process is not None
        number = self._process.pid
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
        every = [number, *map(int, children)]
        for count in every:
            os.kill(count, signal.SIGSTOP)
        try:
            yield
        finally:
            for count in every:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(count, signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """End the server and remove its folder."""
        self._end(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        """Address of a database."""
        return f"postgresql+psycopg://{USER}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Execute one statement without a transaction around it, and return its rows."""
        import psycopg

        address = self.url(database).replace("+psycopg", "")
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, template: str = "template0") -> Iterator[str]:
        """Address of a new database, which is dropped at the end."""
        self.require_running()
        name = f"t{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")
