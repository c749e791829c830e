# SPDX-License-Identifier: Apache-2.0
"""A compiler of firmware that is ended leaves no file behind, neither its own nor one of ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joulemark.errors import ImplementationError
from joulemark.firmware.build import ask_compiler, in_place

COMPILER = """#!/bin/sh
mktemp "${TMPDIR:-/tmp}/ccXXXXXX.s"
touch "$STARTED"
exec sleep 60
"""
"""Makes a temporary file as gcc does, tells us so, and does not end."""
COMMAND = "from test_ended_compiler import compile_slowly; compile_slowly(600.0)"


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a slow compiler, a folder for temporary files, and the user's cache."""
    for name in ("temporary", "cache"):
        (tmp_path / name).mkdir()
    compiler = tmp_path / "slow-cc"
    compiler.write_text(COMPILER, "utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    monkeypatch.setenv("JOULEMARK_PASS_ON", "STARTED")
    monkeypatch.setenv("SLOW_CC", str(compiler))
    return tmp_path


def compile_slowly(limit_s: float) -> None:
    """Compiles an object that is never done."""
    in_place("slow.o", lambda path: ask_compiler([os.environ["SLOW_CC"]], path.parent, limit_s))


def left(folder: Path) -> list[Path]:
    """Files that are left in the folder of temporary files or in the cache."""
    places = [folder / "temporary", folder / "cache"]
    return [path for place in places for path in place.rglob("*") if path.is_file()]


def test_a_compiler_without_end(slow: Path) -> None:
    """After its time it is ended, which one sentence says."""
    with pytest.raises(ImplementationError, match="slow-cc was ended after 2 s"):
        compile_slowly(2.0)
    assert (slow / "started").exists()
    assert left(slow) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_it_compiles(slow: Path, number: int) -> None:
    """An interrupt ends it, and so does the signal that `kill` sends."""
    script = f"import signal\nsignal.signal({int(number)}, signal.default_int_handler)\n{COMMAND}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment)
    end_s = time.monotonic() + 60
    while not (slow / "started").exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    assert left(slow)
    process.send_signal(number)
    assert process.wait(60) != 0
    assert left(slow) == []
