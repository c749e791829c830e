# SPDX-License-Identifier: Apache-2.0
"""HMAC over hashes without an HMAC in the catalogue: facts, tags, and patterns that find it."""

from __future__ import annotations

import hmac

import pytest

from joulemark import _core
from joulemark.catalogue import algorithm_named, algorithms, families, hmacs_over_hashes
from joulemark.errors import UsageError
from joulemark.mac import Key
from joulemark.mac import algorithms as offered
from joulemark.measure.selection import select
from joulemark.reference import hmac_over, reference_output

OWN = [
    implementation
    for implementation in _core.builtin_plugin().implementations()
    if implementation.algorithm in hmacs_over_hashes() and not implementation.missing_features
]
KNOWN = ["hmac-keccak-256/bmi2", "hmac-keccak-256/portable", "hmac-sha256/portable"]


def test_every_hash_with_a_block_for_its_digest_has_an_hmac() -> None:
    """The catalogue has the HMAC or derives it; kernels give each derived HMAC as many variants."""
    hashes = {name: facts for name, facts in algorithms().items() if facts.kind == "hash"}
    fitting = {name for name, facts in hashes.items() if facts.block_bytes >= facts.output_bytes}
    derived = hmacs_over_hashes()
    assert {f"hmac-{name}" for name in fitting} <= algorithms().keys() | derived.keys()
    assert not algorithms().keys() & derived.keys()
    kernels = {(f"hmac-{implementation.algorithm}", implementation.variant)
               for implementation in _core.builtin_plugin().implementations()
               if f"hmac-{implementation.algorithm}" in derived}  # fmt: skip
    assert kernels == {(implementation.algorithm, implementation.variant)
                       for implementation in _core.builtin_plugin().implementations()
                       if implementation.algorithm in derived}  # fmt: skip


def test_facts_are_those_of_the_hash() -> None:
    """Block, digest and status are the hash's; the strength is twice that against collisions."""
    facts, digest = algorithm_named("hmac-keccak-256"), algorithms()["keccak-256"]
    assert facts.kind == "mac"
    assert (facts.block_bytes, facts.output_bytes) == (digest.block_bytes, digest.output_bytes)
    assert (facts.status, facts.security_bits) == (digest.status, 2 * digest.security_bits)
    assert facts.key_bytes == [digest.output_bytes]
    assert families()["hmac-derived"] == tuple(sorted(hmacs_over_hashes()))


@pytest.mark.parametrize("key_bytes", [0, 64, 300])
def test_the_reference_is_pythons(key_bytes: int) -> None:
    """Python's HMAC agrees, with a key of no byte, of a block, and of more than a block."""
    key, message = bytes(range(256)) * 2, b"three sentences"
    expected = hmac.digest(key[:key_bytes], message, "sha3_384")
    found = hmac_over(
        lambda of: reference_output("sha3-384", b"", of), 104, key[:key_bytes], message
    )
    assert found == expected


def test_tags_are_those_of_the_reference() -> None:
    """Variants agree for keys round a block, and messages of no byte to some blocks, in parts."""
    data = bytes((7 * i + 3) % 251 for i in range(700))
    assert OWN
    expected: dict[tuple[str, int, int], bytes] = {}
    for implementation in OWN:
        for key_bytes, bytes_ in (
            (implementation.key_bytes, 0),
            (implementation.block_bytes, 3 * implementation.block_bytes),
            (implementation.block_bytes + 1, 101),
        ):
            key, message = data[:key_bytes], data[:bytes_]
            case = implementation.algorithm, key_bytes, bytes_
            if case not in expected:
                expected[case] = reference_output(
                    implementation.algorithm, key, message, block_bytes=implementation.block_bytes
                )
            state = _core.KeyState(implementation, key)
            stream = _core.Stream(state)
            stream.update(message[: bytes_ // 3])
            stream.update(message[bytes_ // 3 :])
            assert state.tag(message) == stream.finish() == expected[case], (
                implementation.variant,
                case,
            )


def test_a_key_is_made_by_naming_it() -> None:
    """Key takes the name, alone and many at once; `offered` lists algorithms with an engine."""
    key = Key("hmac-sha3-224", b"Jefe")
    expected = hmac.digest(b"Jefe", b"message", "sha3_224")
    assert key.tag(b"message") == expected
    assert key.verify(b"message", expected)
    assert [bytes(tag) for tag in key.tag_many([b"message", b"message"])] == [expected] * 2
    assert "hmac-sha3-224" not in offered()


def test_names_and_the_family_find_it_and_globs_do_not() -> None:
    """Else `hmac-*` would select more than the catalogue's algorithms."""
    assert select(["hmac-*"], KNOWN) == ["hmac-sha256/portable"]
    assert select(["hmac-keccak-256"], KNOWN) == KNOWN[:2]
    assert select(["hmac-keccak-256/b*"], KNOWN) == KNOWN[:1]
    assert select(["family:hmac-derived"], KNOWN) == KNOWN[:2]


def test_a_hash_whose_digest_is_longer_than_its_block_has_none() -> None:
    """RFC 2104 puts the digest of a long key into a block; the message says so."""
    with pytest.raises(UsageError, match="a block of 8 bytes does not hold a digest of 32"):
        algorithm_named("hmac-ascon-hash256")
    with pytest.raises(UsageError, match="a block of 8 bytes does not hold a digest of 32"):
        select(["hmac-ascon-hash256"], KNOWN)


def test_a_slip_is_answered_with_the_catalogue_first() -> None:
    """A derived HMAC is offered only if no name of the catalogue is near."""
    with pytest.raises(UsageError, match=r"did you mean hmac-sha256\?"):
        select(["hmac-sha265"], KNOWN)
