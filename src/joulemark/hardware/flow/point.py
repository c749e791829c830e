# SPDX-License-Identifier: Apache-2.0
"""One report, from the cache or made.

As `python -m joulemark.hardware.flow.point` it is a point of a sweep. The task comes as a line of
JSON on standard input, the report goes to standard output and into the cache; a refusal is the last
line on standard error. It is started behind a keeper (`joulemark.processes.kept`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.errors import JoulemarkError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.hardware.core.manifest import Core, read_core
from joulemark.hardware.export.circuit import Circuit
from joulemark.hardware.flow.cache import ReportCache, report_key
from joulemark.hardware.flow.characterise import make_report
from joulemark.hardware.flow.request import Flow
from joulemark.hardware.tools.scratch import scratch_folder
from joulemark.hardware.tools.wasm_tools import Say
from joulemark.records.core_report import CoreReport


@dataclass(frozen=True, slots=True)
class Task:
    """One report to be made, as JSON carries it."""

    manifest: str
    parameters: dict[str, int]
    asked: dict[str, Any]
    """Fields of a `Flow`."""
    cache: str | None
    """Folder of reports; None keeps and uses none."""


def kept_report(
    core: Core,
    parameters: Mapping[str, int],
    asked: Flow,
    folder: Path | None,
    *,
    keep: Path | None = None,
    jobs: int | None = None,
    say: Say = lambda _text: None,
    observe: Callable[[int, Circuit], None] | None = None,
) -> tuple[str, CoreReport]:
    """Takes the report from the cache, or makes it and puts it there; returns it with its key.

    The cache does not serve where the tools' files or the circuit are wanted.

    Args:
        core: the core.
        parameters: all parameters.
        asked: the request.
        folder: of reports; None keeps and uses none.
        keep: folder that keeps the tools' files.
        jobs: as for `make_report`.
        say: as for `make_report`.
        observe: as for `make_report`.
    """
    cache = ReportCache(folder)
    key = report_key(core, parameters, asked)
    found = cache.get(key) if keep is None and observe is None else None
    if found is not None:
        return key, found
    with scratch_folder(keep) as work:
        made = make_report(
            core,
            parameters,
            asked,
            work,
            jobs=jobs,
            cache=folder if keep is None else None,
            say=say,
            observe=observe,
        )
    cache.put(key, made)
    return key, made


def main() -> int:
    """Reads the task, makes the report, and returns the exit code."""
    task = record_from_json(Task, parse_json(sys.stdin.readline()))
    asked = Flow.model_validate(task.asked)
    try:
        core = read_core(Path(task.manifest))
        cache = Path(task.cache) if task.cache else None
        _, report = kept_report(core, task.parameters, asked, cache, jobs=1)
    except JoulemarkError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    print(report.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
