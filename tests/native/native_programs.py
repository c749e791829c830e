# SPDX-License-Identifier: Apache-2.0
"""Finds the programs of a build and runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["program", "run"]


def run(*command: str | Path, timeout_s: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs a program and returns its exit code and output."""
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=timeout_s,
        check=False,
    )  # fmt: skip


def program(folder: Path, name: str) -> Path:
    """The path of a program in a build."""
    return next(path for path in folder.rglob(name) if path.is_file() and os.access(path, os.X_OK))
