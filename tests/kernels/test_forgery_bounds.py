# SPDX-License-Identifier: Apache-2.0
"""The catalogue's numbers on forgeries, against numbers computed from the sizes."""

from __future__ import annotations

import re

import pytest

from joulemark.catalogue import AlgorithmFacts, algorithms

MACS = [facts for facts in algorithms().values() if facts.kind == "mac"]
CHAIN_BITS = {
    "hmac-md5": 128, "hmac-sha1": 160, "hmac-sha256": 256, "hmac-sha384": 512, "hmac-sha512": 512,
    "hmac-sha3-256": 512, "hmac-sha3-512": 1024,
}  # fmt: skip
"""Bits that must collide inside the hash: its chaining value (RFC 1321; FIPS 180-4, section 1), or
the capacity of a sponge, twice the digest (FIPS 202, section 6.1)."""
OVER_CIPHER = ("cmac-", "xcbc-", "cbc-mac-", "pmac-")
SP_800_38B_MESSAGES = 48
"""Binary logarithm of the most messages under one key of a 128-bit block cipher (appendix B)."""


def limit(facts: AlgorithmFacts) -> tuple[int, str]:
    """Binary logarithm and unit of the most messages or blocks under one key."""
    found = re.search(r"2\^(\d+) (messages|blocks)", facts.forgery)
    assert found, facts.forgery
    return int(found[1]), found[2]


def test_every_hmac_of_the_catalogue_is_here() -> None:
    """A new HMAC needs an entry with the bits that must collide in its hash."""
    assert {facts.id for facts in MACS if facts.id.startswith("hmac-")} == CHAIN_BITS.keys()


@pytest.mark.parametrize("name", CHAIN_BITS)
def test_an_hmac_lasts_until_inner_values_collide(name: str) -> None:
    """Both sentences state half the bits that must collide (Preneel and van Oorschot, 1995)."""
    facts = algorithms()[name]
    assert limit(facts) == (CHAIN_BITS[name] // 2, "messages")
    stated = re.search(r"about 2\^(\d+) tags", facts.status_reason)
    assert stated
    assert int(stated[1]) == CHAIN_BITS[name] // 2


@pytest.mark.parametrize(
    "facts",
    [algorithm for algorithm in MACS if algorithm.id.startswith(OVER_CIPHER)],
    ids=lambda entry: entry.id,
)
def test_a_mac_over_a_cipher_lasts_until_blocks_collide(facts: AlgorithmFacts) -> None:
    """The limit is half the bits of a block, or that of SP 800-38B if the sentence cites it."""
    if "SP 800-38B" in facts.forgery:
        assert facts.block_bytes == 16
        assert limit(facts) == (SP_800_38B_MESSAGES, "messages")
    else:
        assert limit(facts) == (4 * facts.block_bytes, "blocks")


@pytest.mark.parametrize(
    "facts",
    [algorithm for algorithm in MACS if algorithm.id.startswith(("umac-", "vmac-"))],
    ids=lambda entry: entry.id,
)
def test_a_universal_hash_loses_a_sixteenth_of_the_tag(facts: AlgorithmFacts) -> None:
    """UMAC's words of 32 bits count for 30 (RFC 4418, section 6.2), VMAC's of 64 for 60."""
    stated = re.search(r"1 in 2\^(\d+) for one guess", facts.forgery)
    assert stated
    assert int(stated[1]) == 8 * facts.output_bytes * 15 // 16 == facts.security_bits


@pytest.mark.parametrize("facts", MACS, ids=lambda entry: entry.id)
def test_a_guess_is_as_good_as_the_tag_or_the_key_is_short(facts: AlgorithmFacts) -> None:
    """The sentence gives one guess as many bits as the tag has, and mentions a shorter key."""
    stated = re.search(r"one guess in 2\^(\d+|t)", facts.forgery)
    if stated and stated[1] != "t" and "whatever the tag's length" not in facts.forgery:
        assert int(stated[1]) == 8 * facts.output_bytes
    if stated and min(facts.key_bytes) < facts.output_bytes:
        assert "a key of k bits" in facts.forgery


@pytest.mark.parametrize("facts", MACS, ids=lambda entry: entry.id)
def test_no_more_strength_is_claimed_than_the_tag_has(facts: AlgorithmFacts) -> None:
    """The claimed bits of security are at most the bits of the tag."""
    assert facts.security_bits <= 8 * facts.output_bytes


@pytest.mark.parametrize("facts", MACS, ids=lambda entry: entry.id)
def test_a_source_in_brackets_is_a_reference(facts: AlgorithmFacts) -> None:
    """An id of the bibliography that the sentence names is among the algorithm's references."""
    named = re.findall(r"\(([a-z]+\d{4})\)", facts.forgery)
    assert set(named) <= set(facts.references)
