# SPDX-License-Identifier: Apache-2.0
"""A run on a disk that fills up: one sentence, nothing lost, and the same command goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forked_commands import run_joulemark

WORDS = ["bench", "siphash-2-4/portable",
         "--size", "16,64..4096", "--rounds", "20", "--window-ms", "0.05"]  # fmt: skip
VISITS = 8 * 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mounts a file system of 8 MiB, or skips the test where mounting is not permitted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount command")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system is not permitted here (needs root)")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def stored(store: Path) -> int:
    """How many visits of a trial the store holds."""
    with closing(sqlite3.connect(store)) as connection:
        found: int = connection.execute(
            "select count(*) from (select distinct trial_id, round_index from sample)"
        ).fetchone()[0]
        return found


def test_full_disk_is_one_sentence_and_loses_nothing(small_disk: Path) -> None:
    """A full disk gives one sentence; with room again the same command completes the run."""
    store = small_disk / "run.db"
    first = run_joulemark(*WORDS, "--store", store, "--rounds", "1", text=True)
    assert first.returncode == 0, first.stderr
    ballast = small_disk / "ballast"
    free = os.statvfs(small_disk)
    ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - 24 * 1024)))

    done = run_joulemark(*WORDS, "--store", store, text=True)
    assert done.returncode == 2, done.stderr
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    ballast.unlink()
    kept = stored(store)
    assert kept < 8 + VISITS

    again = run_joulemark(*WORDS, "--store", store, text=True)
    assert again.returncode == 0, again.stderr
    assert stored(store) == 8 + VISITS
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
