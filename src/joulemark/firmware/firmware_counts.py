# SPDX-License-Identifier: Apache-2.0
"""Runs one implementation on one target: builds, simulates, checks and sizes it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from io import BytesIO
from typing import Final

from joulemark.catalogue import AlgorithmFacts, algorithms
from joulemark.errors import CrashError, HangError, UnavailableError, WrongOutputError
from joulemark.firmware.build import (
    KernelSources,
    bench_program,
    compiler_version,
    empty_program,
    flags_text,
    missing_tool,
    program_sizes,
    state_bytes_of,
)
from joulemark.firmware.target import Target, simulator_of
from joulemark.processes.tool import ToolRuns
from joulemark.records.sample import FirmwareCount, Footprint
from joulemark.reference import reference_output

# The memory that an implementation adds to a program, by linking alone, without a simulator.


def footprint(target: Target, kernel: KernelSources) -> Footprint:
    """The sizes of a program with the implementation less those of a program without it."""
    program = bench_program(target, kernel, (0,))
    whole, rest = program_sizes(program), program_sizes(empty_program(target))
    variables = whole.variables - rest.variables
    in_ram = target.memory.constants_in_ram
    # No kernel has a variable, so the initialised RAM of such a target holds constants.
    constants = whole.read_only - rest.read_only + (variables if in_ram else 0)
    return Footprint(
        code_bytes=whole.code - rest.code,
        constant_bytes=constants,
        static_ram_bytes=variables + whole.zeroed - rest.zeroed,
        state_bytes=state_bytes_of(program, kernel),
    )


# The log of a simulator about one program: marks with counts, and the bytes of the answer.
#
# All simulators write these lines:
#
#     mark NUMBER CORE_CYCLES INSTRUCTIONS   both since reset
#     byte NUMBER                            a byte of the answer
#     end                                    the program ended by itself
#     crash WHY                              the program did not end by itself


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark, with the counts since reset."""

    number: int
    core_cycles: int
    instructions: int


@dataclass(frozen=True, slots=True)
class SimulatorLog:
    """All marks and bytes of one program."""

    marks: tuple[Mark, ...]
    answer: bytes


def parse_log(text: str) -> SimulatorLog:
    """Reads the log of a program that ended by itself."""
    marks, answer, ended = [], bytearray(), False
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        try:
            if word == "mark":
                marks.append(Mark(*map(int, rest.split())))
            elif word == "byte":
                answer.append(int(rest))
        except (ValueError, TypeError):
            raise CrashError(f"its simulator wrote a line that is none: {line[:60]!r}") from None
        if word == "crash":
            raise CrashError(f"it did not end: {rest}")
        ended = ended or word == "end"
    if not ended:
        raise CrashError("its simulator ended before it")
    return SimulatorLog(tuple(marks), bytes(answer))


# Reads counts from a simulator's log; firmware/bench/bench.c defines the order of its bytes.

_NO_ROOM = 0xFE
_NOTHING, _KEY, _MESSAGE = 1, 3, 5


@dataclass(frozen=True, slots=True)
class LengthAnswer:
    """Both turns of one length."""

    outputs: tuple[bytes, bytes] | None
    """Outputs of both turns; None if the message had no room in RAM, and then all counts are 0."""
    core_cycles: int
    """Core cycles of the second turn, as are the instructions."""
    first_core_cycles: int
    instructions: int
    stack_bytes: int


@dataclass(frozen=True, slots=True)
class BenchAnswer:
    """The answer of one program."""

    key_bytes: int
    state_bytes: int
    key_core_cycles: int
    lengths: tuple[LengthAnswer, ...]


class _Bytes:
    """The bytes of an answer, read from its beginning."""

    def __init__(self, data: bytes) -> None:
        self._stream = BytesIO(data)

    def take(self, count: int) -> bytes:
        taken = self._stream.read(count)
        if len(taken) < count:
            raise CrashError("its answer ends too soon")
        return taken

    def number(self) -> int:
        return int.from_bytes(self.take(2), "little")

    def has_room(self, what: str) -> bool:
        """Whether the next status says that `what` was done, not that it had no room."""
        status = self.take(1)[0]
        if status not in (0, _NO_ROOM):
            raise WrongOutputError(f"it refused {what} with status {status}")
        return status == 0


def read_answer(log: SimulatorLog, output_bytes: Sequence[int]) -> BenchAnswer:
    """Reads the answer of a program of the bench, with so many bytes of output for each message."""
    data, counts = _Bytes(log.answer), _counts(log.marks)
    key_bytes, state_bytes = data.number(), data.number()
    if not data.has_room("the key set-up"):
        raise WrongOutputError("its key state has no room in the target's RAM")
    key_core_cycles, _ = next(counts)
    lengths = []
    for size_bytes in output_bytes:
        turns = []
        for _ in range(2):
            if data.has_room("a message"):
                output = data.take(size_bytes)
                count = next(counts, None)
                if count is None:
                    raise CrashError("it has fewer marks than messages")
                turns.append((output, *count))
        stack_bytes = data.number()
        if len(turns) == 2:
            (first_output, first, _), (output, core_cycles, instructions) = turns
            outputs = (first_output, output)
            lengths.append(LengthAnswer(outputs, core_cycles, first, instructions, stack_bytes))
        else:
            lengths.append(LengthAnswer(None, 0, 0, 0, stack_bytes))
    return BenchAnswer(key_bytes, state_bytes, key_core_cycles, tuple(lengths))


def _counts(marks: Sequence[Mark]) -> Iterator[tuple[int, int]]:
    """Core cycles and instructions between each two marks, less those of the first, empty pair."""
    pairs = list(zip(marks[::2], marks[1::2], strict=False))
    known = (_NOTHING, _KEY, _MESSAGE)
    if (
        len(marks) % 2
        or len(pairs) < 2
        or any(
            first.number not in known or second.number != first.number + 1
            for first, second in pairs
        )
    ):
        raise CrashError("its marks do not come in pairs")
    between = [
        (end.core_cycles - begin.core_cycles, end.instructions - begin.instructions)
        for begin, end in pairs
    ]
    empty = between[0]
    return iter([(pair[0] - empty[0], pair[1] - empty[1]) for pair in between[1:]])


MOST_BYTES: Final = 0xFFFF
"""Longest message: the bench counts bytes in 16 bits."""
MOST_CORE_CYCLES: Final = 20_000_000_000
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
    target: Target, kernel: KernelSources, lengths: Sequence[int], *, runs: ToolRuns | None = None
) -> FirmwareCounts:
    """Counts the core cycles of messages of these lengths, each at most `MOST_BYTES`.

    The simulation ends with the others of `runs`.
    """
    facts = algorithms()[kernel.algorithm]
    whole, refused = whole_lengths(facts, lengths)
    if not whole:
        return FirmwareCounts({}, refused)
    lacking = missing(target)
    if lacking is not None:
        raise UnavailableError(lacking)
    program = bench_program(target, kernel, whole)
    arguments = simulator_of(target).command(target, program, MOST_CORE_CYCLES)
    log = parse_log(simulate(arguments, runs or ToolRuns()))
    answer = read_answer(log, output_lengths(facts, whole))
    sizes = footprint(target, kernel)
    counts = {}
    for size, length in zip(whole, answer.lengths, strict=True):
        if length.outputs is None:
            refused[size] = no_room(target)
            continue
        require_right(kernel, answer, size, length)
        key_core_cycles = None if facts.kind == "hash" else answer.key_core_cycles
        counts[size] = _firmware_count(target, length, key_core_cycles, sizes)
    return FirmwareCounts(counts, refused)


def whole_lengths(
    facts: AlgorithmFacts, lengths: Sequence[int]
) -> tuple[list[int], dict[int, str]]:
    """The lengths that the algorithm takes, and why not the others: a cipher takes whole blocks."""
    whole = [
        length
        for length in lengths
        if facts.kind != "cipher" or (length > 0 and length % facts.block_bytes == 0)
    ]
    others = (length for length in lengths if length not in whole)
    return whole, dict.fromkeys(others, "a block cipher takes whole blocks")


def output_lengths(facts: AlgorithmFacts, lengths: Sequence[int]) -> list[int]:
    """Bytes of output for messages of these lengths."""
    return [length if facts.kind == "cipher" else facts.output_bytes for length in lengths]


def no_room(target: Target) -> str:
    """Why a message has no figure that a target's RAM does not hold."""
    return f"the message has no room in {target.memory.ram_bytes} bytes of RAM"


def simulate(arguments: Sequence[str], runs: ToolRuns, limit_s: float = _LIMIT_S) -> str:
    """Runs a program by the command of its simulator; returns the log."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            code = runs.run(arguments, output=output, errors=errors, timeout_s=limit_s)
        except subprocess.TimeoutExpired:
            raise HangError(f"its simulation did not end within {limit_s:g} s") from None
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


def require_right(
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


def _expected_output(facts: AlgorithmFacts, key_bytes: int, size_bytes: int) -> bytes:
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
