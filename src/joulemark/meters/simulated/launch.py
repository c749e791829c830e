# SPDX-License-Identifier: Apache-2.0
"""Starting the daemon for as long as a block of code runs.

The process that starts it is the one it watches, so whatever that process and its children compute
is the load.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from joulemark.errors import UnavailableError
from joulemark.meters.simulated.config import DaemonConfig, parse_options
from joulemark.meters.simulated.daemon import READY
from joulemark.processes.child import Child, module_command

_MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
"""Files in memory: replacing one there takes 15 us of CPU time, on a disk 90 us (x86-64 virtual
machine, Linux 6.18, ext4, November 2026)."""
_PATIENCE_S: Final = 20.0


@contextmanager
def start(options: str | DaemonConfig = "") -> Iterator[str]:
    """Runs a simulated machine whose load is this process with its children.

    Args:
        options: the machine: text for `parse_options`, or a configuration.

    Yields:
        The name of the meter that reads it, which every process of this machine may use:
        `simulated:FOLDER`.
    """
    config = parse_options(options) if isinstance(options, str) else options
    memory = str(_MEMORY_FOLDER) if os.access(_MEMORY_FOLDER, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="joulemark-simulated-", dir=memory))
    try:
        with tempfile.TemporaryFile() as configuration, tempfile.TemporaryFile() as errors:
            configuration.write(config.as_json().encode())
            configuration.seek(0)
            command = module_command("joulemark.meters.simulated")
            command += ["--remove", "--config", "-"]
            command += ["--root", str(folder), "--watch", str(os.getpid())]
            daemon = Child(command, reads=configuration, errors=errors)
            try:
                _await_ready(folder, daemon, errors)
                yield f"simulated:{folder}"
            finally:
                daemon.signal(signal.SIGTERM)
                daemon.ended_within(_PATIENCE_S)
                daemon.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _await_ready(folder: Path, daemon: Child, errors: IO[bytes]) -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not (folder / READY).exists():
        if daemon.ended_within(0):
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            why = lines[-1] if lines else f"exit code {daemon.wait()}"
            raise UnavailableError(f"the simulated meter could not be started: {why}")
        if time.monotonic() > end_s:
            raise UnavailableError(
                f"the simulated meter was not ready after {_PATIENCE_S:g} s; is the machine loaded?"
            )
        time.sleep(0.005)
