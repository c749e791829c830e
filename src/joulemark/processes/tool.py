# SPDX-License-Identifier: Apache-2.0
"""Programs that are run to their end: none of them, nor what they started, goes on without us."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from joulemark.processes.child import Child, KeptChild, module_command

__all__ = ["Said", "ToolRuns", "ToolsStopped", "ask_tool", "run_tool"]

_MOST_BYTES: Final = 64 << 20
"""Of what a tool prints; the rest is passed over."""


class ToolsStopped(KeyboardInterrupt):
    """The runs of tools are being ended together."""


class ToolRuns:
    """Runs of tools, in one thread or several, that end together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[Child] = set()
        self._stopped = False

    def run(
        self,
        arguments: Sequence[str],
        *,
        output: IO[str] | IO[bytes],
        errors: IO[bytes] | None = None,
        reads: IO[bytes] | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> int:
        """Runs a program and returns its exit code.

        However this is left, by an interrupt or for want of time, the program has ended by then
        with all that it started: make with its compilers, a starter with its simulator.

        Args:
            arguments: the program and its arguments.
            output: file for what it prints.
            errors: file for what it prints as errors; None: as `output`.
            reads: file that it reads; None: it has no input.
            folder: where it runs; None: here.
            environment: its variables; None: ours.
            timeout_s: seconds after which it is ended.

        Raises:
            subprocess.TimeoutExpired: it took longer.
            ToolsStopped: the runs are being ended together.
        """
        with self._lock:
            self._require_going_on()
            child = Child(
                arguments, output=output, errors=errors, reads=reads, folder=folder,
                environment=environment,
            )  # fmt: skip
            self._running.add(child)
        return self._finished(child, timeout_s)

    def run_kept(
        self,
        module: str,
        first_line: bytes,
        *,
        output: IO[str] | IO[bytes],
        errors: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> int:
        """As `run`, for a module of ours with foreign code in it, which ends when we do.

        Args:
            module: is run with `first_line` as the first line of its input.
            first_line: with its newline.
            output: as `run`, and so are the others.
            errors: see there.
            environment: see there.
            timeout_s: see there.
        """
        with self._lock:
            self._require_going_on()
            child = KeptChild(
                [*module_command("joulemark.processes.kept"), module], first_line=first_line,
                output=output, errors=errors, environment=environment,
            )  # fmt: skip
            self._running.add(child)
        return self._finished(child, timeout_s)

    def _require_going_on(self) -> None:
        if self._stopped:
            raise ToolsStopped

    def _finished(self, child: Child, timeout_s: float | None) -> int:
        try:
            code = child.wait(timeout_s)
        finally:
            with self._lock:
                self._running.discard(child)
            child.end()
        if self._stopped:
            raise ToolsStopped
        return code

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
            for child in self._running:
                child.stop()


def run_tool(
    arguments: Sequence[str],
    *,
    output: IO[str] | IO[bytes],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> int:
    """As `ToolRuns.run`, for one tool alone."""
    return ToolRuns().run(
        arguments, output=output, folder=folder, environment=environment, timeout_s=timeout_s
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What a program printed until it ended."""

    code: int
    output: str
    errors: str

    def last_line(self) -> str:
        """The last line of its errors, or else of its output; empty if it printed nothing."""
        lines = (self.errors.strip() or self.output.strip()).splitlines()
        return lines[-1].strip() if lines else ""


def ask_tool(
    arguments: Sequence[str],
    *,
    reads: str = "",
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> Said:
    """Runs a program that prints little, as `ToolRuns.run`; `reads` is what it reads."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(reads.encode())
        given.seek(0)
        code = ToolRuns().run(
            arguments, output=output, errors=errors, reads=given, folder=folder,
            environment=environment, timeout_s=timeout_s,
        )  # fmt: skip
        return Said(code, *map(_text, (output, errors)))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_BYTES).decode("utf-8", "replace")
