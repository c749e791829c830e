# SPDX-License-Identifier: Apache-2.0
"""Runs programs to their end: neither they nor processes that they started go on without us."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from joulemark.errors import UnavailableError
from joulemark.processes.child import Child, KeptChild, module_command

_MOST_BYTES: Final = 64 << 20
"""Most bytes that are read of each stream that a tool prints."""


class ToolsStopped(KeyboardInterrupt):
    """The runs of tools are being ended together."""


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Lets SIGINT and SIGTERM wait for the end of the block, where they do what they always do.

    An exception between the start of a program and the assignment of its `Child` would lose the
    program, which then goes on without us. In other threads than the main one no signal comes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if callable(handler := signal.getsignal(number))
    }
    for number in handlers:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


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
        """Runs a program, as `Child` takes it, and returns its exit code.

        However this call ends, by an interrupt or for want of time, the program has ended by then
        with all that it started: make with its compilers, a starter with its simulator.
        """
        return self._run(
            lambda: Child(
                arguments,
                output=output,
                errors=errors,
                reads=reads,
                folder=folder,
                environment=environment,
            ),
            timeout_s,
        )

    def run_kept(
        self,
        module: str,
        first_line: bytes,
        *,
        output: IO[str] | IO[bytes],
        errors: IO[bytes] | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> int:
        """Runs as `run` a module of ours with foreign code in it, which ends when we do.

        `first_line`, with its newline, is the first line of the module's input.
        """
        command = [*module_command("joulemark.processes.keeper"), module]
        return self._run(
            lambda: KeptChild(
                command,
                first_line=first_line,
                output=output,
                errors=errors,
                folder=folder,
                environment=environment,
            ),
            timeout_s,
        )

    def _run(self, start: Callable[[], Child], timeout_s: float | None) -> int:
        child: Child | None = None
        try:
            with _interrupts_held_back(), self._lock:
                if self._stopped:
                    raise ToolsStopped
                child = start()
                self._running.add(child)
            code = child.wait(timeout_s)
        finally:
            if child is not None:
                with self._lock:
                    self._running.discard(child)
                child.end()
        if self._stopped:
            raise ToolsStopped
        return code

    @contextmanager
    def ended_on_error(self) -> Iterator[None]:
        """Ends what other threads run when this block is left by an error.

        To be entered inside a pool of threads, which waits for its threads when it is left.
        """
        try:
            yield
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends the programs that other threads run; no more can be started."""
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
    """Runs a single tool, as `ToolRuns.run`."""
    return ToolRuns().run(
        arguments, output=output, folder=folder, environment=environment, timeout_s=timeout_s
    )


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The text that a program printed until it ended, and its exit code."""

    code: int
    output: str
    errors: str

    @staticmethod
    def read(
        code: int, output: IO[bytes], errors: IO[bytes], most_bytes: int = _MOST_BYTES
    ) -> ToolOutput:
        """Reads both files from their start, at most `most_bytes` of each."""
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read(most_bytes).decode("utf-8", "replace"))
        return ToolOutput(code, *texts)

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
) -> ToolOutput:
    """Runs a program that prints little, as `ToolRuns.run`; its input is the text `reads`."""
    with (
        tempfile.TemporaryFile() as text,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        text.write(reads.encode())
        text.seek(0)
        code = ToolRuns().run(
            arguments,
            output=output,
            errors=errors,
            reads=text,
            folder=folder,
            environment=environment,
            timeout_s=timeout_s,
        )
        return ToolOutput.read(code, output, errors)


# Runs programs on files that others wrote, under limits of time, memory and files.
#
# A compiler reads sources that none of us has seen: a macro that doubles itself takes all memory,
# and an included device never ends.

_MOST_OUTPUT_BYTES: Final = 1 << 20
"""Most bytes that are read of each stream that a program prints."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a program, and each program that it starts, may use."""

    seconds: float = 120.0
    """Wall time of the whole program."""
    memory_bytes: int = 4 << 30
    """Address space of each process."""
    file_bytes: int = 256 << 20
    """Size of each file that it writes, its output included."""
    open_files: int = 256


def run_limited(
    arguments: Sequence[str],
    limits: Limits,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> ToolOutput:
    """Runs a program to its end and returns what it printed, at most 1 MiB of each stream.

    Nothing of it goes on when this function is left, or when this process is killed.

    Args:
        arguments: the program, as a path, and its arguments.
        limits: the most that it may use; narrower limits of this process stay.
        environment: its variables; None: as `Child`.
        folder: its working folder; None: ours.
    """
    request = {"arguments": list(arguments), **asdict(limits)}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = ToolRuns().run_kept(
            "joulemark.processes.limited",
            json.dumps(request).encode() + b"\n",
            output=output,
            errors=errors,
            folder=folder,
            environment=environment,
            timeout_s=limits.seconds,
        )
        return ToolOutput.read(code, output, errors, _MOST_OUTPUT_BYTES)


def run_shell(command: str, folder: Path, output: IO[Any]) -> int:
    """Runs a user's command, with all variables of ours and without limits; returns its exit code.

    What it left running, daemons included, has ended by then, or ends when this process is killed.
    """
    shell = shutil.which("sh")
    if shell is None:
        raise UnavailableError("there is no shell (sh) on the PATH that could run the command")
    request = {"arguments": [shell, "-c", command]}
    return ToolRuns().run_kept(
        "joulemark.processes.limited",
        json.dumps(request).encode() + b"\n",
        output=output,
        folder=folder,
        environment=os.environ,
    )


# Tasks of compilers and simulators, as many at a time as this process has CPUs.

T = TypeVar("T")
R = TypeVar("R")

Spread = Callable[[Sequence[T], Callable[[int, R], None]], None]
"""Does tasks and tells each result under the task's place; raises whatever ends all tasks."""


def do_tasks(
    tasks: Sequence[T],
    do: Callable[[T, ToolRuns], R],
    tell: Callable[[int, R], None],
    spread: Spread[T, R] | None = None,
) -> None:
    """Does all tasks, and tells each result under the task's place.

    Args:
        tasks: any number.
        do: does a task in a thread of this process; an error that ends all also ends the programs.
        tell: told each result.
        spread: does the tasks elsewhere; threads of this process unless given.
    """
    if spread is not None:
        spread(tasks, tell)
        return
    runs = ToolRuns()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool, runs.ended_on_error():
        futures = {pool.submit(do, task, runs): place for place, task in enumerate(tasks)}
        for future in as_completed(futures):
            tell(futures[future], future.result())
