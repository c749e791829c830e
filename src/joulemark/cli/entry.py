# SPDX-License-Identifier: Apache-2.0
"""The first lines of the `joulemark` command: what must hold before anything is imported.

Imports take some tenths of a second, in which Ctrl-C would print where Python was, and a closed
standard output would give its number to the first file that is opened.
"""

from __future__ import annotations

import os
import signal
import stat
import sys

from joulemark.processes import search_seldom_for_cycles

_HEEDED = signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""Whether Ctrl-C ends this process. Some shells have their background commands ignore it."""
if _HEEDED:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """The `joulemark` command."""
    search_seldom_for_cycles()
    # Whatever the user's mask: plugins, caches and stores that all users may write would let any of
    # them run code here.
    os.umask(os.umask(0o022) | stat.S_IWOTH)
    _fill_standard_files()
    from joulemark.cli.table import front_end  # noqa: PLC0415 - after what must hold before

    try:
        if _HEEDED:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        front_end(sys.argv[1] if len(sys.argv) > 1 else "").run()
    except KeyboardInterrupt:  # while typer reads the declarations of the commands
        sys.exit(128 + signal.SIGINT)


def _fill_standard_files() -> None:
    """Opens standard files that were closed, so that writing to them fails and is reported.

    A file that is opened gets the lowest free number: a store could become the standard output.
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
