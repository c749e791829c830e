# SPDX-License-Identifier: Apache-2.0
"""The regime of the paper: Python calls a C program through ctypes, one HMAC per measured event."""

from __future__ import annotations

import ctypes
import gc
import hmac
import os
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from joulemark.errors import WrongOutputError
from joulemark.measure.cpus import choose_cpu
from joulemark.studies.castellon2022.library import PROGRAMS, Library

__all__ = ["KEY", "NOTHING", "measure_events"]

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
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Times single events, all programs of one size in turn, in a random order each time.

    The process is bound to one CPU and the garbage collector stands still, which the paper does
    not say of its own.

    Args:
        library: the programs.
        sizes_bytes: message lengths.
        repetitions: events of each program at each size.
        seed: of the orders.
        progress: told how many sizes of all are done.

    Returns:
        `nanoseconds`: size -> program -> wall time of each event, in the order taken.

    Raises:
        WrongOutputError: a program computed something else than HMAC-SHA256.
    """
    chance = random.Random(seed)  # noqa: S311 - an order, not a secret
    allowed = os.sched_getaffinity(0)
    chosen = choose_cpu()
    series: dict[str, dict[str, list[int]]] = {}
    collected = gc.isenabled()
    try:
        os.sched_setaffinity(0, {chosen.cpu})
        gc.disable()
        for done, size in enumerate(sizes_bytes):
            series[str(size)] = _one_size(library, size, repetitions, chance)
            if progress is not None:
                progress(done + 1, len(sizes_bytes))
    finally:
        os.sched_setaffinity(0, allowed)
        chosen.release()
        if collected:
            gc.enable()
    return {"nanoseconds": series}


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
