# SPDX-License-Identifier: Apache-2.0
"""JSON of a command in a file, beside the table, or on standard output, in its place."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import typer

from joulemark.cli.shared.terminal import print_json
from joulemark.errors import UsageError

_OUTPUT: Final = Path("-")

JSON_OPTION: Final[Any] = typer.Option(
    "--json", metavar="FILE", help="Write JSON to this file too; - prints it instead of the table."
)


def require_writable_json(path: Path | None) -> None:
    """Refuses a file that could not be written, before any work is done."""
    if path is None or on_output(path):
        return
    if path.is_dir():
        raise UsageError(f"--json {path} is a folder; name a file in it")
    place = path if path.exists() else path.parent
    if not place.exists():
        raise UsageError(f"--json {path}: there is no folder {place}")
    if not os.access(place, os.W_OK):
        raise UsageError(f"--json {path} cannot be written (Permission denied)")


def on_output(path: Path | None) -> bool:
    """Whether JSON goes to standard output, in place of the table."""
    return path == _OUTPUT


def write_json(path: Path | None, value: Any) -> None:
    """Writes or prints a document."""
    if path is None:
        return
    if on_output(path):
        print_json(value)
        return
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        path.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise UsageError(f"--json {path} cannot be written ({error.strerror})") from error
