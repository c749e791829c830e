# SPDX-License-Identifier: Apache-2.0
"""Holds an implementation to anybody's test vectors: of Project Wycheproof, or of NIST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.foreign.vectors import Vector, Verdict
from joulemark.measure.worker_messages.runs import OutputCase
from joulemark.records.implementation import ImplementationFacts

__all__ = ["HeldVector", "VectorReport", "hold_to_vectors"]

AskOutputs = Callable[[Sequence[OutputCase]], Sequence[str | None]]
_AT_ONCE: Final = 500
"""Cases in one request: with the longest messages of such files some MiB."""


@dataclass(frozen=True, slots=True)
class HeldVector:
    """A vector that the implementation fails, and why."""

    vector: Vector
    wrong: str


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What became of the vectors of a file."""

    passed: int
    failed: tuple[HeldVector, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of vectors that the implementation cannot be given."""


def hold_to_vectors(
    facts: ImplementationFacts, vectors: Sequence[Vector], ask_outputs: AskOutputs
) -> VectorReport:
    """Computes every vector that the implementation can be given, and compares.

    An invalid vector passes where the tag differs. It passes too where its key has a length that
    the implementation does not take: files call such keys invalid, and that they are refused is
    part of every check.

    Args:
        facts: of the implementation.
        vectors: of its algorithm and of others, which are passed over.
        ask_outputs: asks the implementation's worker for outputs in hexadecimal; None of a
            message that it refuses.
    """
    algorithm = facts.implementation.partition("/")[0]
    passed_over: Counter[str] = Counter()
    taken: list[Vector] = []
    refused_keys = 0
    for one in vectors:
        if reason := _refusal(one, algorithm, facts):
            passed_over[reason] += 1
        elif _takes_key(one, facts):
            taken.append(one)
        elif one.verdict is Verdict.VALID:
            passed_over[f"they have keys of {len(one.key or b'')} bytes"] += 1
        else:
            refused_keys += 1
    failed: list[HeldVector] = []
    for first in range(0, len(taken), _AT_ONCE):
        part = taken[first : first + _AT_ONCE]
        outputs = ask_outputs([OutputCase(one.key or b"", one.message) for one in part])
        for one, output in zip(part, outputs, strict=True):
            if wrong := _wrong(one, None if output is None else bytes.fromhex(output)):
                failed.append(HeldVector(one, wrong))
    return VectorReport(len(taken) - len(failed) + refused_keys, tuple(failed), passed_over)


def _refusal(vector: Vector, algorithm: str, facts: ImplementationFacts) -> str | None:
    """Why the implementation cannot be given a vector; None if it can."""
    if not vector.is_of(algorithm):
        return f"they are of {vector.algorithm}"
    if (vector.key is None) != (facts.kind == "hash"):
        return "they have a key" if vector.key is not None else "they have no key"
    return None


def _takes_key(vector: Vector, facts: ImplementationFacts) -> bool:
    most = facts.key_bytes_max
    return vector.key is None or (
        facts.key_bytes_min <= len(vector.key) and (most is None or len(vector.key) <= most)
    )


def _wrong(vector: Vector, output: bytes | None) -> str | None:
    """Why an output fails its vector, or None."""
    if output is None:
        return "it is refused" if vector.verdict is Verdict.VALID else None
    given = output[: vector.output_bytes].hex()
    if vector.verdict is Verdict.VALID and not vector.equals(output):
        return f"the output is {given}, the vector's {vector.output.hex()}"
    if vector.verdict is Verdict.INVALID and vector.equals(output):
        return f"the output is {given}, which the vector says is wrong"
    return None
