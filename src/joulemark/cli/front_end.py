# SPDX-License-Identifier: Apache-2.0
"""The command line as typer makes it or, where typer is not installed, as `light` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from joulemark.cli.endings import EXIT_INTERRUPTED
from joulemark.lab import lacking

__all__ = ["EXIT_INTERRUPTED", "run"]

run: Callable[[], Any]
"""Runs the command that this process was given, and ends the process."""
try:
    from joulemark.cli.app import app
except ImportError as error:
    if lacking(error) is None:
        raise
    from joulemark.cli.light import main as run
else:
    run = partial(app, prog_name="joulemark")
