# SPDX-License-Identifier: Apache-2.0
"""Takes the limits that `joulemark.processes.tool` sends, if any, and becomes a program."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

__all__: list[str] = []


def _lower(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _main() -> None:
    request = json.loads(sys.stdin.readline())
    if "seconds" in request:
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, max(1, round(request["seconds"]))),
            (resource.RLIMIT_AS, request["memory_bytes"]),
            (resource.RLIMIT_FSIZE, request["file_bytes"]),
            (resource.RLIMIT_NOFILE, request["open_files"]),
        ):
            _lower(kind, most)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # SIGXFSZ stays ignored: a full file is an error
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    arguments = request["arguments"]
    try:
        os.execv(arguments[0], arguments)  # noqa: S606 - no shell: words go as they are
    except OSError as error:
        print(f"{arguments[0]} cannot be started ({error.strerror})", file=sys.stderr, flush=True)
        os._exit(127)


if __name__ == "__main__":
    _main()
