# SPDX-License-Identifier: Apache-2.0
"""Families of algorithms in patterns."""

from __future__ import annotations

import pytest

from joulemark.catalogue import alternatives, every_algorithm, families
from joulemark.errors import UsageError
from joulemark.measure.selection import select

KNOWN = [
    "keccak-256/bmi2",
    "sha3-256/auto",
    "sha3-256/bmi2",
    "sha3-256/portable",
    "sha3-512/portable",
    "sha256/portable",
    "shake128-256/portable",
]


def test_every_member_says_its_families():
    """The families invert the lists in the algorithms' files; families and members are in order."""
    assert {"jh-r2-256", "keccak-r2-512", "skein-512-r2-512"} <= set(families()["sha3-round2"])
    assert len(families()["sha3-round2"]) == 28
    assert families()["skein"][0] == "skein-512-256"
    assert families()["echo"] == ("echo-256", "echo-512")
    assert list(families()) == sorted(families())
    for family, members in families().items():
        assert all(family in every_algorithm()[member].families for member in members)
        assert list(members) == sorted(members)


def test_a_family_matches_its_algorithms_alone():
    """A family selects the algorithms that run here; `auto` must be named, as in every pattern."""
    assert select(["family:sha3"], KNOWN) == [
        "sha3-256/bmi2", "sha3-256/portable", "sha3-512/portable", "shake128-256/portable",
    ]  # fmt: skip
    assert select(["family:sha3/auto", "sha256"], KNOWN) == ["sha256/portable", "sha3-256/auto"]


def test_a_variant_of_a_family_need_not_be_in_all():
    """The pattern may be a glob over variants, and may name their twins."""
    assert select(["family:keccak/bmi2"], KNOWN) == ["keccak-256/bmi2", "sha3-256/bmi2"]
    assert select(["family:keccak/bmi*#2"], KNOWN) == ["keccak-256/bmi2#2", "sha3-256/bmi2#2"]


def test_a_pattern_without_a_family_stays():
    """A pattern that names no family keeps its meaning."""
    assert alternatives("hmac-*") == ["hmac-*/*"]
    assert alternatives("*/openssl_*") == ["*/openssl_*"]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("family:sha33", "unknown family 'sha33'; did you mean sha3? (there are "),
        ("family:", "unknown family '' (there are "),
        ("family:sha3/nettle", "no algorithm of this family has such an implementation here"),
        ("family:sha3-final/portable", "no algorithm of this family has such an implementation"),
    ],
)
def test_an_unknown_family_is_refused(pattern, says):
    """The message is one sentence that says which families there are."""
    with pytest.raises(UsageError) as refusal:
        select([pattern], KNOWN)
    assert says in str(refusal.value)
