# SPDX-License-Identifier: Apache-2.0
"""The child process that simulates one core.

It reads one request, a line of JSON, from standard input, and writes `answer.json` in the folder
that the request names. It is started behind a keeper (`joulemark.processes.keeper`).
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from joulemark.errors import ImplementationError, JoulemarkError, WrongOutputError
from joulemark.foreign.records import parse_json, record_from_json
from joulemark.hardware.bench.adapter import adapter_class
from joulemark.hardware.manifest import read_core
from joulemark.hardware.simulation.trial_messages import length_refusal
from joulemark.hardware.simulation.workload import clocks_per_message, measure_clocks
from joulemark.measure.cores import CountClocks, CountFailed, LengthCounts
from joulemark.records import FailureKind
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Mode

_MESSAGES = 8
"""Messages by which two batches differ: a multiple of the stages of a pipeline, so that every slot
takes as many."""


def answer_to(request: CountClocks) -> LengthCounts:
    """Clocks of every length that the core takes, and why it does not take the others."""
    core = read_core(Path(request.manifest))
    adapter = adapter_class(core)
    refused = {
        size: reason for size in request.lengths if (reason := length_refusal(adapter, size))
    }
    lengths = [size for size in request.lengths if size not in refused]
    clocks: dict[Mode, dict[int, ClockCount]] = {}
    if lengths:
        parameters, folder = request.parameters, Path(request.folder)
        found = clocks_per_message(core, parameters, lengths, folder, messages=_MESSAGES)
        keyed = bool(adapter.key_bytes)
        key_clocks = measure_clocks(core, parameters, folder).key_clocks if keyed else None
        for message_clocks in found:
            together = round(message_clocks.throughput_clocks * _MESSAGES)
            counts = {
                Mode.THROUGHPUT: ClockCount(_MESSAGES, together, key_clocks),
                Mode.LATENCY: ClockCount(1, message_clocks.latency_clocks, key_clocks),
            }
            for mode in request.modes:
                clocks.setdefault(mode, {})[message_clocks.message_bytes] = counts[mode]
    return LengthCounts(clocks, refused)


def main() -> None:
    """Reads one request and writes one answer."""
    request = record_from_json(CountClocks, parse_json(sys.stdin.readline()))
    answer: LengthCounts | CountFailed
    try:
        answer = answer_to(request)
    except JoulemarkError as error:
        wrong = isinstance(error, WrongOutputError)
        text = error.without_log if isinstance(error, ImplementationError) else str(error)
        answer = CountFailed(FailureKind.WRONG_OUTPUT if wrong else FailureKind.ERROR, text)
    target = Path(request.folder) / "answer.json"
    part = target.with_suffix(".part")
    part.write_text(json.dumps(asdict(answer)), "utf-8")
    part.replace(target)


if __name__ == "__main__":
    main()
