# SPDX-License-Identifier: Apache-2.0
"""Checks of a core: those of `joulemark core test`, and anybody's test vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import ImplementationError, UsageError
from joulemark.foreign.vectors import Vector, VectorVerdict
from joulemark.hardware.bench.adapter import CoreAdapter, adapter_class
from joulemark.hardware.cores import is_ours
from joulemark.hardware.flow import request
from joulemark.hardware.manifest import Core
from joulemark.hardware.simulation import driving
from joulemark.hardware.simulation.cocotb_runs import run
from joulemark.hardware.simulation.driving import (
    BatchAnswer,
    KeyedMessages,
    advice,
    compile_core,
    drive,
    spans,
)
from joulemark.hardware.simulation.trial_messages import (
    MANY,
    MANY_WITHIN_CLOCKS,
    STARTS,
    FittedKey,
    fitted_key,
    hold_to_long,
    hold_to_many,
    hold_to_starts,
    length_refusal,
    trial_lengths,
)
from joulemark.hardware.simulation.verilator import build, lint_command, modules_with_state
from joulemark.hardware.simulation.workload import measure_clocks
from joulemark.hardware.vhdl import is_vhdl
from joulemark.processes.tool import ask_tool

# Checks of `joulemark core test`: lint, build, the core's cocotb modules, promised clocks.


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of one check."""

    name: str
    passed: bool
    remark: str = ""
    note: bool = False
    """Whether the remark is worth a look although the check passed."""
    log: Path | None = None
    """A tool's output, in the folder of the checks, which need not outlive them."""


def check_core(core: Core, parameters: Mapping[str, int], folder: Path) -> list[CheckOutcome]:
    """Checks a core with these parameters in every way, the cheapest first.

    The workload of the manifest and the messages of `trials` go through the adapter, whose
    reference checks the results; a short plan is run again with other values of registers.
    """
    request.require(None)
    checks = [_lint(core, parameters, folder / "lint")]
    try:
        if core.tests:
            visible = modules_with_state(core) if is_ours(core) else None
            program = build(
                core, parameters, folder / "tests", warnings_are_errors=False, visible=visible
            )
            modules = [core.folder / test for test in core.tests]
            done = run(program, core, modules, parameters=parameters, folder=folder / "run")
            checks += [CheckOutcome(name, passed=True) for name in done.passed]
            checks += [CheckOutcome(name, passed=False, log=done.log) for name in done.failed]
        checks += _clocks(core, parameters, folder / "clocks")
    except ImplementationError as error:
        said = error.without_log
        checks.append(CheckOutcome("simulation", passed=False, remark=said, log=error.log))
    return checks


def _lint(core: Core, parameters: Mapping[str, int], folder: Path) -> CheckOutcome:
    """Lints a core: a warning fails one of our own cores, and is a note on anybody else's."""
    command = lint_command(core, parameters, folder)
    done = ask_tool([*command, *(() if is_ours(core) else ("-Wno-fatal",))], folder=folder)
    lines = [line for line in done.errors.splitlines() if line.startswith("%")]
    warnings = [line for line in lines if line.startswith("%Warning")]
    if done.code == 0 and any(map(is_vhdl, core.source_paths())):
        said = "translated to Verilog by GHDL, about which warnings say nothing"
        return CheckOutcome("lint", passed=True, remark=said)
    if done.code == 0 and warnings:
        more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
        return CheckOutcome("lint", passed=True, remark=f"{warnings[0]}{more}", note=True)
    return CheckOutcome("lint", done.code == 0, lines[0] if lines else "")


_INPUTS: Final = {
    "held": "held after they are taken; if the core reads them in that clock alone, say "
    'inputs = "sampled" in the manifest, and they change then',
    "sampled": "random after the clock that takes them",
}
"""What the checks do with the inputs of a message, by the manifest's `inputs`."""


def _clocks(core: Core, parameters: Mapping[str, int], folder: Path) -> list[CheckOutcome]:
    """Whether results are right, from any start, and in the clocks that the manifest promises."""
    program = driving.compile_core(core, parameters, folder)
    clocks = measure_clocks(core, parameters, folder, program)
    lengths = trial_lengths(core, adapter_class(core))
    tried = f"{spans(lengths)} bytes" if lengths else ""
    checks = [
        CheckOutcome("results of the workload", passed=True),
        CheckOutcome(
            "results of other messages",
            passed=True,
            note=not lengths,
            remark=tried or "none was tried: the reference takes no length round a block's end",
        ),
        CheckOutcome("inputs of messages", passed=True, remark=_INPUTS[core.inputs]),
    ]
    long = hold_to_long(core, parameters, folder, program, clocks.clocks_per_block)
    checks.append(
        CheckOutcome(
            "results of long messages",
            passed=True,
            note=not long,
            remark=f"{spans(long)} bytes" if long else "the core takes none, or takes very long",
        )
    )
    hold_to_starts(core, parameters, folder, program)
    checks.append(
        CheckOutcome(
            "results from any start", passed=True, remark=", ".join(start.words for start in STARTS)
        )
    )
    if clocks.message_clocks <= MANY_WITHIN_CLOCKS and lengths:
        hold_to_many(core, parameters, folder, program)
        checks.append(
            CheckOutcome("results of a long run", passed=True, remark=f"{MANY} short messages")
        )
    if clocks.varied:
        remark = f"they depend on the message: {clocks.varied}"
        checks.append(CheckOutcome("clocks of messages", passed=True, remark=remark, note=True))
    promised = core.promised(parameters)
    if promised is None:
        return checks
    for name, expected, counted in (
        ("clocks per block", promised.clocks_per_block, clocks.clocks_per_block),
        ("latency in clocks", promised.latency_clocks, clocks.latency_clocks),
    ):
        if expected is not None:
            remark = "" if counted == expected else f"{counted:g}, and {expected} are promised"
            checks.append(CheckOutcome(name, counted == expected, remark))
    return checks


# Checks a core against anybody's test vectors, and against the reference of its adapter.
#
# All vectors go through one simulation, each a message alone, with a new key where the key
# changes.

_LONGEST_S: Final = 24 * 3600.0
"""Wall time for an adapter that hangs. A core that hangs is ended by its clocks."""


@dataclass(frozen=True, slots=True)
class VectorAnswer:
    """A vector, and the answer of the core to it."""

    vector: Vector
    result: bytes | None
    """The whole result; None if the core gave none."""
    reference: bytes | None
    """Result by the adapter's reference."""
    clocks: int | None
    """Clocks of the message alone, from the first period that offers a word to the last period of
    its result."""
    wrong: str | None
    """Why the core fails the vector, or None if it passes."""


@dataclass(frozen=True, slots=True)
class VectorRun:
    """The answers to the vectors of a file, and counts of the vectors that were not run."""

    answers: tuple[VectorAnswer, ...]
    passed_over: Mapping[str, int]
    """Number of vectors that were not run, by reason."""
    changed_keys: Mapping[str, int]
    """Number of vectors whose key was changed outside the core, by the change."""

    @property
    def failed(self) -> tuple[VectorAnswer, ...]:
        """Answers to the vectors that the core fails, in the order of the file."""
        return tuple(answer for answer in self.answers if answer.wrong is not None)


def run_vectors(
    core: Core, parameters: Mapping[str, int], vectors: Sequence[Vector], folder: Path
) -> VectorRun:
    """Runs every vector that the core can be given."""
    adapter = adapter_class(core)
    passed_over: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    taken: list[tuple[Vector, bytes | None]] = []
    for vector in vectors:
        fitted = _fitted(core, adapter, vector)
        if isinstance(fitted, str):
            passed_over[fitted] += 1
            continue
        if fitted is not None and fitted.change:
            changed[fitted.change] += 1
        taken.append((vector, None if fitted is None else fitted.key))
    if not any(vector.is_of(core.algorithm) for vector in vectors):
        names = ", ".join(sorted({vector.algorithm for vector in vectors})) or "nothing"
        raise UsageError(
            f"the vectors are of {names}, and {core.name} computes {core.algorithm}; 'algorithm' "
            "in its manifest says what it computes"
        )
    answers: list[VectorAnswer] = []
    if taken:
        program = compile_core(core, parameters, folder)
        plan = [KeyedMessages(key, (vector.message,)) for vector, key in taken]
        driven = drive(
            core, parameters, folder, program, plan, name="vectors", timeout_s=_LONGEST_S
        )
        if isinstance(driven.ended, UsageError):
            raise driven.ended
        for (vector, _), batch in zip(taken, driven.batches, strict=False):
            answers.append(_vector_answer(vector, batch, advice(core, program)))
        if driven.ended is not None:
            missing = taken[len(answers) :]
            answers.append(VectorAnswer(missing[0][0], None, None, None, str(driven.ended)))
            if len(missing) > 1:
                passed_over["the core gave no result for the one before"] += len(missing) - 1
    return VectorRun(tuple(answers), passed_over, changed)


def _fitted(core: Core, adapter: type[CoreAdapter], vector: Vector) -> FittedKey | str | None:
    """The key that the core is given, None for a hash, or why the vector cannot be run."""
    if not vector.is_of(core.algorithm):
        return f"they are of {vector.algorithm}, and the core computes {core.algorithm}"
    if reason := length_refusal(adapter, len(vector.message)):
        return reason
    if vector.key is None:
        return "the core needs a key, and they have none" if adapter.key_bytes else None
    if not adapter.key_bytes:
        return "they have a key, and the core takes none"
    return fitted_key(core, adapter.key_bytes, vector.key)


def _vector_answer(vector: Vector, batch: BatchAnswer, hint: str) -> VectorAnswer:
    result, reference = batch.results[0], batch.expected[0]
    wrong = _wrong(vector, result, reference, hint)
    return VectorAnswer(vector, result, reference, batch.clocks, wrong)


def _wrong(vector: Vector, result: bytes, reference: bytes, hint: str) -> str | None:
    """Why a result fails, by its vector or by the reference in bytes that the vector lacks."""
    cut, equal = result[: vector.output_bytes], vector.equals(result)
    if vector.verdict is VectorVerdict.VALID and not equal:
        said = f"the core gives {cut.hex()}, the vector {vector.output.hex()}"
        if result == reference:
            return f"{said}; the reference says what the core says"
        other = "says what the vector says" if vector.equals(reference) else "agrees with neither"
        return f"{said}; the reference {other}{hint}"
    if vector.verdict is VectorVerdict.INVALID and equal:
        return f"the core gives {cut.hex()}, which the vector says is wrong"
    if result != reference:
        return f"the core gives {result.hex()}, the reference {reference.hex()}{hint}"
    return None
