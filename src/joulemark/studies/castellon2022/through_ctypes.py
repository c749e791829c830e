# SPDX-License-Identifier: Apache-2.0
"""The regime of the paper: Python calls a C program through ctypes, one HMAC per measured event.

The paper took its 1000 events in one process, whose layout in memory is then part of every one of
them. Here they are shared out among several processes, started one after the other, so that what
one layout does can be told from what the program does.
"""

from __future__ import annotations

import ctypes
import gc
import hmac
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from joulemark.errors import CrashError, JoulemarkError, WrongOutputError
from joulemark.processes.child import module_command
from joulemark.processes.tool import ask_tool
from joulemark.studies.castellon2022.library import PROGRAMS, Library

__all__ = ["KEY", "NOTHING", "PROCESSES", "main", "measure_events"]

PROCESSES: Final = 10
"""As many as the harness has process generations."""

NOTHING = "nothing"
"""A function with the same arguments that does no work: the crossing alone."""
KEY = bytes(range(32))
_WARM_UP = 50


def measure_events(
    library: Library,
    sizes_bytes: Sequence[int],
    repetitions: int,
    *,
    seed: int = 2022,
    processes: int = PROCESSES,
) -> dict[str, Any]:
    """Times single events, all programs of one size in turn, in a random order each time.

    Each process is bound to one CPU and its garbage collector stands still, which the paper does
    not say of its own.

    Args:
        library: the programs.
        sizes_bytes: message lengths.
        repetitions: events of each program at each size, shared out among the processes.
        seed: of the orders.
        processes: at most; never more than repetitions.

    Returns:
        `nanoseconds`: size -> program -> wall time of each event, in the order taken; `processes`:
        number of the process of each event, the same for all programs and sizes.

    Raises:
        WrongOutputError: a program computed something else than HMAC-SHA256.
        CrashError: a process ended without an answer.
    """
    from joulemark.measure.cpus import choose_cpu  # noqa: PLC0415 - slow; not needed by a child

    chosen = choose_cpu()
    series: dict[str, dict[str, list[int]]] = {}
    labels: list[int] = []
    count = min(processes, repetitions)
    try:
        for number in range(count):
            share = repetitions // count + (number < repetitions % count)
            taken = _one_process(
                {"library": str(library.path), "sizes_bytes": list(sizes_bytes),
                 "repetitions": share, "seed": seed + number, "cpu": chosen.cpu}
            )  # fmt: skip
            for size, programs in taken.items():
                for name, values in programs.items():
                    series.setdefault(size, {}).setdefault(name, []).extend(values)
            labels += [number] * share
    finally:
        chosen.release()
    return {"nanoseconds": series, "processes": labels}


def _one_process(asked: dict[str, Any]) -> dict[str, dict[str, list[int]]]:
    """The events of one process: size -> program -> wall times."""
    said = ask_tool(module_command(__name__), reads=json.dumps(asked))
    try:
        answer: dict[str, Any] = json.loads(said.output)
    except ValueError:
        words = said.errors.strip().splitlines()
        raise CrashError(
            f"a process of the events through ctypes ended with exit code {said.code}",
            words[-1] if words else "",
        ) from None
    if "error" in answer:
        raise WrongOutputError(answer["error"])
    found: dict[str, dict[str, list[int]]] = answer["nanoseconds"]
    return found


def main() -> None:
    """One process: a question on standard input, an answer on standard output, both JSON."""
    asked = json.load(sys.stdin)
    chance = random.Random(asked["seed"])  # noqa: S311 - an order, not a secret
    os.sched_setaffinity(0, {asked["cpu"]})
    gc.disable()
    try:
        library = Library(Path(asked["library"]))
        answer: dict[str, Any] = {
            "nanoseconds": {
                str(size): _one_size(library, size, asked["repetitions"], chance)
                for size in asked["sizes_bytes"]
            }
        }
    except JoulemarkError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


def _one_size(
    library: Library, size_bytes: int, repetitions: int, chance: random.Random
) -> dict[str, list[int]]:
    message = chance.randbytes(size_bytes)
    check_programs(library, message)
    names = [*PROGRAMS, NOTHING]
    calls = {name: library.function(name) for name in names}
    tag = ctypes.create_string_buffer(32)
    taken: dict[str, list[int]] = {name: [] for name in names}
    clock = time.perf_counter_ns
    for repetition in range(-_WARM_UP, repetitions):
        chance.shuffle(names)
        for name in names:
            call = calls[name]
            begin = clock()
            call(KEY, 32, message, size_bytes, tag)
            wall_ns = clock() - begin
            if repetition >= 0:
                taken[name].append(wall_ns)
    check_programs(library, message)
    return taken


def check_programs(library: Library, message: bytes) -> None:
    """Holds every program to Python's own hmac.

    Raises:
        WrongOutputError: one disagrees.
    """
    expected = hmac.digest(KEY, message, "sha256")
    for name in PROGRAMS:
        if library.tag(name, KEY, message) != expected:
            raise WrongOutputError(
                f"the program {name} of castellon2022 computes no HMAC-SHA256 of a message of "
                f"{len(message)} bytes; nothing of it is timed"
            )


if __name__ == "__main__":
    main()
