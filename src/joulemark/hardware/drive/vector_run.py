# SPDX-License-Identifier: Apache-2.0
"""Holds a core to anybody's test vectors, and to the reference that its own results are held to.

All vectors go through one simulation, each a message alone, with a new key where the key changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.foreign.vectors import Vector, Verdict
from joulemark.hardware.bench.adapter import CoreAdapter
from joulemark.hardware.bench.protocols import adapter_class
from joulemark.hardware.core.manifest import Core
from joulemark.hardware.drive.accepted import FittedKey, fitted_key, length_refusal
from joulemark.hardware.drive.driving import BatchAnswer, KeyedMessages, compiled, drive
from joulemark.hardware.drive.manifest_advice import advice

__all__ = ["VectorAnswer", "VectorRun", "run_vectors"]

_LONGEST_S: Final = 24 * 3600.0
"""A core that hangs is ended by its clocks; this is for an adapter that does."""


@dataclass(frozen=True, slots=True)
class VectorAnswer:
    """A vector, and what the core made of it."""

    vector: Vector
    result: bytes | None
    """All of it; None where the core gave none."""
    reference: bytes | None
    """What the adapter's reference gives for the same."""
    clocks: int | None
    """Of the message alone, from the first period that offers a word to the last of its result."""
    wrong: str | None
    """Why the core fails, or None."""


@dataclass(frozen=True, slots=True)
class VectorRun:
    """What became of every vector of a file."""

    held: tuple[VectorAnswer, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of vectors that were not run."""
    changed_keys: Mapping[str, int]
    """What was done to a key outside the core -> for how many vectors."""

    @property
    def failed(self) -> tuple[VectorAnswer, ...]:
        """In the order of the file."""
        return tuple(held for held in self.held if held.wrong is not None)


def run_vectors(
    core: Core, parameters: Mapping[str, int], vectors: Sequence[Vector], folder: Path
) -> VectorRun:
    """Runs every vector that the core can be given.

    Raises:
        UnavailableError: a simulator is missing.
        UsageError: none of them is of the core's algorithm, or the manifest's table does not fit.
        ImplementationError: the core does not compile, or its adapter fails.
    """
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
    held: list[VectorAnswer] = []
    if taken:
        program = compiled(core, parameters, folder)
        plan = [KeyedMessages(key, (vector.message,)) for vector, key in taken]
        driven = drive(core, parameters, folder, program, plan, name="vectors",
                       timeout_s=_LONGEST_S)  # fmt: skip
        if isinstance(driven.ended, UsageError):
            raise driven.ended
        for (vector, _), answered in zip(taken, driven.batches, strict=False):
            held.append(_held(vector, answered, advice(core, program)))
        if driven.ended is not None:
            missing = taken[len(held) :]
            held.append(VectorAnswer(missing[0][0], None, None, None, str(driven.ended)))
            if len(missing) > 1:
                passed_over["the core gave no result for the one before"] += len(missing) - 1
    return VectorRun(tuple(held), passed_over, changed)


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


def _held(vector: Vector, answered: BatchAnswer, hint: str) -> VectorAnswer:
    result, reference = answered.results[0], answered.expected[0]
    clocks = answered.end - answered.begin
    return VectorAnswer(vector, result, reference, clocks, _wrong(vector, result, reference, hint))


def _wrong(vector: Vector, result: bytes, reference: bytes, hint: str) -> str | None:
    """Why a result fails: by its vector, or by the reference beyond what the vector holds."""
    cut, equal = result[: vector.output_bytes], vector.equals(result)
    if vector.verdict is Verdict.VALID and not equal:
        said = f"the core gives {cut.hex()}, the vector {vector.output.hex()}"
        if result == reference:
            return f"{said}; the reference says what the core says"
        other = "says what the vector says" if vector.equals(reference) else "agrees with neither"
        return f"{said}; the reference {other}{hint}"
    if vector.verdict is Verdict.INVALID and equal:
        return f"the core gives {cut.hex()}, which the vector says is wrong"
    if result != reference:
        return f"the core gives {result.hex()}, the reference {reference.hex()}{hint}"
    return None
