# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several test folders share."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

# A shell starts what runs in its background with SIGINT ignored, and programs inherit that: those
# that tests interrupt would go on. A signal that is handled here is at its default in them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root of the source tree."""
    return REPOSITORY


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler."""
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("no C compiler; on Debian or Ubuntu: apt-get install gcc")
    return found


@pytest.fixture(scope="session")
def faulty_plugin(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Compiles `tests/plugins/faulty.c` with one fault and returns the shared object."""
    folder = tmp_path_factory.mktemp("plugins")

    def compile_with(fault: str) -> Path:
        output = folder / f"faulty_{fault.lower()}.so"
        if not output.exists():
            sources = ["tests/plugins/faulty.c", "kernels/siphash/siphash_portable.c"]
            command = [compiler, "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
                       "-Ikernels/include", "-Ikernels", f"-DFAULT={fault}",
                       "-o", str(output), *sources]  # fmt: skip
            subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
        return output

    return compile_with
