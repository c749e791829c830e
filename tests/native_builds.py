# SPDX-License-Identifier: Apache-2.0
"""Builds of the kernels and of the programs in tests/native, in folders that are kept."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

__all__ = ["built"]

_SOURCES = Path(__file__).resolve().parent.parent


def built(folder: Path, *options: str) -> Path:
    """Configures and builds in `folder`, which it returns; one process at a time does.

    Args:
        folder: made where it is missing; what lies in it already is not built again.
        options: arguments for CMake's first run, beside those that all such builds have.
    """
    tools = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (
            ["cmake", "-S", str(_SOURCES), "-B", str(folder), "-G", "Ninja",
             "-DCMAKE_BUILD_TYPE=Release", "-DJOULEMARK_NATIVE_TESTS=ON",
             "-DJOULEMARK_BINDINGS=OFF", "-DJOULEMARK_PROVIDERS=OFF", *options],
            ["cmake", "--build", str(folder)],
        ):  # fmt: skip
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder
