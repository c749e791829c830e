# SPDX-License-Identifier: Apache-2.0
"""A process that takes jobs from a list until none is left; `running` starts several of them.

They share the list. Foreign code runs below this process, behind keepers, and ends with it, however
that ends. The outcome of a job is a line on standard output.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

from pydantic import TypeAdapter

from joulemark.own_code.ebacs.outcomes import BuildJob, BuildOutcome
from joulemark.own_code.ebacs.trying import try_job

__all__: list[str] = []


def _next_of(counter: Path) -> int:
    """The number of the next job, which no other process gets."""
    descriptor = os.open(counter, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        number = int(os.pread(descriptor, 32, 0) or b"0")
        os.pwrite(descriptor, b"%d" % (number + 1), 0)
    finally:
        os.close(descriptor)
    return number


def _main() -> None:
    folder = Path(json.loads(sys.stdin.readline())["folder"])
    lines = (folder / "jobs").read_bytes().splitlines()
    jobs, outcomes = TypeAdapter(BuildJob), TypeAdapter(BuildOutcome)
    while (number := _next_of(folder / "next")) < len(lines):
        scratch = folder / str(number)
        scratch.mkdir()
        os.chdir(scratch)  # files that foreign code writes lie there, and are removed
        outcome = try_job(jobs.validate_json(lines[number]), scratch)
        os.chdir(folder)
        shutil.rmtree(scratch, ignore_errors=True)
        sys.stdout.buffer.write(b"%d " % number + outcomes.dump_json(outcome) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
