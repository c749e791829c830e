# SPDX-License-Identifier: Apache-2.0
"""Programs that work on what others wrote, with an end to their time, memory and files.

A compiler reads sources that nobody of ours has seen: a macro that doubles itself takes all memory,
and an included device never ends.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO, Final

from joulemark.processes.tool import Said, ToolRuns

__all__ = ["Limits", "run_limited"]

_MOST_BYTES: Final = 1 << 20
"""Of what is read of each of the two that it prints."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program, and each program that it starts, may use."""

    seconds: float = 120.0
    """Of wall time, for the whole of it."""
    memory_bytes: int = 4 << 30
    """Of addresses, for each process."""
    file_bytes: int = 256 << 20
    """Of each file that it writes, its output too."""
    open_files: int = 256


def run_limited(
    arguments: Sequence[str], limits: Limits, *, environment: Mapping[str, str] | None = None
) -> Said:
    """Runs a program to its end and returns what it printed, at most 1 MiB of each stream.

    Nothing of it goes on when this is left, nor when this process is killed.

    Args:
        arguments: the program, as a path, and its arguments.
        limits: see there; those that hold for this process already are not widened.
        environment: its variables; None: ours.

    Raises:
        subprocess.TimeoutExpired: it took longer.
    """
    request = {"arguments": list(arguments), **asdict(limits)}
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = ToolRuns().run_kept(
            "joulemark.processes.limited", json.dumps(request).encode() + b"\n", output=output,
            errors=errors, environment=environment, timeout_s=limits.seconds,
        )  # fmt: skip
        return Said(code, *map(_text, (output, errors)))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_BYTES).decode("utf-8", "replace")
