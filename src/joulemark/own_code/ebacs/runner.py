# SPDX-License-Identifier: Apache-2.0
"""A process that takes jobs from a list until none is left: `joulemark.own_code.ebacs.running`.

Several of them share the list. Foreign code runs below this process, behind keepers; when this
ends, in whatever way, all of it does. What came of a job is a line on standard output.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

from pydantic import TypeAdapter

from joulemark.own_code.ebacs.outcomes import Job, Outcome
from joulemark.own_code.ebacs.trying import tried

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
    place = Path(json.loads(sys.stdin.readline())["place"])
    jobs = (place / "jobs").read_bytes().splitlines()
    job_of, line_of = TypeAdapter(Job), TypeAdapter(Outcome)
    while (number := _next_of(place / "next")) < len(jobs):
        scratch = place / str(number)
        scratch.mkdir()
        os.chdir(scratch)  # a file that foreign code writes lies there, and goes
        outcome = tried(job_of.validate_json(jobs[number]), scratch)
        os.chdir(place)
        shutil.rmtree(scratch, ignore_errors=True)
        sys.stdout.buffer.write(b"%d " % number + line_of.dump_json(outcome) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _main()
