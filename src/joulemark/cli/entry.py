# SPDX-License-Identifier: Apache-2.0
"""The first lines of the `joulemark` command: what must hold before anything is imported.

Imports take some tenths of a second, in which Ctrl-C would print where Python was, and a closed
standard output would give its number to the first file that is opened.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from functools import partial

__all__ = ["main"]

_HEEDED = signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""Whether Ctrl-C is not to be ignored, as in the background of some shells."""
if _HEEDED:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

_OBJECTS_BEFORE_A_SEARCH = 50_000
"""Imports make a hundred thousand objects that stay. Python looks for cycles among them after each
700, which takes a fifth of their time."""


def main() -> None:
    """The `joulemark` command."""
    gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH, 20, 100)
    _fill_standard_files()
    from joulemark.cli import endings  # noqa: PLC0415 - after what must hold before

    run = _front_end()
    try:
        if _HEEDED:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:  # while typer reads the declarations of the commands
        sys.exit(endings.EXIT_INTERRUPTED)


def _front_end() -> Callable[[], None]:
    """The command as typer makes it, or, where typer is not installed, what does without it."""
    from joulemark.lab import lacking  # noqa: PLC0415 - as above

    try:
        from joulemark.cli.app import app  # noqa: PLC0415 - as above
    except ImportError as error:
        if lacking(error) is None:
            raise
        from joulemark.cli import light  # noqa: PLC0415 - as above

        return light.main
    return partial(app, prog_name="joulemark")


def _fill_standard_files() -> None:
    """Opens standard files that were closed, in a way in which writing to them fails and is said.

    The lowest free number is what opening gives, so a store could become the standard output.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


if __name__ == "__main__":
    main()
