# SPDX-License-Identifier: Apache-2.0
"""Every implementation found here against published vectors and independent references."""

from __future__ import annotations

import random

import pytest

from joulemark import _core
from joulemark.catalogue import algorithms, hmacs_over_hashes
from joulemark.catalogue.vectors import vectors
from joulemark.errors import ImplementationError
from joulemark.measure.inventory import Inventory
from joulemark.measure.pool import WorkerPool
from joulemark.measure.worker.messages import output_text
from joulemark.measure.worker.run_messages import ComputeOutputs, OutputCase
from joulemark.reference import in_hashlib, reference_output

EVERY_LENGTH = range(1026)
ALL_TO_BYTES = 260
"""Longer messages end at a block's end or a byte beside it; exhaustive runs add the others."""
ROUND_64_KIB = (65534, 65535, 65536, 65537)


def outputs_of(pool: WorkerPool, implementation: str, cases: list[OutputCase]) -> list[str | None]:
    """The outputs of an implementation; None for a length that it does not take."""
    request = ComputeOutputs(implementation, tuple(cases))
    return list(pool.ask(implementation, request, limit_s=120).outputs)


def reference(algorithm: str, key: bytes, message: bytes) -> bytes:
    """The reference's output; a cipher's blocks are encrypted each by itself."""
    if algorithms()[algorithm].kind != "cipher":
        return reference_output(algorithm, key, message)
    size = algorithms()[algorithm].block_bytes
    blocks = (message[at : at + size] for at in range(0, len(message), size))
    return b"".join(reference_output(algorithm, key, block) for block in blocks)


def lengths_for(algorithm: str, *, every: bool = False) -> list[int]:
    """The lengths in bytes that an algorithm takes; for a cipher only whole blocks."""
    unit = max(algorithms()[algorithm].block_bytes, 64)
    ends = {0, 1, unit - 1}
    chosen = (at for at in EVERY_LENGTH if every or at < ALL_TO_BYTES or at % unit in ends)
    lengths = [*chosen, *ROUND_64_KIB]
    if algorithms()[algorithm].kind == "cipher":
        block = algorithms()[algorithm].block_bytes
        lengths = [length for length in lengths if length and length % block == 0]
    return lengths


def lengths_of_reference(algorithm: str) -> set[int]:
    """The lengths at which an implementation is held to the reference itself.

    Readable code takes up to a millisecond a block, so these are the lengths around the ends of the
    first two blocks, and some longer lengths. At other lengths our portable kernel gives the right
    output: `tests/reference` compares it with digests of the references' outputs at every length.
    """
    every = lengths_for(algorithm, every=True)
    if in_hashlib(algorithm):
        return set(every)
    block = algorithms()[algorithm].block_bytes
    ends = {end + by for end in (0, block, 2 * block) for by in (-1, 0, 1)}
    return (ends | {*range(0, EVERY_LENGTH.stop, 205)}) & set(every)


def random_cases(algorithm: str, key_bytes: int, *, every: bool) -> list[OutputCase]:
    """One random key and a random message of each of the lengths."""
    chance = random.Random(f"{algorithm}/{key_bytes}")
    return [
        OutputCase(chance.randbytes(key_bytes), chance.randbytes(length))
        for length in lengths_for(algorithm, every=every)
    ]


def right_outputs(algorithm: str, pool: WorkerPool, cases: list[OutputCase]) -> list[str | None]:
    """The reference's outputs, or our portable kernel's outside `lengths_of_reference`."""
    by_reference = lengths_of_reference(algorithm)
    portable: list[str | None] = [None] * len(cases)
    if len(by_reference) < len(cases):
        portable = outputs_of(pool, f"{algorithm}/portable", cases)
    return [
        output_text(reference(algorithm, case.key, case.message))
        if len(case.message) in by_reference
        else ours
        for case, ours in zip(cases, portable, strict=True)
    ]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_lengths_agree_between_implementations(
    algorithm: str, every: bool, inventory: Inventory, pool: WorkerPool
) -> None:
    """All implementations give the right output at the lengths of `lengths_for`.

    One that dies is named, and does not keep the others of its algorithm from their test.
    """
    faults: list[str] = []
    made: dict[int, tuple[list[OutputCase], list[str | None]]] = {}
    found = [facts for name, facts in inventory.facts.items()
             if name.startswith(f"{algorithm}/") and facts.chosen is None]  # fmt: skip
    assert found
    for facts in found:
        if facts.key_bytes not in made:
            drawn = random_cases(algorithm, facts.key_bytes, every=every)
            made[facts.key_bytes] = drawn, right_outputs(algorithm, pool, drawn)
        cases, expected = made[facts.key_bytes]
        try:
            outputs = outputs_of(pool, facts.implementation, cases)
        except ImplementationError as error:
            faults.append(f"{facts.implementation}: {error}")
            continue
        refused = {len(case.message) for case, got in zip(cases, outputs, strict=True)
                   if got is None}  # fmt: skip
        # A library may take no empty message, or none beyond 64 KiB; our own code takes all.
        assert refused <= ({0, 65537} if facts.provider != "joulemark" else set())
        wrong = [len(case.message)
                 for case, got, want in zip(cases, outputs, expected, strict=True)
                 if got is not None and got != want]  # fmt: skip
        if wrong:
            faults.append(f"{facts.implementation}: wrong at the lengths {wrong}")
    assert not faults, "\n".join(faults)


def test_every_plugin_is_opened(inventory: Inventory) -> None:
    """No plugin of a library that is here dies, hangs or is refused when it is loaded."""
    missing = {source.name for source in inventory.sources.values() if source.unavailable}
    faults = [
        f"{failure.implementation}: {failure.reason}"
        for failure in inventory.unavailable
        if failure.implementation.startswith("*/")
        and failure.implementation.removeprefix("*/") not in missing
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.exhaustive
def test_each_implementation_passes_the_thorough_check(inventory: Inventory) -> None:
    """Each passes the check that comes before timing; `pool` checks one of each kind like this."""
    workers = WorkerPool(inventory, None)
    try:
        faults = []
        for name in inventory.facts:
            try:
                workers.check(name)
            except ImplementationError as error:
                faults.append(f"{name}: {error}")
    finally:
        workers.close()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_published_vectors_hold_for_the_reference(algorithm: str) -> None:
    """Vectors, references and catalogue agree, so a typing error in any of them would show."""
    facts = algorithms()[algorithm]
    cases = vectors(algorithm)
    assert cases
    for case in cases:
        key = bytes.fromhex(case.key_hex)
        message = bytes.fromhex(case.message_hex) * case.message_repeat
        output = reference_output(algorithm, key, message, nonce=bytes.fromhex(case.nonce_hex))
        assert len(output) == facts.output_bytes
        assert output.hex().startswith(case.output_hex.lower()), case.name


def own(kind: str) -> list[_core.Implementation]:
    """Our own kernels of one kind for this CPU; of HMAC over hashes only that of one hash."""
    left_out = hmacs_over_hashes().keys() - {"hmac-keccak-256"}
    return [implementation for implementation in _core.builtin_plugin().implementations()
            if implementation.kind == kind and not implementation.missing_features
            and implementation.algorithm not in left_out]  # fmt: skip


@pytest.mark.parametrize(
    "implementation", own("mac"), ids=lambda entry: f"{entry.algorithm}/{entry.variant}"
)
def test_key_state_is_kept_copied_and_wiped(implementation: _core.Implementation) -> None:
    """A kept key gives the same tag twice; a copy outlives the original; a wiped key is refused."""
    key, message = (
        bytes(range(implementation.key_bytes)),
        b"three sentences of nothing in particular",
    )
    state = _core.KeyState(implementation, key)
    tag = state.tag(message)
    assert state.tag(message) == tag
    copy = state.copy()
    stream = _core.Stream(state)
    stream.update(message[:7])
    state.wipe()
    assert copy.tag(message) == tag
    stream.update(message[7:])
    assert stream.finish() == tag
    with pytest.raises(ValueError, match="wiped"):
        state.tag(message)
    with pytest.raises(ValueError, match="ended"):
        stream.finish()


@pytest.mark.parametrize(
    "implementation",
    [implementation for implementation in own("mac") if implementation.key_bytes_max is not None],
    ids=lambda entry: f"{entry.algorithm}/{entry.variant}",
)
def test_key_of_wrong_length_is_refused(implementation: _core.Implementation) -> None:
    """A key outside the stated lengths is refused, and the message says so."""
    assert implementation.key_bytes_max is not None
    for length in (implementation.key_bytes_min - 1, implementation.key_bytes_max + 1):
        with pytest.raises(ValueError, match=r"takes keys of .* bytes, not of this length"):
            _core.KeyState(implementation, bytes(max(0, length)))
