# SPDX-License-Identifier: Apache-2.0
"""Checks a core against anybody's test vectors, and against the reference of its adapter.

All vectors go through one simulation, each a message alone, with a new key where the key changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign.vectors import Vector, VectorVerdict
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.driving import BatchAnswer, KeyedMessages, compile_core, drive
from joulemark.hardware.drive.manifest_advice import advice
from joulemark.hardware.drive.workload import FittedKey, fitted_key, length_refusal

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
