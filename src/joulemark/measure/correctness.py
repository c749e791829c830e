# SPDX-License-Identifier: Apache-2.0
"""Correct before fast: what an implementation must compute before it is timed, and after.

Expected outputs come from the published vectors and from `joulemark.reference`, which shares no
code with any kernel. A message longer than REFERENCE_BYTES is expected to give what our portable
kernel gives, since a readable reference would take minutes; that kernel is itself held to the
reference up to that length.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from joulemark import _core
from joulemark.catalogue.algorithms import algorithms
from joulemark.catalogue.vectors import vectors
from joulemark.errors import UncheckedError, WrongOutputError
from joulemark.measure.records import ImplementationFacts
from joulemark.measure.worker import output_text
from joulemark.reference import reference_output

__all__ = ["REFERENCE_BYTES", "check_outputs", "expected_output", "trial_key"]

REFERENCE_BYTES = 1 << 16
_LENGTHS = (*range(131), 255, 256, 257, 1000, 1023, 1024, 1025)
"""Every length round the block edges of all algorithms, and some longer ones."""

Ask = Callable[[list[dict[str, Any]]], list[str]]
"""Cases -> outputs, answered by the worker that runs the implementation."""


def trial_key(facts: ImplementationFacts) -> bytes:
    """The key of every trial of an implementation: fixed, without equal bytes in a row."""
    return bytes((7 * i + 3) % 256 for i in range(facts.key_bytes))


def _reference(algorithm: str, key: bytes, message: bytes) -> bytes:
    """The reference's output; for a cipher, of each block by itself."""
    facts = algorithms()[algorithm]
    if facts.kind != "cipher":
        return reference_output(algorithm, key, message)
    size = facts.block_bytes
    blocks = (message[at : at + size] for at in range(0, len(message), size))
    return b"".join(reference_output(algorithm, key, block) for block in blocks)


@cache
def expected_output(algorithm: str, key: bytes, size_bytes: int) -> str:
    """What the harness's message of this size must give, as `output_text` writes it.

    Raises:
        UncheckedError: the algorithm has no reference.
    """
    message = _core.message(size_bytes)
    fast_reference = algorithm.startswith("hmac-") or algorithms()[algorithm].kind == "hash"
    if fast_reference or size_bytes <= REFERENCE_BYTES:
        return output_text(_reference(algorithm, key, message))
    for implementation in _core.builtin_plugin().implementations():
        if (implementation.algorithm, implementation.variant) == (algorithm, "portable"):
            if implementation.kind == "cipher":
                return output_text(implementation.encrypt(key, message))
            return output_text(_core.KeyState(implementation, key).tag(message))
    raise UncheckedError(
        f"no reference for '{algorithm}' at {size_bytes} bytes; at most "
        f"{REFERENCE_BYTES} bytes can be checked"
    )


def _takes_key(facts: ImplementationFacts, key: bytes) -> bool:
    most = facts.key_bytes_max
    return len(key) >= facts.key_bytes_min and (most is None or len(key) <= most)


def _cases(facts: ImplementationFacts, algorithm: str) -> list[tuple[str, dict[str, Any], str]]:
    """(name, case for the worker, expected output) in checking order."""
    cases = []
    for vector in vectors(algorithm):
        if facts.kind == "hash" or _takes_key(facts, bytes.fromhex(vector.key_hex)):
            case = {
                "key": vector.key_hex,
                "message": vector.message_hex,
                "repeat": vector.message_repeat,
            }
            cases.append((f"published vector '{vector.name}'", case, vector.output_hex.lower()))
    key = trial_key(facts)
    for length in _LENGTHS:
        if facts.kind == "cipher" and (length == 0 or length % facts.block_bytes):
            continue
        case = {"key": key.hex(), "pattern_bytes": length}
        expected = expected_output(algorithm, key, length)
        cases.append((f"a message of {length} bytes", case, expected))
    return cases


def check_outputs(facts: ImplementationFacts, ask: Ask) -> None:
    """Holds an implementation to its vectors and to the reference.

    Raises:
        WrongOutputError: an output differs; the message says for which input.
        UncheckedError: the algorithm is not in the catalogue, so nothing can be checked.
    """
    algorithm = facts.implementation.split("/", 1)[0]
    if algorithm not in algorithms():
        raise UncheckedError(
            f"'{algorithm}' is not in the catalogue, so its output cannot be checked; "
            f"add catalogue/algorithms/{algorithm}.toml and vectors"
        )
    cases = _cases(facts, algorithm)
    outputs = ask([case for _, case, _ in cases])
    for (name, _, expected), output in zip(cases, outputs, strict=True):
        if not _agrees(output, expected):
            raise WrongOutputError(
                f"{name} gives {output[:32]}..., not {expected[:32]}...; it is not timed"
            )


def _agrees(output: str, expected: str) -> bool:
    """Equal, or equal to a truncated expectation (RFC 4231 test case 5)."""
    return bool(expected) and output.startswith(expected)
