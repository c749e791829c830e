# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --target mcu:NAME --workers N`: the same counts as without, and a tidy end."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from small_fleet import until

from joulemark.firmware.programs.target import target_named
from joulemark.firmware.run import missing
from living import outliving

BENCH = [sys.executable, "-P", "-m", "joulemark.cli.entry", "bench", "--target"]
HERE = [name for name in ("mcu:atmega128", "mcu:cortex-m4") if missing(target_named(name)) is None]
pytestmark = pytest.mark.skipif(
    not HERE, reason="no simulated microcontroller; apt-get install gcc-avr or gcc-arm-none-eabi"
)
ASKED = [*BENCH, ",".join(HERE), "chaskey-12", "--size", "16,64"]


def counts(folder: Path, *words: str) -> tuple[list[dict[str, Any]], str]:
    """The results of a run, and what was said beside them."""
    done = subprocess.run(
        [*ASKED, "--json", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["results"], done.stderr


def test_the_same_counts_with_workers_and_without(tmp_path: Path) -> None:
    """Core cycles, sizes and stack of each length."""
    alone, _ = counts(tmp_path, "--no-store")
    spread, said = counts(tmp_path, "--no-store", "--workers", "2")
    assert alone
    assert spread == alone
    assert "is tried again" not in said


def test_what_is_measured_is_not_spread(tmp_path: Path) -> None:
    """One sentence, exit code 2, and nothing begins."""
    done = subprocess.run(
        [*BENCH, f"host,{HERE[0]}", "--workers", "2"], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "'joulemark fleet bench' measures on other machines" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def stored(path: Path) -> int:
    """Counts in a store that a run is writing."""
    if not path.is_file():
        return 0
    with closing(sqlite3.connect(path)) as store:
        if not store.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'firmware_count'"
        ).fetchall():
            return 0
        return int(store.execute("SELECT count(*) FROM firmware_count").fetchone()[0])


def processes_of(session: int) -> list[int]:
    """Numbers of the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text("utf-8").rpartition(")")[2].split()[3]) == session:
                found.append(int(path.parent.name))
    return found


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C ends workers and simulators within seconds; what was counted is kept."""
    program = tmp_path / "running"
    program.mkdir()
    words = [*BENCH, HERE[0], "--workers", "2", "--store", "all.db"]
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(
            words, cwd=program, stdout=said, stderr=said, start_new_session=True
        )
    until(lambda: stored(program / "all.db") > 4, "some are counted")
    assert len(processes_of(running.pid)) > 2
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 130
    assert "the same command goes on" in (tmp_path / "said").read_text()
    assert stored(program / "all.db") > 4
    assert outliving(processes_of(running.pid)) == []
