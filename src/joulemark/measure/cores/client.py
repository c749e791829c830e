# SPDX-License-Identifier: Apache-2.0
"""Simulates one core in another process, which is ended in time.

A core's adapter is code like any plugin's, and its simulator is a program made from its sources:
both may crash, hang or print. They do so in that process, and no output of theirs is taken for an
answer.
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
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.foreign.text import ForeignError
from joulemark.measure.cores.found import CoreImplementation
from joulemark.measure.cores.messages import CountClocks, CountedLengths, CountFailed
from joulemark.processes.tool import ToolRuns, ToolsStopped
from joulemark.processes.variables import named_variables
from joulemark.records.failure import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode

_LAST_WORDS = 300
"""Most characters of a dead process's last line that an error repeats."""


@dataclass(frozen=True, slots=True)
class LengthCounts:
    """The clocks of a simulation for the lengths that were asked for."""

    clocks: Mapping[tuple[Mode, int], ClockCount]
    """Clocks by mode and message bytes."""
    refused: Mapping[int, str]
    """Message bytes that the core does not take -> why."""


def simulate_core(
    core: CoreImplementation,
    lengths: list[int],
    modes: list[Mode],
    runs: ToolRuns,
    *,
    limit_s: float,
) -> LengthCounts:
    """Builds the core, feeds it messages of these lengths, and checks every output.

    Args:
        core: with its parameters.
        lengths: bytes of the messages.
        modes: any.
        runs: by which another thread can end the simulation.
        limit_s: seconds after which the simulation counts as hung.
    """
    # Killed processes may still be ending while their files are removed.
    with tempfile.TemporaryDirectory(
        prefix="joulemark-core-", ignore_cleanup_errors=True
    ) as folder:
        request = CountClocks(
            str(core.manifest), dict(core.parameters), tuple(lengths), tuple(modes), folder
        )
        answer = _answer(request, runs, limit_s)
    if isinstance(answer, CountFailed):
        wrong = answer.kind is FailureKind.WRONG_OUTPUT
        raise (WrongOutputError if wrong else ImplementationError)(answer.error)
    return LengthCounts(
        {(clock.mode, clock.size_bytes): clock.count for clock in answer.clocks}, answer.refused
    )


def _answer(request: CountClocks, runs: ToolRuns, limit_s: float) -> CountedLengths | CountFailed:
    log, answer = (Path(request.folder) / name for name in ("job.log", "answer.json"))
    try:
        with log.open("w", encoding="utf-8") as output:
            code = runs.run_kept(
                "joulemark.measure.cores.job",
                json.dumps(asdict(request)).encode() + b"\n",
                output=output,
                # The job finds the modules that this process has imported.
                environment=named_variables(
                    {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
                ),
                timeout_s=limit_s,
            )
    except subprocess.TimeoutExpired:
        raise HangError(f"its simulation gave nothing within {limit_s:g} s") from None
    except ToolsStopped:
        raise ImplementationError("the run was stopped") from None
    if not answer.exists():
        lines = log.read_text("utf-8", "replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        tail = f": {words[-_LAST_WORDS:]}" if words else ""
        raise CrashError(f"its simulation ended with exit code {code}{tail}")
    try:
        found = parse_json(answer.read_bytes())
        if isinstance(found, dict) and "error" in found:
            return record_from_json(CountFailed, found)
        return record_from_json(CountedLengths, found)
    except ForeignError as error:
        raise CrashError(f"its simulation gave an answer that is none ({error})") from None
