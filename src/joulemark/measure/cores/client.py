# SPDX-License-Identifier: Apache-2.0
"""Starts the simulation of one core in another process, and ends it in time.

A core's adapter is code like any plugin's, and its simulator a program made from its sources: both
may crash, hang or print. They do so there, and nothing of it is taken for an answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from joulemark.errors import CrashError, HangError, ImplementationError, WrongOutputError
from joulemark.foreign.errors import ForeignError
from joulemark.foreign.json import parse_json
from joulemark.foreign.records import record_from_json
from joulemark.measure.cores.found import CoreImplementation
from joulemark.measure.cores.messages import CountClocks, CountedLengths, CountFailed
from joulemark.processes.tool import ToolRuns, ToolsStopped
from joulemark.records.failure import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode

__all__ = ["CoreSimulation", "LengthCounts"]

_LAST_WORDS = 300
"""Signs of the last line of a dead process that an error repeats."""


@dataclass(frozen=True, slots=True)
class LengthCounts:
    """What a simulation counted of the lengths that it was asked for."""

    clocks: Mapping[tuple[Mode, int], ClockCount]
    """By mode and message bytes."""
    refused: Mapping[int, str]
    """Message bytes that the core does not take -> why."""


class CoreSimulation:
    """Simulations that can be ended together, from another thread, when the run is stopped."""

    def __init__(self) -> None:
        self._runs = ToolRuns()

    def count(
        self, core: CoreImplementation, lengths: list[int], modes: list[Mode], *, limit_s: float
    ) -> LengthCounts:
        """Builds the core, feeds it messages of these lengths, and checks every output.

        Raises:
            ImplementationError: it does not compile, gives a wrong output, crashes or hangs; or
                `stop` was called.
        """
        # What was killed may still be ending while its files are removed.
        with tempfile.TemporaryDirectory(
            prefix="joulemark-core-", ignore_cleanup_errors=True
        ) as folder:
            request = CountClocks(
                str(core.manifest), dict(core.parameters), tuple(lengths), tuple(modes), folder
            )
            return _counted(self._answer(request, limit_s))

    def stop(self) -> None:
        """Ends every simulation that runs; each then raises, and none can be started."""
        self._runs.stop()

    def _answer(self, request: CountClocks, limit_s: float) -> CountedLengths | CountFailed:
        log, answer = (Path(request.folder) / name for name in ("job.log", "answer.json"))
        try:
            with log.open("w", encoding="utf-8") as output:
                code = self._runs.run_kept(
                    "joulemark.measure.cores.job",
                    json.dumps(asdict(request)).encode() + b"\n",
                    output=output,
                    environment={**os.environ, "PYTHONPATH": _python_path()},
                    timeout_s=limit_s,
                )
        except subprocess.TimeoutExpired:
            raise HangError(f"its simulation gave nothing within {limit_s:g} s") from None
        except ToolsStopped:
            raise ImplementationError("the run was stopped") from None
        if not answer.exists():
            said = log.read_text("utf-8", "replace").split("\n")
            words = next((line.strip() for line in reversed(said) if line.strip()), "")
            tail = f": {words[-_LAST_WORDS:]}" if words else ""
            raise CrashError(f"its simulation ended with exit code {code}{tail}")
        try:
            found = parse_json(answer.read_bytes())
            if isinstance(found, dict) and "error" in found:
                return record_from_json(CountFailed, found)
            return record_from_json(CountedLengths, found)
        except ForeignError as error:
            raise CrashError(f"its simulation gave an answer that is none ({error})") from None


def _python_path() -> str:
    """So that the job finds what this process has imported."""
    return os.pathsep.join(path for path in sys.path if path)


def _counted(answer: CountedLengths | CountFailed) -> LengthCounts:
    if isinstance(answer, CountFailed):
        wrong = answer.kind is FailureKind.WRONG_OUTPUT
        raise (WrongOutputError if wrong else ImplementationError)(answer.error)
    return LengthCounts(
        {(clock.mode, clock.size_bytes): clock.count for clock in answer.clocks}, answer.refused
    )
