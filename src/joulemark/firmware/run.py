# SPDX-License-Identifier: Apache-2.0
"""Runs one implementation on one target: builds, simulates, checks and sizes it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from joulemark.catalogue.algorithms import Algorithm, algorithms
from joulemark.errors import CrashError, HangError, UnavailableError, WrongOutputError
from joulemark.firmware.answer import BenchAnswer, LengthAnswer, read_answer
from joulemark.firmware.footprint import footprint
from joulemark.firmware.log import parse_log
from joulemark.firmware.programs.build import bench_program, flags_text
from joulemark.firmware.programs.kernel_sources import KernelSources
from joulemark.firmware.programs.target import Target
from joulemark.firmware.programs.toolchain import compiler_version, missing_tool
from joulemark.firmware.simulators import simulator_of
from joulemark.processes.tool import ToolRuns
from joulemark.records.firmware import FirmwareCount, Footprint
from joulemark.reference import reference_output

__all__ = ["MOST_BYTES", "FirmwareCounts", "count", "missing"]

MOST_BYTES: Final = 0xFFFF
"""Longest message: the bench counts bytes in 16 bits."""
_MOST_CORE_CYCLES: Final = 20_000_000_000
_LIMIT_S: Final = 300.0
"""Longest time of a simulation."""


@dataclass(frozen=True, slots=True)
class FirmwareCounts:
    """Counts of one implementation, and reasons for missing counts."""

    counts: dict[int, FirmwareCount]
    """Message bytes -> count."""
    refused: dict[int, str] = field(default_factory=dict)
    """Message bytes -> why there is no count."""


def missing(target: Target) -> str | None:
    """The first program for this target that this machine lacks, with the remedy; None if none."""
    lacking = missing_tool(target)
    return lacking or simulator_of(target).missing(target)


def count(
    target: Target,
    kernel: KernelSources,
    lengths: Sequence[int],
    *,
    runs: ToolRuns | None = None,
) -> FirmwareCounts:
    """Counts the core cycles of messages of these lengths.

    Args:
        target: to run on.
        kernel: to run.
        lengths: in bytes, each at most `MOST_BYTES`.
        runs: the runs of programs that the simulation ends with.

    Raises:
        UnavailableError: a tool is missing, or the implementation does not fit or has no code for
            this target.
        WrongOutputError: an output is not the reference's; there is no figure.
        ImplementationError: the implementation does not compile, crashes, or hangs.
    """
    facts = algorithms()[kernel.algorithm]
    whole = [length for length in lengths if _is_whole(facts, length)]
    refused = {
        length: "a block cipher takes whole blocks" for length in lengths if length not in whole
    }
    if not whole:
        return FirmwareCounts({}, refused)
    lacking = missing(target)
    if lacking is not None:
        raise UnavailableError(lacking)
    program = bench_program(target, kernel, whole)
    log = parse_log(_simulate(target, program, runs or ToolRuns()))
    outputs = [length if facts.kind == "cipher" else facts.output_bytes for length in whole]
    answer = read_answer(log, outputs)
    sizes = footprint(target, kernel)
    counts = {}
    for size, length in zip(whole, answer.lengths, strict=True):
        if length.outputs is None:
            refused[size] = f"the message has no room in {target.memory.ram_bytes} bytes of RAM"
            continue
        _require_right(kernel, answer, size, length)
        key_core_cycles = None if facts.kind == "hash" else answer.key_core_cycles
        counts[size] = _firmware_count(target, length, key_core_cycles, sizes)
    return FirmwareCounts(counts, refused)


def _is_whole(facts: Algorithm, length: int) -> bool:
    """Whether the algorithm takes messages of this length: a cipher takes only whole blocks."""
    return facts.kind != "cipher" or (length > 0 and length % facts.block_bytes == 0)


def _simulate(target: Target, program: Path, runs: ToolRuns) -> str:
    """Runs a program in its simulator; returns the log."""
    arguments = simulator_of(target).command(target, program, _MOST_CORE_CYCLES)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            code = runs.run(arguments, output=output, errors=errors, timeout_s=_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise HangError(f"its simulation did not end within {_LIMIT_S:g} s") from None
        output.seek(0)
        errors.seek(0)
        text = output.read().decode("utf-8", "replace")
        if code and "crash" not in text:
            last = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise CrashError(f"its simulator ended with exit code {code}", last[-1] if last else "")
    return text


def _firmware_count(
    target: Target, length: LengthAnswer, key_core_cycles: int | None, sizes: Footprint
) -> FirmwareCount:
    """The count of one length, with its evidence and tools."""
    return FirmwareCount(
        core_cycles=length.core_cycles,
        instructions=length.instructions,
        key_core_cycles=key_core_cycles,
        **asdict(sizes),
        stack_bytes=length.stack_bytes,
        evidence=target.evidence.value,
        compiler=compiler_version(target.toolchain.compiler),
        flags=flags_text(target),
        simulator=simulator_of(target).title(target),
    )


def _require_right(
    kernel: KernelSources, answer: BenchAnswer, size: int, length_answer: LengthAnswer
) -> None:
    """Compares both outputs of a length with the reference."""
    expected = _expected_output(algorithms()[kernel.algorithm], answer.key_bytes, size)
    for turn, output in enumerate(length_answer.outputs or ()):
        if output != expected:
            raise WrongOutputError(
                f"at {size} bytes its output of turn {turn + 1} is {output.hex()[:32]}, not "
                f"{expected.hex()[:32]}"
            )


def _expected_output(facts: Algorithm, key_bytes: int, size_bytes: int) -> bytes:
    """The output that the standard prescribes; a cipher encrypts each block by itself."""
    # Key and message are those of `fill` in firmware/bench/bench.c.
    key, message = _fill(key_bytes, 7, 0x40), _fill(size_bytes, 167, 13)
    if facts.kind != "cipher":
        return reference_output(facts.id, key, message)
    return b"".join(
        reference_output(facts.id, key, message[at : at + facts.block_bytes])
        for at in range(0, size_bytes, facts.block_bytes)
    )


def _fill(size_bytes: int, step: int, first: int) -> bytes:
    return bytes((first + step * place) & 0xFF for place in range(size_bytes))
