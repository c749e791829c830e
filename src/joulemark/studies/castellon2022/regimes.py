# SPDX-License-Identifier: Apache-2.0
"""Two regimes that this process measures: messages in DRAM, and the kernel alone."""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from joulemark.analyse.derive import (
    measured_core_cycles_per_message,
    modelled_core_cycles_per_message,
    seconds_per_message,
)
from joulemark.errors import UnavailableError, WrongOutputError
from joulemark.judging import chosen
from joulemark.measure.inventory import Inventory
from joulemark.measure.plan import Effort, EnergyPlan, Plan
from joulemark.measure.quiet import choose_cpu
from joulemark.measure.study import code_digest
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.stats import median
from joulemark.studies.castellon2022.through_ctypes import KEY, PROGRAMS, VISITING, CastellonLibrary

# The regime that the paper argues with: messages in DRAM, visited in orders kind to banks or not.
#
# Little can be known of banks from user space. A program sees virtual addresses. Within a page of
# 4 KiB, or with luck of 2 MiB, they agree with physical addresses. Linux, and under a virtual
# machine the hypervisor, place pages as they like, and /proc/self/pagemap hides the places. The
# memory controller chooses channel, rank and bank by physical bits. Its choice is mostly
# undocumented, and usually a hash of row bits that is made to defeat strides like ours. So the
# orders below are kind or hostile under the simplest mapping (rows of 8 KiB, row r in bank r mod
# 16), and a measured difference between them shows the cost of order in DRAM: pages, TLB,
# prefetchers and banks together.

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
    names = [*VISITING, READ]
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
            library.visit(name, KEY, address, size, offsets.ctypes.data, count) for name in VISITING
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


# The kernel alone: the programs in Joulemark's harness, stored like any run.

_PROGRAM: Final = "hmac-sha256/castellon2022_{}"
VARIANTS: Final = {name: _PROGRAM.format(name) for name in PROGRAMS}
JUMPS: Final = {jump: f"ecm_chunks_j{jump}" for jump in (1, 2, 4, 8, 16)}
"""Jump -> engineered program with that jump, which copies whole chunks."""
OTHER_JUMPS: Final = {
    name: _PROGRAM.format(name) for name in JUMPS.values() if name not in PROGRAMS
}
RIVALS: Final = {
    "portable": "hmac-sha256/portable",
    "shani": "hmac-sha256/shani",
    "engine": "hmac-sha256/engine",
}
"""Our implementations in the chart of saved core cycles, as far as this machine has them."""
ENGINE_BATCH: Final = 64
"""Messages that the engine gets in one call, if it takes several."""
_GENERATIONS: Final = 10
_RETAKES: Final = 2


def subject_trials(inventory: Inventory) -> dict[str, Trial]:
    """The trials of this regime by short name, at a length of 0 that stands for any length."""
    for name in (*VARIANTS.values(), *OTHER_JUMPS.values()):
        if name not in inventory.facts:
            raise UnavailableError(f"{name} is not in this build; run make setup to build it")
    trials = {}
    for short, name in {**VARIANTS, **OTHER_JUMPS, **RIVALS}.items():
        facts = inventory.facts.get(name)
        if facts is not None:
            batch = ENGINE_BATCH if short == "engine" and facts.batch_calls else 1
            trials[short] = Trial(name, Workload(0, batch=batch))
    return trials


def kernel_plan(
    inventory: Inventory,
    chosen: Sequence[Trial],
    sizes_bytes: Sequence[int],
    repetitions: int,
    window_ns: int,
    energy: EnergyPlan | None,
) -> Plan:
    """Plans every subject at every size; trials of one size are neighbours in time."""
    trials = [
        Trial(trial.implementation, Workload(size, batch=trial.workload.batch))
        for trial in chosen
        for size in sizes_bytes
    ]
    names = [trial.implementation for trial in chosen]
    generations = min(_GENERATIONS, repetitions)
    effort = Effort(repetitions, window_ns, generations, windows=1, retakes=_RETAKES)
    return Plan(tuple(trials), effort, code_digest(inventory, names), energy)


def seconds_by_round(samples: Sequence[RawSample]) -> list[float]:
    """Returns the seconds per message of each sample, by round."""
    ordered = sorted(samples, key=lambda sample: sample.round_index)
    return [seconds_per_message(sample) for sample in ordered]


def common_rounds(
    samples: Mapping[str, Sequence[RawSample]],
) -> tuple[dict[str, list[float]], list[int]]:
    """Returns seconds per message by program, and the generation, of their common rounds.

    Windows that were taken again in one round count as their median.
    """
    by_program = {name: _by_round(series) for name, series in chosen(samples).items()}
    shared = sorted(set.intersection(*map(set, by_program.values())))
    if not shared:  # each clean in other rounds: a few rounds on a very busy machine
        by_program = {name: _by_round(series) for name, series in samples.items()}
        shared = sorted(set.intersection(*map(set, by_program.values())))
    values = {
        name: [median(seconds_by_round(by_round[index])) for index in shared]
        for name, by_round in by_program.items()
    }
    first = next(iter(by_program.values()))
    return values, [first[index][-1].generation for index in shared]


def _by_round(samples: Sequence[RawSample]) -> dict[int, list[RawSample]]:
    by_round: dict[int, list[RawSample]] = {}
    for sample in samples:
        by_round.setdefault(sample.round_index, []).append(sample)
    return by_round


def core_cycles_by_round(samples: Sequence[RawSample]) -> list[float] | None:
    """Returns the core cycles per message of each sample, by round; None if a sample has none.

    They are counted if Linux lends the counter, else modelled from ticks and the clock probes.
    """
    ordered = sorted(samples, key=lambda sample: sample.round_index)
    for division in (measured_core_cycles_per_message, modelled_core_cycles_per_message):
        values = [value for sample in ordered if (value := division(sample)) is not None]
        if values and len(values) == len(ordered):
            return values
    return None
