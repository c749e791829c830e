# SPDX-License-Identifier: Apache-2.0
"""Runs programs on files that others wrote, under limits of time, memory and files.

A compiler reads sources that none of us has seen: a macro that doubles itself takes all memory,
and an included device never ends.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from joulemark.errors import UnavailableError
from joulemark.processes.tool import ToolOutput, ToolRuns

_MOST_BYTES: Final = 1 << 20
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
    arguments: Sequence[str], limits: Limits, *, environment: Mapping[str, str] | None = None
) -> ToolOutput:
    """Runs a program to its end and returns what it printed, at most 1 MiB of each stream.

    Nothing of it goes on when this function is left, or when this process is killed.

    Args:
        arguments: the program, as a path, and its arguments.
        limits: the most that it may use; narrower limits of this process stay.
        environment: its variables; None: as `Child`.
    """
    request = {"arguments": list(arguments), **asdict(limits)}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = ToolRuns().run_kept(
            "joulemark.processes.limited",
            json.dumps(request).encode() + b"\n",
            output=output,
            errors=errors,
            environment=environment,
            timeout_s=limits.seconds,
        )
        return ToolOutput.read(code, output, errors, _MOST_BYTES)


def run_shell(command: str, folder: Path, output: IO[Any]) -> int:
    """Runs a user's command, with all variables of ours and without limits; returns its exit code.

    What it left running, daemons included, has ended by then, or ends when this process is killed.

    Args:
        command: line for the shell.
        folder: where it runs.
        output: file for its output and its errors.
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
