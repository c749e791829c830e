# SPDX-License-Identifier: Apache-2.0
"""The child process that simulates one core.

It reads one request, a line of JSON, from standard input, and writes `answer.json` in the folder
that the request names. Standard input stays open; when it ends, the parent is gone, and the whole
process group with the simulator in it ends too.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from joulemark.errors import ImplementationError, JoulemarkError, WrongOutputError
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import read_core
from joulemark.hardware.drive.accepted import length_refusal
from joulemark.hardware.drive.workload import clocks_per_message, measure_clocks
from joulemark.records.trial import Mode

__all__ = ["answer_to", "main"]

_MESSAGES = 8
"""By which two batches differ; a multiple of the stages of a pipeline, so that slots even out."""


def answer_to(request: Mapping[str, Any]) -> dict[str, Any]:
    """Clocks of every length that the core takes, and why it does not take the others."""
    core = read_core(Path(request["manifest"]))
    adapter = adapter_class(core)
    refused = {
        size: reason for size in request["lengths"] if (reason := length_refusal(adapter, size))
    }
    lengths: Sequence[int] = [size for size in request["lengths"] if size not in refused]
    clocks: list[list[Any]] = []
    if lengths:
        parameters, folder = request["parameters"], Path(request["folder"])
        found = clocks_per_message(core, parameters, lengths, folder, messages=_MESSAGES)
        keyed = bool(adapter.key_bytes)
        key_clocks = measure_clocks(core, parameters, folder).key_clocks if keyed else None
        for one in found:
            counted = {
                Mode.THROUGHPUT.value: (_MESSAGES, round(one.throughput_clocks * _MESSAGES)),
                Mode.LATENCY.value: (1, one.latency_clocks),
            }
            clocks += [
                [mode, one.message_bytes, *counted[mode], key_clocks] for mode in request["modes"]
            ]
    return {"clocks": clocks, "refused": refused}


def main() -> None:
    """One request, one answer."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer = answer_to(request)
    except JoulemarkError as error:
        wrong = isinstance(error, WrongOutputError)
        kind = "WrongOutputError" if wrong else ImplementationError.__name__
        answer = {"kind": kind, "error": str(error)}
    target = Path(request["folder"]) / "answer.json"
    part = target.with_suffix(".part")
    part.write_text(json.dumps(answer), "utf-8")
    part.replace(target)


def _end_with_parent() -> None:
    sys.stdin.read()
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
