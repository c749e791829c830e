# SPDX-License-Identifier: Apache-2.0
"""joulemark.foreign: the name offered in place of a name that does not exist."""

from __future__ import annotations

import pytest

from joulemark.catalogue import algorithms
from joulemark.foreign import did_you_mean, near_names

KNOWN = [*algorithms()]


@pytest.mark.parametrize("name", KNOWN)
def test_case_and_signs_are_certain(name: str) -> None:
    """The name in capitals, with other signs or with none, gives the name and no other."""
    for typed in (
        name.upper(), name.replace("-", "_"), name.replace("-", ""), name.replace("-", " ").title(),
    ):  # fmt: skip
        if typed != name:
            assert near_names(typed, KNOWN) == [name]


def slips(name: str, at: int) -> tuple[str, str, str]:
    """The letter is missing, doubled, or changes places with the next."""
    return (
        name[:at] + name[at + 1 :],
        name[: at + 1] + name[at:],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    )


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("kinds", [1, pytest.param(3, marks=pytest.mark.exhaustive)])
def test_a_slip_of_one_letter_finds_the_name(name: str, kinds: int) -> None:
    """The name is among the answers for each slip of a letter, tried in turn.

    The exception is a slip that makes another name but for its signs: sha-256 means sha256.
    """
    letters = {text.replace("-", ""): text for text in KNOWN}
    for at in range(len(name) - 1):
        for typed in (slips(name, at) * 2)[at % 3 :][:kinds]:
            if typed in KNOWN:
                continue
            meant = letters.get(typed.replace("-", ""), name)
            assert meant in near_names(typed, KNOWN), typed


def test_words_in_another_order() -> None:
    """Words in the order that other libraries use find the name."""
    assert near_names("SHA256-HMAC", KNOWN) == ["hmac-sha256"]
    assert near_names("AES-128-CMAC", KNOWN) == ["cmac-aes128"]


def test_a_part_of_names_offers_them() -> None:
    """At most four names are offered, so that they fit one sentence."""
    assert near_names("hmac", ["hmac-sha256", "sha256"]) == ["hmac-sha256"]
    assert len(near_names("sha", KNOWN)) == 4


@pytest.mark.parametrize("typed", ["", "-", "*", "ß\n", "\0", "no such thing", "x" * 100_000])
def test_nonsense_offers_nothing(typed: str) -> None:
    """If no name is near, no name is offered."""
    assert near_names(typed, KNOWN) == []
    assert did_you_mean(typed, KNOWN) == ""


def test_nothing_is_known() -> None:
    """If there are no names, no name is offered."""
    assert near_names("sha256", []) == []
