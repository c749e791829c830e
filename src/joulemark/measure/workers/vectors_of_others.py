# SPDX-License-Identifier: Apache-2.0
"""Compares an implementation with test vectors of others: of Project Wycheproof, or of NIST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.catalogue.algorithms import every_algorithm
from joulemark.foreign.vectors import Vector, VectorVerdict
from joulemark.measure.worker_messages.runs import OutputCase
from joulemark.records.implementation import ImplementationFacts

AskOutputs = Callable[[Sequence[OutputCase]], Sequence[str | None]]
_AT_ONCE: Final = 500
"""Most cases in one request, which are some MiB with the longest messages of such files."""
_NONCES: Final = "they have nonces of {} bytes"
_NOT_CUT: Final = "kmac"
"""Algorithm whose shorter tags are not cut from longer ones (NIST SP 800-185, section 4.3)."""


@dataclass(frozen=True, slots=True)
class HeldVector:
    """A vector that the implementation fails, and why."""

    vector: Vector
    wrong: str


@dataclass(frozen=True, slots=True)
class VectorReport:
    """The numbers of vectors that passed, failed, and were passed over."""

    passed: int
    failed: tuple[HeldVector, ...]
    passed_over: Mapping[str, int]
    """Reason -> number of vectors that the implementation cannot take."""


def hold_to_vectors(
    facts: ImplementationFacts, vectors: Sequence[Vector], ask_outputs: AskOutputs
) -> VectorReport:
    """Computes every vector that the implementation can take, and compares the outputs.

    An invalid vector passes where the tag differs. It passes too where its key or nonce has a
    length that the implementation does not take: files call such keys invalid, and every check
    makes sure that they are refused.

    Args:
        facts: facts of the implementation.
        vectors: vectors of its algorithm, and of others, which are passed over.
        ask_outputs: asks the implementation's worker for outputs in hexadecimal; None for a message
            that it refuses.
    """
    algorithm = facts.implementation.partition("/")[0]
    passed_over: Counter[str] = Counter()
    taken: list[Vector] = []
    passed = 0
    for vector in vectors:
        if reason := _refusal(vector, algorithm, facts):
            passed_over[reason] += 1
        elif (reason := _wrong_length(vector, facts)) is None:
            taken.append(vector)
        elif vector.verdict is VectorVerdict.VALID:
            passed_over[reason] += 1
        else:
            passed += 1
    failed: list[HeldVector] = []
    for first in range(0, len(taken), _AT_ONCE):
        part = taken[first : first + _AT_ONCE]
        outputs = ask_outputs(
            [
                OutputCase(vector.key or b"", vector.message, nonce=vector.nonce or b"")
                for vector in part
            ]
        )
        for vector, output in zip(part, outputs, strict=True):
            if output is None and vector.nonce and vector.verdict is VectorVerdict.VALID:
                passed_over[_NONCES.format(len(vector.nonce))] += 1
            elif wrong := _wrong(vector, None if output is None else bytes.fromhex(output)):
                failed.append(HeldVector(vector, wrong))
            else:
                passed += 1
    return VectorReport(passed, tuple(failed), passed_over)


def _refusal(vector: Vector, algorithm: str, facts: ImplementationFacts) -> str | None:
    """Why the implementation cannot take a vector; None if it can."""
    if not vector.is_of(algorithm):
        return f"they are of {vector.algorithm}"
    if (vector.key is None) != (facts.kind == "hash"):
        return "they have a key" if vector.key is not None else "they have no key"
    if (vector.nonce is None) == bool(every_algorithm()[algorithm].nonce_bytes):
        return "they have no nonce" if vector.nonce is None else "they have a nonce"
    whole_bytes = every_algorithm()[algorithm].output_bytes
    if algorithm.startswith(_NOT_CUT) and vector.output_bytes != whole_bytes:
        return (
            f"they have tags of {vector.output_bytes} bytes, of which {algorithm} has {whole_bytes}"
        )
    return None


def _wrong_length(vector: Vector, facts: ImplementationFacts) -> str | None:
    """Why the implementation cannot take key or nonce; None if it can or only a worker can tell.

    An empty nonce is no nonce to a worker, which then takes zeros.
    """
    most = facts.key_bytes_max
    length = facts.key_bytes_min if vector.key is None else len(vector.key)
    if length < facts.key_bytes_min or (most is not None and length > most):
        return f"they have keys of {length} bytes"
    return _NONCES.format(0) if vector.nonce == b"" else None


def _wrong(vector: Vector, output: bytes | None) -> str | None:
    """Why an output fails its vector; None if it passes."""
    if output is None:
        return "it is refused" if vector.verdict is VectorVerdict.VALID else None
    shown = output[: vector.output_bytes].hex()
    if vector.verdict is VectorVerdict.VALID and not vector.equals(output):
        return f"the output is {shown}, the vector's {vector.output.hex()}"
    if vector.verdict is VectorVerdict.INVALID and vector.equals(output):
        return f"the output is {shown}, which the vector says is wrong"
    return None
