# SPDX-License-Identifier: Apache-2.0
"""Firmware on the netlist of an open CPU: joules of a message by the method of the cores.

A program runs on the sources of the CPU and on its netlist, where a sink adds up the joules between
the marks of each message. All marks and bytes of both runs must be equal.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from joulemark.catalogue import algorithms
from joulemark.errors import CrashError, ImplementationError, UnavailableError
from joulemark.firmware.build import KernelSources, bench_program
from joulemark.firmware.firmware_counts import (
    MOST_CORE_CYCLES,
    BenchAnswer,
    SimulatorLog,
    footprint,
    no_room,
    output_lengths,
    parse_log,
    read_answer,
    require_right,
    simulate,
    whole_lengths,
)
from joulemark.firmware.gate_cpu import GateCpu
from joulemark.firmware.glitches import Glitches, Slice, glitches_of, slice_words, slices_of
from joulemark.firmware.rv32 import flash_image
from joulemark.firmware.target import Target, simulator_of
from joulemark.hardware.gate.sink import SINK_CATEGORIES
from joulemark.processes.tool import ToolRuns

# The memories outside the netlist, whose accesses are counted, by a stated model.


@dataclass(frozen=True, slots=True)
class MemoryMacro:
    """A memory macro by the figures of its library."""

    macro: str
    source: str
    size_bytes: int
    read_j: float
    write_j: float
    leakage_w: float


_SOURCE: Final = "IHP-Open-PDK, sg13g2_sram, typ 1.2 V 25 C"
SRAM: Final = MemoryMacro(
    "RM_IHPSG13_1P_1024x32", _SOURCE, 4096, 48.2666e-12, 58.9183e-12, 396.031e-9
)
"""Program and data: the clock's energy with read or write enabled, and the cell's leakage."""
REGISTER_FILE: Final = MemoryMacro(
    "RM_IHPSG13_2P_64x32", _SOURCE, 256, 20.3627e-12, 26.4624e-12, 39.8626e-9
)
"""The same for the register file of a CPU that has it in a RAM outside its netlist."""


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The accesses of one message to memories of one kind."""

    model: MemoryMacro
    macros: int
    reads: int
    writes: int

    def access_j(self) -> float:
        """Energy of the accesses."""
        return self.reads * self.model.read_j + self.writes * self.model.write_j

    def joules(self, seconds: float) -> float:
        """Energy of the accesses, and of the leakage of all macros in the time of the message."""
        return self.access_j() + self.macros * self.model.leakage_w * seconds


# One program on the sources and on the netlist, and the joules of its messages.

LOGIC: Final = ("logic", "logic nets", "input nets")
"""Categories of joules that a screen shows as logic; all others are flip-flops and clock."""
_WINDOW: Final = "window "
_LIMIT_S: Final = 3600.0
"""Longest time of a run; SERV takes half a million clocks for an HMAC."""
_PAINTED: Final = "-DJM_BENCH_PAINTED_BYTES=64"
"""A netlist is slow, and the deepest stack is known from `mcu:`."""


@dataclass(frozen=True, slots=True)
class MessageJoules:
    """The energy of one message on a netlist, less that of an empty pair of marks."""

    core_cycles: int
    """Equal to those of the sources."""
    by_category_j: Mapping[str, float]
    """Dynamic energy of netlist and trees, without glitches."""
    leakage_j: float
    """Leakage of netlist and trees in the time of the message."""
    memories: Mapping[str, MemoryUse]
    """Memories outside the netlist, by name; no part of the other figures."""
    glitches: Glitches | None = None
    """What they add, where it was measured."""

    @property
    def logic_j(self) -> float:
        """Energy of the logic."""
        return sum(self.by_category_j[name] for name in LOGIC)

    @property
    def storage_j(self) -> float:
        """Energy of flip-flops, of the clock network and of the trees."""
        return sum(self.by_category_j.values()) - self.logic_j

    @property
    def dynamic_j(self) -> float:
        """Dynamic energy of netlist and trees, without glitches: what their share is of."""
        return self.logic_j + self.storage_j

    @property
    def glitches_j(self) -> float:
        """Energy of the glitches; 0 where they were not measured."""
        return 0.0 if self.glitches is None else self.glitches.share * self.dynamic_j

    @property
    def core_j(self) -> float:
        """Energy of the netlist, without memories; with that of glitches that were measured."""
        return self.dynamic_j + self.glitches_j + self.leakage_j

    @property
    def ends_j(self) -> tuple[float, float]:
        """The same with the smallest and with the largest share of glitches of a slice."""
        rest_j, glitches = self.dynamic_j + self.leakage_j, self.glitches
        ends = (0.0, 0.0) if glitches is None else (glitches.smallest, glitches.largest)
        low_j, high_j = (rest_j + share * self.dynamic_j for share in ends)
        return low_j, high_j


@dataclass(frozen=True, slots=True)
class SourceRun:
    """A program that ran on the sources of a CPU, with right outputs."""

    program: Path
    log: SimulatorLog
    answer: BenchAnswer
    lengths: tuple[int, ...]
    refused: Mapping[int, str]
    """Lengths without a figure, and why."""


def run_sources(
    target: Target, kernel: KernelSources, lengths: Sequence[int], runs: ToolRuns
) -> SourceRun:
    """Runs the bench on the sources, and compares its outputs with the reference."""
    facts = algorithms()[kernel.algorithm]
    whole, refused = whole_lengths(facts, lengths)
    if not whole:
        raise UnavailableError("; ".join(dict.fromkeys(refused.values())))
    program = bench_program(target, kernel, whole, [_PAINTED])
    command = simulator_of(target).command(target, program, MOST_CORE_CYCLES)
    log = parse_log(simulate(command, runs))
    answer = read_answer(log, output_lengths(facts, whole))
    for size, length in zip(whole, answer.lengths, strict=True):
        if length.outputs is None:
            refused[size] = no_room(target)
        else:
            require_right(kernel, answer, size, length)
    return SourceRun(program, log, answer, tuple(whole), refused)


def run_gates(
    target: Target,
    kernel: KernelSources,
    cpu: GateCpu,
    source: SourceRun,
    clock_hz: float,
    runs: ToolRuns,
) -> dict[int, MessageJoules]:
    """Runs the same program on the netlist; the joules by message length.

    Glitches are measured too if the CPU comes with its delays.
    """
    image, period_ps = flash_image(source.program), round(1e12 / clock_hz)
    with tempfile.TemporaryDirectory(prefix="joulemark-gates-") as working:
        nets = Path(working) / "nets"
        slices = {} if cpu.timed is None else _slices(source)
        dumped = [nets, *slice_words(slices)] if slices else []
        command = cpu.command(image, MOST_CORE_CYCLES, period_ps, dumped)
        text = simulate(command, runs, _LIMIT_S)
        _require_same(target, kernel, source.log, parse_log(text))
        glitches = {} if cpu.timed is None else glitches_of(cpu.timed, slices, nets, runs)
    windows = iter(_windows(text))
    empty = next(windows)
    next(windows)  # the key set-up
    sizes = footprint(target, kernel)
    of_code = -(-(sizes.code_bytes + sizes.constant_bytes) // SRAM.size_bytes)
    found = {}
    for size, length in zip(source.lengths, source.answer.lengths, strict=True):
        if length.outputs is not None:
            next(windows)  # the first of the two turns
            taken = next(windows).less(empty)
            seconds = length.core_cycles / clock_hz
            found[size] = MessageJoules(
                length.core_cycles,
                dict(zip(SINK_CATEGORIES, taken.joules, strict=True)),
                taken.leakage_j + cpu.facts.trees_leakage_w * seconds,
                _memories(taken, of_code + 1),
                glitches.get(size),
            )
    return found


def _slices(source: SourceRun) -> dict[int, list[Slice]]:
    """The slices of the second turn of each message, by its length."""
    sizes = [
        size
        for size, length in zip(source.lengths, source.answer.lengths, strict=True)
        if length.outputs is not None
    ]
    # A pair of marks each: an empty one, the key set-up, and two turns of each length.
    begins, ends = source.log.marks[6::4], source.log.marks[7::4]
    return {
        size: slices_of(begin.core_cycles, end.core_cycles - begin.core_cycles)
        for size, begin, end in zip(sizes, begins, ends, strict=True)
    }


def _require_same(
    target: Target, kernel: KernelSources, sources: SimulatorLog, gates: SimulatorLog
) -> None:
    """Refuses a netlist whose marks or bytes are not those of the sources."""
    marks = [[(mark.number, mark.core_cycles) for mark in log.marks] for log in (sources, gates)]
    answers = [list(log.answer) for log in (sources, gates)]
    for what, (right, seen) in (("marks", marks), ("bytes", answers)):
        if right != seen:
            pairs = zip_longest(right, seen)
            place = next(number for number, (a, b) in enumerate(pairs, 1) if a != b)
            raise ImplementationError(
                f"{kernel.name} on the netlist of {target.title} does not do what its sources do: "
                f"the {what} differ from number {place} on, so there are no joules"
            )


@dataclass(frozen=True, slots=True)
class _Window:
    """What the sink saw between two marks."""

    accesses: tuple[int, ...]
    leakage_j: float
    joules: tuple[float, ...]

    def less(self, other: _Window) -> _Window:
        """This window without the other one."""
        return _Window(
            tuple(a - b for a, b in zip(self.accesses, other.accesses, strict=True)),
            self.leakage_j - other.leakage_j,
            tuple(a - b for a, b in zip(self.joules, other.joules, strict=True)),
        )


_ACCESSES: Final = 4


def _windows(text: str) -> list[_Window]:
    """The windows of a log, in order."""
    windows = []
    for line in text.splitlines():
        if line.startswith(_WINDOW):
            _, _, *words = line.split()
            try:
                accesses = tuple(map(int, words[:_ACCESSES]))
                leakage_j, *joules = map(float, words[_ACCESSES:])
            except ValueError:
                raise CrashError(
                    f"its simulator wrote a line that is none: {line[:60]!r}"
                ) from None
            windows.append(_Window(accesses, leakage_j, tuple(joules)))
    return windows


def _memories(taken: _Window, macros: int) -> dict[str, MemoryUse]:
    reads, writes, register_reads, register_writes = taken.accesses
    uses = {"memory": MemoryUse(SRAM, macros, reads, writes)}
    if register_reads or register_writes:
        uses["register file"] = MemoryUse(REGISTER_FILE, 1, register_reads, register_writes)
    return uses
