# SPDX-License-Identifier: Apache-2.0
"""The regime of the paper: Python calls a C program through ctypes, one HMAC per measured event.

The paper took its 1000 events in one process, whose layout in memory is then part of every event.
Here the events are shared out among several processes, started one after the other, so that the
effect of a layout can be told from that of the program.
"""

from __future__ import annotations

import ctypes
import gc
import hmac
import json
import os
import random
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from joulemark.catalogue import data_folder
from joulemark.errors import CrashError, JoulemarkError, UnavailableError, WrongOutputError
from joulemark.judging import FEWEST_CLEAN, window_was_interrupted
from joulemark.processes.child import module_command
from joulemark.processes.tool import ask_tool

# The paper's two programs as C functions, called through ctypes as its authors called theirs. Each
# is there with two fillings, since the paper does not say how its programs fill their chunks.

VISITING: Final = {"standard": 0, "ecm_j1": 1, "ecm_j8": 8}
"""Programs filled byte by byte -> jump; the standard program, which has no page table, has 0."""
PROGRAMS: Final = (*VISITING, "standard_chunks", "ecm_chunks_j1", "ecm_chunks_j8")
"""These, and the same programs with copies of whole chunks."""

_TAG_BYTES: Final = 32


class CastellonLibrary:
    """`libcastellon2022.so`, as installed with Joulemark (bindings/castellon2022/called.c).

    Args:
        path: another shared object than the installed one.

    Raises:
        UnavailableError: the shared object is not there or cannot be loaded.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_folder("libraries") / "libcastellon2022.so"
        try:
            self._library = ctypes.CDLL(str(self.path))
        except OSError as error:
            raise UnavailableError(
                f"the paper's programs cannot be loaded ({error}); run make setup to build them"
            ) from error
        text, address, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
        for name in (*PROGRAMS, "nothing"):
            self.function(name).argtypes = [text, size, text, size, text]
        self._visit = self._library.castellon2022_visit
        self._visit.argtypes = [size, text, size, address, size, address, size, text]
        self._read = self._library.castellon2022_read
        self._read.argtypes = [address, size, address, size]
        self._read.restype = ctypes.c_uint64

    def function(self, name: str) -> ctypes._NamedFuncPointer:
        """Returns a program, or `nothing`, of (key, key bytes, message, message bytes, tag)."""
        program: ctypes._NamedFuncPointer = getattr(self._library, f"castellon2022_{name}")
        return program

    def tag(self, name: str, key: bytes, message: bytes) -> bytes:
        """Computes one HMAC by the named program."""
        tag = ctypes.create_string_buffer(_TAG_BYTES)
        self.function(name)(key, len(key), message, len(message), tag)
        return tag.raw

    def visit(
        self, name: str, key: bytes, buffer: int, message_bytes: int, offsets: int, count: int
    ) -> bytes:
        """Tags messages in a buffer one after the other, and returns the xor of their tags.

        Args:
            name: a program of `VISITING`.
            key: the key, which is set up once.
            buffer: address of the buffer.
            message_bytes: length of each message.
            offsets: address of `count` byte offsets, each 8 bytes, all within the buffer.
            count: number of messages.
        """
        mixed = ctypes.create_string_buffer(_TAG_BYTES)
        self._visit(VISITING[name], key, len(key), buffer, message_bytes, offsets, count, mixed)
        return mixed.raw

    def read(self, buffer: int, message_bytes: int, offsets: int, count: int) -> int:
        """Reads the same messages in the same order without hashing, and returns the sum of it."""
        total: int = self._read(buffer, message_bytes, offsets, count)
        return total


PROCESSES: Final = 10
"""As many processes as the harness has generations."""

NOTHING = "nothing"
"""A function with the same arguments that does no work, by which the crossing alone is timed."""
KEY = bytes(range(32))
_WARM_UP = 50


def measure_events(
    library: CastellonLibrary,
    sizes_bytes: Sequence[int],
    repetitions: int,
    *,
    cpu: int,
    seed: int = 2022,
    processes: int = PROCESSES,
) -> dict[str, Any]:
    """Times single events, all programs of one size in turn, in a random order each time.

    Each process is bound to the CPU and its garbage collector stands still, which the paper does
    not say of its process. Turns that another thread interrupted are taken again (`undisturbed`).

    Args:
        library: the programs.
        sizes_bytes: message lengths.
        repetitions: events of each program at each size, shared out among the processes.
        cpu: to which every process is bound.
        seed: seed of the orders.
        processes: the most processes; there are never more than repetitions.

    Returns:
        `nanoseconds`: size -> program -> wall time of each event, in the order taken; `processes`:
        size -> number of the process of each event, the same for all programs; `interrupted`:
        number of turns that were interrupted, all sizes together.
    """
    series: dict[str, dict[str, list[int]]] = {}
    labels: dict[str, list[int]] = {}
    interrupted = 0
    count = min(processes, repetitions)
    for number in range(count):
        share = repetitions // count + (number < repetitions % count)
        answer = _measure_in_process(
            {
                "library": str(library.path),
                "sizes_bytes": list(sizes_bytes),
                "repetitions": share,
                "seed": seed + number,
                "cpu": cpu,
            }
        )
        for size, programs in answer["nanoseconds"].items():
            for name, values in programs.items():
                series.setdefault(size, {}).setdefault(name, []).extend(values)
            labels.setdefault(size, []).extend([number] * len(programs[NOTHING]))
        interrupted += answer["interrupted"]
    return {"nanoseconds": series, "processes": labels, "interrupted": interrupted}


def _measure_in_process(question: dict[str, Any]) -> dict[str, Any]:
    """Returns the events of one process, as `measure_events` returns those of all."""
    process = ask_tool(module_command(__name__), reads=json.dumps(question))
    try:
        answer: dict[str, Any] = json.loads(process.output)
    except ValueError:
        words = process.errors.strip().splitlines()
        raise CrashError(
            f"a process of the events through ctypes ended with exit code {process.code}",
            words[-1] if words else "",
        ) from None
    if "error" in answer:
        raise WrongOutputError(answer["error"])
    return answer


def main() -> None:
    """Runs one process: reads a question from standard input, and prints an answer, both JSON."""
    question = json.load(sys.stdin)
    chance = random.Random(question["seed"])  # noqa: S311 - an order, not a secret
    os.sched_setaffinity(0, {question["cpu"]})
    gc.disable()
    try:
        library = CastellonLibrary(Path(question["library"]))
        taken = {
            str(size): _time_events(library, size, question["repetitions"], chance)
            for size in question["sizes_bytes"]
        }
        answer: dict[str, Any] = {
            "nanoseconds": {
                size: {
                    name: [turn.times_ns[name] for turn in stand] for name in (*PROGRAMS, NOTHING)
                }
                for size, turns in taken.items()
                for stand in [undisturbed(turns)]
            },
            "interrupted": sum(turn.interrupted for turns in taken.values() for turn in turns),
        }
    except JoulemarkError as error:
        answer = {"error": str(error)}
    json.dump(answer, sys.stdout)


# Which turns figures stand on, by the harness's rule for windows that were interrupted. A turn has
# one event of each program, so that the decision is one for all programs.


@dataclass(frozen=True, slots=True)
class EventTurn:
    """One event of each program, and whether another thread took the CPU while they ran."""

    times_ns: dict[str, int]
    """Program -> wall time of its event."""
    interrupted: bool


RETAKES: Final = 3
"""Most turns that are taken beyond the wanted ones, by their number, as in the harness."""


def undisturbed(turns: Sequence[EventTurn]) -> list[EventTurn]:
    """Returns the turns that nothing interrupted; all of them if those are too few."""
    clean = [turn for turn in turns if not turn.interrupted]
    return clean if len(clean) >= min(FEWEST_CLEAN, len(turns)) else list(turns)


def _time_events(
    library: CastellonLibrary, size_bytes: int, repetitions: int, chance: random.Random
) -> list[EventTurn]:
    """Takes turns at one size until enough were not interrupted."""
    message = chance.randbytes(size_bytes)
    check_programs(library, message)
    names = [*PROGRAMS, NOTHING]
    calls = {name: library.function(name) for name in names}
    tag = ctypes.create_string_buffer(32)
    clock, cpu_clock = time.perf_counter_ns, time.thread_time_ns

    def turn() -> EventTurn:
        chance.shuffle(names)
        times = {}
        before = resource.getrusage(resource.RUSAGE_THREAD)
        cpu_ns, wall_ns = cpu_clock(), clock()
        for name in names:
            call = calls[name]
            begin = clock()
            call(KEY, 32, message, size_bytes, tag)
            times[name] = clock() - begin
        wall_ns, cpu_ns = clock() - wall_ns, cpu_clock() - cpu_ns
        after = resource.getrusage(resource.RUSAGE_THREAD)
        interrupted = window_was_interrupted(
            wall_ns, cpu_ns, after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw
        )
        return EventTurn(times, interrupted)

    for _ in range(_WARM_UP):
        turn()
    turns: list[EventTurn] = []
    wanting = repetitions
    while wanting and len(turns) < (1 + RETAKES) * repetitions:
        turns.append(turn())
        wanting -= not turns[-1].interrupted
    check_programs(library, message)
    return turns


def check_programs(library: CastellonLibrary, message: bytes) -> None:
    """Checks that every program gives the tag of Python's hmac."""
    expected = hmac.digest(KEY, message, "sha256")
    for name in PROGRAMS:
        if library.tag(name, KEY, message) != expected:
            raise WrongOutputError(
                f"the program {name} of castellon2022 computes no HMAC-SHA256 of a message of "
                f"{len(message)} bytes; nothing of it is timed"
            )


if __name__ == "__main__":
    main()
