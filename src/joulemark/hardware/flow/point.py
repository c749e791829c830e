# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep, in a separate process: `python -m joulemark.hardware.flow.point`.

The task comes as JSON on standard input, the report goes to standard output and into the cache; a
refusal is the last line on standard error.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from joulemark.errors import JoulemarkError
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.tools.scratch import scratch_folder

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that this process gets when its parent is gone."""


def main() -> int:
    """Reads the task, makes the report, and returns the exit code."""
    _end_with_parent()
    task: dict[str, Any] = json.loads(sys.stdin.read())
    asked = Flow.model_validate(task["asked"])
    try:
        core = read_core(Path(task["manifest"]))
        key = report_key(core, task["parameters"], asked)
        cache = Path(task["cache"]) if task["cache"] else None
        with scratch_folder() as folder:
            report = make_report(core, task["parameters"], asked, folder, jobs=1, cache=cache)
        ReportCache(cache).put(key, report)
    except JoulemarkError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    print(report.model_dump_json())
    return 0


def _end_with_parent() -> None:
    """Has the whole process group end when the sweep is killed."""

    def end(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
