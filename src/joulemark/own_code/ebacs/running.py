# SPDX-License-Identifier: Apache-2.0
"""Many builds on all CPU cores, in processes that end with us."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from pydantic import TypeAdapter

from joulemark.measure.worker.sources import workshop
from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome, BuildVerdict
from joulemark.own_code.ebacs.trying import outcome_of
from joulemark.processes.tool import ToolRuns

_RUNNER: Final = "joulemark.own_code.ebacs.runner"
_LOOK_S: Final = 0.05


def run_jobs(
    jobs: Sequence[BuildJob],
    folder: Path,
    report: Callable[[BuildJob, BuildOutcome], None],
    processes: int,
) -> None:
    """Runs every job, and reports each outcome as soon as it is known.

    Args:
        jobs: jobs in the order in which they begin.
        folder: folder of plugins.
        report: called in this thread.
        processes: number of processes that work at a time.
    """
    if not jobs:
        return
    line = TypeAdapter(BuildJob)
    with workshop(folder) as scratch, ExitStack() as files:
        (scratch / "jobs").write_bytes(b"".join(line.dump_json(job) + b"\n" for job in jobs))
        outputs = [
            files.enter_context(tempfile.TemporaryFile()) for _ in range(min(processes, len(jobs)))
        ]
        lines = _Lines(outputs)
        left = dict(enumerate(jobs))

        def report_new() -> None:
            for number, outcome in lines.new():
                report(left.pop(number), outcome)

        codes: list[int] = []
        try:
            codes = _run(scratch, outputs, report_new)
        finally:
            report_new()
        for job in left.values():
            report(
                job, outcome_of(job, BuildVerdict.FAILS, f"its process ended (exit codes {codes})")
            )


def _run(folder: Path, outputs: Sequence[IO[bytes]], look: Callable[[], None]) -> list[int]:
    runs = ToolRuns()
    first = json.dumps({"folder": str(folder)}).encode() + b"\n"
    with ThreadPoolExecutor(len(outputs)) as pool, runs.ended_on_error():
        running: list[Future[int]] = [
            pool.submit(runs.run_kept, _RUNNER, first, output=output, errors=None)
            for output in outputs
        ]
        while not all(future.done() for future in running):
            time.sleep(_LOOK_S)
            look()
    return [future.result() for future in running]


class _Lines:
    """Whole lines of files that other processes write."""

    def __init__(self, files: Sequence[IO[bytes]]) -> None:
        self._read: Mapping[IO[bytes], bytearray] = {file: bytearray() for file in files}
        self._at = dict.fromkeys(files, 0)
        self._outcome = TypeAdapter(BuildOutcome)

    def new(self) -> Iterator[tuple[int, BuildOutcome]]:
        """Outcomes since the last call; other lines, such as a warning of Python, are left out."""
        for file, pending in self._read.items():
            while chunk := os.pread(file.fileno(), 1 << 16, self._at[file]):
                self._at[file] += len(chunk)
                pending.extend(chunk)
            *lines, rest = bytes(pending).split(b"\n")
            pending[:] = rest
            for line in lines:
                number, _, text = line.partition(b" ")
                if number.isdigit() and text:
                    yield int(number), self._outcome.validate_json(text)
