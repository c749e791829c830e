# SPDX-License-Identifier: Apache-2.0
"""The regime that the paper argues with: messages in DRAM, visited in orders kind to banks or not.

Little can be known of banks from user space. A program sees virtual addresses. Within a page of
4 KiB, or with luck of 2 MiB, they agree with physical addresses. Linux, and under a virtual machine
the hypervisor, place pages as they like, and /proc/self/pagemap hides the places. The memory
controller chooses channel, rank and bank by physical bits. Its choice is mostly undocumented, and
usually a hash of row bits that is made to defeat strides like ours. So the orders below are kind or
hostile under the simplest mapping (rows of 8 KiB, row r in bank r mod 16), and a measured
difference between them shows the cost of order in DRAM: pages, TLB, prefetchers and banks together.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joulemark.errors import UnavailableError, WrongOutputError
from joulemark.measure.quiet import choose_cpu
from joulemark.studies.castellon2022.through_ctypes import KEY, PROGRAMS, CastellonLibrary

ROW_BYTES: Final = 8192
"""A usual size of a DRAM row across the devices of one rank (JEDEC DDR3 and DDR4: 1 KiB pages
times eight devices)."""
_BANKS: Final = 16
ORDERS: Final = ("sequential", "row by row", "same bank", "random")
"""Orders of visits: as in memory; to the next row and so the next bank; to the row behind 16 others
and so the same bank; to any place."""
READ: Final = "read"
"""Name of the visits that read one word of each line, and hash nothing."""
_STRIDES: Final = {"row by row": ROW_BYTES, "same bank": ROW_BYTES * _BANKS}
_FILL_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class VisitEffort:
    """How much is visited."""

    rounds: int = 20
    window_bytes: int = 1 << 20
    """Length of all messages of one sample together."""


def offsets_of(
    order: str, begin: int, count: int, message_bytes: int, buffer_bytes: int, seed: int = 0
) -> NDArray[np.uint64]:
    """Returns the byte offsets of `count` messages from place `begin` of an order of the buffer.

    Strided orders are the page table of the paper with the stride as its jump, over slots of one
    message, so each order visits every slot once before it visits any slot again.

    Args:
        order: one of `ORDERS`.
        begin: place in the order; taken modulo the slots.
        count: number of messages, at most as many as there are slots.
        message_bytes: length of a slot, a power of two of at least 64.
        buffer_bytes: length of the buffer, a multiple of that.
        seed: seed of the random order.
    """
    slots = buffer_bytes // message_bytes
    index = (np.arange(begin, begin + count, dtype=np.int64)) % slots
    if order == "random":
        chosen = np.random.default_rng([seed, begin]).choice(slots, count, replace=False)
    elif order == "sequential":
        chosen = index
    else:
        jump = max(1, _STRIDES[order] // message_bytes)
        period = slots // int(np.gcd(jump, slots))
        chosen = (index * jump + index // period) % slots
    return np.asarray(chosen * message_bytes, dtype=np.uint64)


def measure_memory(
    library: CastellonLibrary,
    buffer_bytes: int,
    sizes_bytes: Sequence[int],
    effort: VisitEffort,
    *,
    seed: int = 2022,
) -> dict[str, Any]:
    """Times visits of messages, every order and program in turn, in a random order each round.

    Each window begins at a random place of its order, so that its messages were not visited
    lately. First the programs' tags of a few visits are compared. A window takes milliseconds, in
    which others may get the CPU: the CPU time of the thread is counted.

    Args:
        library: the programs.
        buffer_bytes: length of the buffer, far more than the last-level cache.
        sizes_bytes: message lengths, powers of two from 64.
        effort: rounds and window.
        seed: seed of everything random.

    Returns:
        `nanoseconds`: size -> order -> program or `read` -> CPU time per message of each round;
        `buffer_bytes`, `huge_pages_asked`.
    """
    chance = random.Random(seed)  # noqa: S311 - an order, not a secret
    allowed = os.sched_getaffinity(0)
    chosen = choose_cpu()
    names = [*PROGRAMS, READ]
    series: dict[str, dict[str, dict[str, list[float]]]] = {
        str(size): {order: {name: [] for name in names} for order in ORDERS} for size in sizes_bytes
    }
    with _filled_memory(buffer_bytes, chance) as (address, huge):
        try:
            os.sched_setaffinity(0, {chosen.cpu})
            for size in sizes_bytes:
                _check(library, address, size, buffer_bytes)
            for _ in range(effort.rounds):
                for size in sizes_bytes:
                    rows = series[str(size)]
                    _visit_once(library, address, buffer_bytes, size, effort, chance, rows)
        finally:
            os.sched_setaffinity(0, allowed)
            chosen.release()
    return {"nanoseconds": series, "buffer_bytes": buffer_bytes, "huge_pages_asked": huge}


def _visit_once(
    library: CastellonLibrary,
    address: int,
    buffer_bytes: int,
    size: int,
    effort: VisitEffort,
    chance: random.Random,
    series: dict[str, dict[str, list[float]]],
) -> None:
    """Times one window of every order and program, and adds its CPU times to the series."""
    count = max(1, effort.window_bytes // size)
    slots = buffer_bytes // size
    for order in chance.sample(ORDERS, len(ORDERS)):
        for name in chance.sample(list(series[order]), len(series[order])):
            begin = chance.randrange(slots)
            offsets = offsets_of(order, begin, count, size, buffer_bytes)
            where = offsets.ctypes.data
            start = time.thread_time_ns()
            if name == READ:
                library.read(address, size, where, count)
            else:
                library.visit(name, KEY, address, size, where, count)
            series[order][name].append((time.thread_time_ns() - start) / count)


def _check(library: CastellonLibrary, address: int, size: int, buffer_bytes: int) -> None:
    """Checks that all programs give the same tags in every order."""
    count = min(16, buffer_bytes // size)
    for order in ORDERS:
        offsets = offsets_of(order, 0, count, size, buffer_bytes)
        mixed = {
            library.visit(name, KEY, address, size, offsets.ctypes.data, count) for name in PROGRAMS
        }
        if len(mixed) != 1:
            raise WrongOutputError(
                f"the programs of castellon2022 disagree about messages of {size} bytes visited "
                f"{order}; nothing of them is timed"
            )


@contextmanager
def _filled_memory(size_bytes: int, chance: random.Random) -> Iterator[tuple[int, bool]]:
    """Yields the address of memory with data in every page, and whether its pages may be huge."""
    try:
        memory = mmap.mmap(-1, size_bytes)
    except OSError as error:
        raise UnavailableError(
            f"{size_bytes >> 20} MiB of memory cannot be had ({error.strerror}); free some or "
            "leave the part out with --no-memory"
        ) from error
    huge = False
    with suppress(OSError, AttributeError):
        memory.madvise(mmap.MADV_HUGEPAGE)
        huge = True
    try:
        block = chance.randbytes(min(_FILL_BYTES, size_bytes))
        for at in range(0, size_bytes, len(block)):
            memory[at : at + len(block)] = block[: size_bytes - at]
        held = ctypes.c_char.from_buffer(memory)
        try:
            yield ctypes.addressof(held), huge
        finally:
            del held
    finally:
        memory.close()
