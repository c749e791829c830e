# SPDX-License-Identifier: Apache-2.0
"""The first lines of the `joulemark` command: what must hold before anything is imported.

Imports take some tenths of a second, in which Ctrl-C would print where Python was, and a closed
standard output would give its number to the first file that is opened.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial

from joulemark.processes.cycles import search_seldom_for_cycles

__all__ = ["main"]

_HEEDED = signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""Whether Ctrl-C is not to be ignored, as in the background of some shells."""
if _HEEDED:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """The `joulemark` command."""
    search_seldom_for_cycles()
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
