# SPDX-License-Identifier: Apache-2.0
"""Programs within limits: each limit holds, and no process goes on after it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.processes.tool import Limits, run_limited
from living import outliving

PYTHON = [sys.executable, "-c"]


def test_a_program_says_what_it_says() -> None:
    """Output, errors and exit code of a program arrive; the program gets no input."""
    said = run_limited(
        [*PYTHON, ("import sys; print(repr(sys.stdin.read())); print('e', file=sys.stderr); "
         "sys.exit(7)")], Limits(),
    )  # fmt: skip
    assert (said.code, said.output, said.errors) == (7, "''\n", "e\n")


def test_memory_has_an_end() -> None:
    """The program runs out of memory at its limit, and our process does not."""
    said = run_limited([*PYTHON, "bytearray(1 << 30)"], Limits(memory_bytes=512 << 20))
    assert said.code != 0
    assert "MemoryError" in said.errors


def test_files_have_an_end(tmp_path: Path) -> None:
    """A file grows to the limit and no further."""
    target = tmp_path / "large"
    command = f"with open({str(target)!r}, 'wb') as file: file.write(bytes(100_000))"
    said = run_limited([*PYTHON, command], Limits(file_bytes=4096))
    assert said.code != 0
    assert target.stat().st_size == 4096


def test_time_has_an_end(tmp_path: Path) -> None:
    """A program is ended at its time limit together with the processes that it started."""
    started = tmp_path / "started"
    script = f"sleep 300 & echo $! > {started}; wait"
    with pytest.raises(subprocess.TimeoutExpired) as caught:
        run_limited([shutil.which("sh") or "/bin/sh", "-c", script], Limits(seconds=3.0))
    assert caught.value.timeout == 3.0
    assert not outliving([int(started.read_text("ascii"))])


def test_what_it_leaves_behind_ends(tmp_path: Path) -> None:
    """A child that the program leaves behind is ended, even in a session apart."""
    started = tmp_path / "started"
    script = f"setsid sleep 300 & echo $! > {started}"
    said = run_limited([shutil.which("sh") or "/bin/sh", "-c", script], Limits())
    assert said.code == 0
    assert not outliving([int(started.read_text("ascii"))])


def test_a_program_that_cannot_start() -> None:
    """A program that cannot start has the exit code of a shell, 127, and the reason as errors."""
    said = run_limited(["/nonexistent/program"], Limits())
    assert said.code == 127
    assert "cannot be started" in said.errors


def test_limits_are_not_widened() -> None:
    """A limit that already holds in this process is not raised for the program."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    command = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])"
    said = run_limited([*PYTHON, command], Limits(open_files=hard + 1), environment=os.environ)
    assert int(said.output) == hard
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (soft, hard)
