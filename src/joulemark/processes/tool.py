# SPDX-License-Identifier: Apache-2.0
"""Tools that are run to their end: none of them, nor what they started, goes on without us."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from joulemark.processes.descendants import end_tree

__all__ = ["ToolRuns", "run_tool"]


class ToolRuns:
    """Runs of tools, in one thread or several, that end together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(
        self,
        arguments: Sequence[str],
        *,
        output: IO[str],
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> int:
        """Runs a program, without input, and returns its exit code.

        However this is left, by an interrupt or for want of time, the program has ended by then
        with all that it started: make with its compilers, a starter with its simulator.

        Args:
            arguments: the program and its arguments.
            output: file for what it prints, errors too.
            folder: where it runs; None: here.
            environment: its variables; None: ours.
            timeout_s: seconds after which it is ended.

        Raises:
            subprocess.TimeoutExpired: it took longer.
            KeyboardInterrupt: the runs are being ended together.
        """
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
            self._running.add(process)
        try:
            return process.wait(timeout_s)
        finally:
            with self._lock:
                self._running.discard(process)
                _end(process)
            process.wait()

    @contextmanager
    def ended_on_error(self) -> Iterator[None]:
        """Ends what other threads run when this block is left by an error.

        To be entered inside a pool of threads, which waits for them on its way out.
        """
        try:
            yield
        except BaseException:
            with self._lock:
                self._stopped = True
                for process in self._running:
                    _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        end_tree(process.pid)


def run_tool(
    arguments: Sequence[str],
    *,
    output: IO[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> int:
    """As `ToolRuns.run`, for one tool alone."""
    return ToolRuns().run(
        arguments, output=output, folder=folder, environment=environment, timeout_s=timeout_s
    )
