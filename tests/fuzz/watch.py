# SPDX-License-Identifier: Apache-2.0
"""Ends a fuzzer whose case hangs where Python runs no signal handler, and prints that case.

`python tests/fuzz/watch.py PID SECONDS` reads a line for each case on standard input. If no line
comes for SECONDS, it prints the last line and kills the process PID.
"""

from __future__ import annotations

import os
import select
import signal
import sys


def main() -> int:
    """Returns 1 if it killed the process."""
    process, limit_s = int(sys.argv[1]), float(sys.argv[2])
    last = b""
    while select.select([0], [], [], limit_s)[0]:
        more = os.read(0, 1 << 20)
        if not more:
            return 0
        last = (last + more).splitlines(keepends=True)[-1]
    print(f"hung for {limit_s:g} s: {last.decode().strip()}", file=sys.stderr, flush=True)
    os.kill(process, signal.SIGKILL)
    return 1


if __name__ == "__main__":
    sys.exit(main())
