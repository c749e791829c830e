# SPDX-License-Identifier: Apache-2.0
"""Finds the programs of a build and runs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

__all__ = ["frames_are_kept", "nothing_is_left", "program", "run"]


def run(*command: str | Path, timeout_s: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs a program and returns its exit code and output."""
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=timeout_s,
        check=False,
    )  # fmt: skip


def program(folder: Path, name: str) -> Path:
    """The path of a program in a build."""
    return next(path for path in folder.rglob(name) if path.is_file() and os.access(path, os.X_OK))


def frames_are_kept(folder: Path) -> list[str]:
    """Checks that a build measured its frames and overwrites each; returns a line for each."""
    report = (folder / "wiping" / "frames.txt").read_text("utf-8").splitlines()
    assert [line for line in report if not line.startswith("kept ")] == []
    assert len({line.split()[1] for line in report}) > 40
    return report


def nothing_is_left(folder: Path, emulator: Sequence[str] = ()) -> None:
    """Holds a build against decision 17: its frames as measured, and the search for remains."""
    report = frames_are_kept(folder)
    done = run(*emulator, program(folder, "forgets"), timeout_s=3600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert " 0 with something left" in done.stdout
    print(f"{folder.name}: {len(report)} frames; {done.stdout.splitlines()[-1]}")
