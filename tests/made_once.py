# SPDX-License-Identifier: Apache-2.0
"""Folders that take long to make and that tests of several workers read: one worker makes each."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

__all__ = ["made_once", "of_all_workers"]


def of_all_workers(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run of the tests that is the same for all its workers."""
    own = factory.getbasetemp()
    return own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """The folder, in which `make` was called exactly once; other workers wait until it is done.

    If `make` failed, the next worker that asks calls it again, in the folder as it was left.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(folder)
            done.touch()
    return folder
