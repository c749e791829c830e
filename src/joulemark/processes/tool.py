# SPDX-License-Identifier: Apache-2.0
"""Tools that are run to their end: none of them, nor what they started, goes on without us."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from joulemark.processes.descendants import end_tree

__all__ = ["ToolRuns", "ToolsStopped", "run_tool"]


class ToolsStopped(KeyboardInterrupt):
    """The runs of tools are being ended together."""


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
        first_line: bytes | None = None,
    ) -> int:
        """Runs a program and returns its exit code.

        However this is left, by an interrupt or for want of time, the program has ended by then
        with all that it started: make with its compilers, a starter with its simulator.

        Args:
            arguments: the program and its arguments.
            output: file for what it prints, errors too.
            folder: where it runs; None: here.
            environment: its variables; None: ours.
            timeout_s: seconds after which it is ended.
            first_line: what it reads. Its input then stays open as long as we live, and it leads a
                process group, which it can end when its input ends. None: it has no input.

        Raises:
            subprocess.TimeoutExpired: it took longer.
            ToolsStopped: the runs are being ended together.
        """
        with self._lock:
            if self._stopped:
                raise ToolsStopped
            process = subprocess.Popen(
                arguments, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL if first_line is None else subprocess.PIPE,
                start_new_session=first_line is not None,
            )  # fmt: skip
            self._running.add(process)
        try:
            if process.stdin is not None and first_line is not None:
                with suppress(BrokenPipeError):  # it has ended already
                    process.stdin.write(first_line)
                    process.stdin.flush()
            return process.wait(timeout_s)
        finally:
            with self._lock:
                self._running.discard(process)
                _end(process)
            process.wait()
            if process.stdin is not None:
                with suppress(BrokenPipeError):
                    process.stdin.close()

    @contextmanager
    def ended_on_error(self) -> Iterator[None]:
        """Ends what other threads run when this block is left by an error.

        To be entered inside a pool of threads, which waits for them on its way out.
        """
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends what other threads run; nothing more can be started."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        end_tree(process.pid)
    if process.stdin is not None:  # it leads a group: orphans in it too
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


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
