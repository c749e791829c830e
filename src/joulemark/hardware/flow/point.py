# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep, in a separate process: `python -m joulemark.hardware.flow.point`.

The task comes as a line of JSON on standard input, the report goes to standard output and into the
cache; a refusal is the last line on standard error. It is started behind a keeper
(`joulemark.processes.kept`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.errors import JoulemarkError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.tools.scratch import scratch_folder


@dataclass(frozen=True, slots=True)
class Task:
    """One report to be made, as JSON carries it."""

    manifest: str
    parameters: dict[str, int]
    asked: dict[str, Any]
    """Fields of a `Flow`."""
    cache: str | None
    """Folder of reports; None keeps and uses none."""


def main() -> int:
    """Reads the task, makes the report, and returns the exit code."""
    task = record_from_json(Task, parse_json(sys.stdin.readline()))
    asked = Flow.model_validate(task.asked)
    try:
        core = read_core(Path(task.manifest))
        key = report_key(core, task.parameters, asked)
        cache = Path(task.cache) if task.cache else None
        with scratch_folder() as folder:
            report = make_report(core, task.parameters, asked, folder, jobs=1, cache=cache)
        ReportCache(cache).put(key, report)
    except JoulemarkError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    print(report.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
