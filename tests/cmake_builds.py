# SPDX-License-Identifier: Apache-2.0
"""Builds of the C sources that several tests use: kept between runs, one process at a time."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["NATIVE_TESTS", "build"]

NATIVE_TESTS = {
    "CMAKE_BUILD_TYPE": "Release", "JOULEMARK_NATIVE_TESTS": "ON",
    "JOULEMARK_BINDINGS": "OFF", "JOULEMARK_PROVIDERS": "OFF",
}  # fmt: skip
"""CMake's options for the programs in tests/native; providers are those that were installed."""


def build(
    repository: Path, name: str, options: Mapping[str, str], targets: Sequence[str] = ("all",)
) -> Path:
    """Configures `build/<name>` with the CMake options, builds the targets, returns the folder."""
    folder = repository / "build" / name
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (
            ["cmake", "-S", repository, "-B", folder, "-G", "Ninja",
             *(f"-D{option}={value}" for option, value in options.items())],
            ["cmake", "--build", folder, "--target", *targets],
        ):  # fmt: skip
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder
