# SPDX-License-Identifier: Apache-2.0
"""Runs the command line on damaged files: `python tests/fuzz/fuzz.py --seconds 3600`.

Every case must end with an exit code for the fault of the file: never with 70, which is a fault of
ours, never with a traceback; a refusal is one sentence, no control character reaches the terminal,
and time and memory stay bounded. A case that fails is printed with the command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import typer.main
import typer.testing
from subjects import Subjects
from typer.testing import CliRunner

from joulemark.cli.app import app
from joulemark.errors import UsageError
from joulemark.hardware.flow import points, testing
from joulemark.hardware.simulation.driving import ZEROS, BatchAnswer, PlanAnswer

# Reading the declarations of all commands takes half the time of a case.
vars(typer.testing)["_get_command"] = cache(typer.main.get_command)

LONGEST_S = 20.0
"""CPU time of a command; wall time depends on what else the machine does."""
HANG_S = 300
"""Wall time after which a case is given up, and counts as failed."""
STUCK_S = HANG_S + 60
"""Wall time after which the run is ended from outside: no signal handler was run, for instance in a
library's own loop."""
MOST_BYTES = 2 << 30
_READ = "read to its end"
_ANSWERS = {"check": {0, 1, 2, 3, 4, 5}, "core run": {0, 1, 2}}
"""Exit codes of commands that have others than those for done and refused."""


def _only_read(core: Any, _parameters: Any, asked: Any, *_rest: Any, **_more: Any) -> NoReturn:
    """Stands in for the tools, which take minutes: reads the files that a report reads first."""
    from joulemark.hardware.bench.adapter import adapter_class

    if asked.liberty is None:
        adapter_class(core)
    else:
        _look_at(asked.liberty)
    raise UsageError(_READ)


def _answers(
    _core: Any, _parameters: Any, _folder: Any, _program: Any, plan: Any, **_more: Any
) -> PlanAnswer:
    """Stands in for a simulation: every message has the same result."""
    batch_answer = BatchAnswer(0, 1, (), (), (b"",), (bytes(20),), (bytes(20),), 0)
    return PlanAnswer((batch_answer,) * len(plan), None, 0, ZEROS, {})


def _look_at(path: Path) -> None:
    from joulemark.hardware.liberty import truth_table
    from joulemark.hardware.liberty.reader import read_library
    from joulemark.hardware.synthesis.asic import nand2_area_um2

    found = read_library(path)
    nand2_area_um2(found)
    for area in (0.0, 100.0, 1e6):
        if load := found.wire_load(area):
            load.load(3)
    for cell in found.cells.values():
        names = [pin.name for pin in cell.inputs()]
        for pin in cell.pins.values():
            if pin.function and len(names) < 12 and cell.storage is None:
                truth_table(pin.function, names)
            for arc in pin.arcs:
                for table in (*arc.delay.values(), *arc.transition.values()):
                    table.at(0.03, 0.01)
            for energy in pin.energies:
                for table in energy.edges.values():
                    table.at(0.03, 0.01)


class HungError(BaseException):
    """A case took too long. No Exception, so that no command takes it for one of its own."""


def _give_up(*_: object) -> NoReturn:
    raise HungError


@contextmanager
def watched() -> Iterator[Callable[[str], None]]:
    """Yields a function that is told each case as it begins; a case that hangs is printed."""
    words = [
        sys.executable,
        str(Path(__file__).with_name("watch.py")),
        str(os.getpid()),
        str(STUCK_S),
    ]
    before = signal.signal(signal.SIGALRM, _give_up)
    with subprocess.Popen(words, stdin=subprocess.PIPE) as watcher:
        assert watcher.stdin is not None

        def begin(case: str) -> None:
            assert watcher.stdin is not None
            watcher.stdin.write(f"{case}\n".encode("utf-8", "replace"))
            watcher.stdin.flush()
            signal.alarm(HANG_S)

        try:
            yield begin
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
            watcher.stdin.close()


def complaint(case: list[str], result: Any, took_s: float) -> str | None:
    """The fault in how a command ended, or None."""
    allowed = _ANSWERS.get(" ".join(case[:2]), _ANSWERS.get(case[0], {0, 2}))
    said = result.stderr
    lines = said.splitlines()
    if result.exit_code not in allowed:
        return f"exit code {result.exit_code}: {said.strip()[:300]!r}"
    if result.exit_code == 2 and len(lines) != 1:
        return f"{len(lines)} lines for one refusal: {said[:300]!r}"
    if result.exit_code == 2 and len(said) > 1500:
        return f"a sentence of {len(said)} characters: {said[:300]!r}"
    for stream in (said, result.stdout):
        controls = {
            sign for sign in stream
            if not sign.isprintable() and sign not in "\n\r\t"
            and unicodedata.category(sign) != "Zs"
        }  # fmt: skip
        if controls:
            return f"control characters {sorted(map(hex, map(ord, controls)))} on the terminal"
    if took_s > LONGEST_S:
        return f"{took_s:.0f} s"
    return None


def run_cases(
    names: list[str], seed: int, *, seconds: float | None, cases: int | None, first: int = 0,
) -> tuple[Counter[str], list[str]]:  # fmt: skip
    """Runs cases of each subject in turn until the time is up or their number is reached.

    Returns:
        How often each exit code came, by subject; and what failed, a line each.
    """
    counts: Counter[str] = Counter()
    failed: list[str] = []
    runner = CliRunner()
    real = points.make_report, testing.compile_core, testing.drive
    points.make_report = _only_read
    testing.compile_core = lambda *_arguments: Path("nothing")
    testing.drive = _answers
    end_s = time.monotonic() + seconds if seconds is not None else float("inf")
    try:
        with tempfile.TemporaryDirectory(prefix="joulemark-fuzz-") as folder, watched() as begin:
            subjects = Subjects(Path(folder))
            number = first
            while time.monotonic() < end_s and (cases is None or number < first + cases):
                for name in names:
                    work = subjects.clear()
                    line = subjects.by_name[name](random.Random(f"{seed}/{name}/{number}"))
                    repeat = (
                        f"repeat with: python tests/fuzz/fuzz.py --subject {name} --seed {seed} "
                        f"--first {number} --cases 1"
                    )
                    with chdir(work):
                        began_s = time.process_time()
                        begin(f"{name}: {' '.join(line)}; {repeat}")
                        try:
                            result = runner.invoke(app, line, prog_name="joulemark")
                            ended = str(result.exit_code)
                            wrong = complaint(line, result, time.process_time() - began_s)
                        except HungError:
                            ended, wrong = "hung", f"no end after {HANG_S} s"
                        finally:
                            signal.alarm(0)
                    counts[f"{name} {ended}"] += 1
                    if wrong:
                        failed.append(f"{name}: {' '.join(line)}: {wrong}; {repeat}")
                        print(failed[-1], flush=True)
                number += 1
    finally:
        points.make_report, testing.compile_core, testing.drive = real
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if used > MOST_BYTES:
        failed.append(f"{used / 2**30:.1f} GiB of memory")
    return counts, failed


NAMES = [
    "store-bytes", "store-values", "baselines", "libraries", "manifests", "vectors", "meter-trees",
    "meter-streams",
]  # fmt: skip


def main() -> int:
    """Returns 1 where a case failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--subject", action="append", choices=NAMES)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--cases", type=int, default=None)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    os.environ.pop("JOULEMARK_STORE", None)
    os.environ.pop("JOULEMARK_DEBUG", None) if given.cases != 1 else None
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    seconds = 60.0 if given.seconds is None and given.cases is None else given.seconds
    print(f"seed {seed}", flush=True)
    counts, failed = run_cases(
        given.subject or NAMES, seed, seconds=seconds, cases=given.cases, first=given.first
    )
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    print(f"{len(failed)} of {counts.total()} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
