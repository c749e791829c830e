# SPDX-License-Identifier: Apache-2.0
"""A name with a slip: every command answers with the existing name that it resembles."""

from __future__ import annotations

import pytest

ANSWER = "did you mean hmac-sha256? (joulemark list shows all)"


@pytest.mark.parametrize("typed", ["HMAC-SHA256", "hmac_sha256", "HmacSha256", "sha256-hmac"])
def test_the_name_is_offered(refused, key_file, typed):
    """A name with wrong case, signs or order of words gets the right name alone."""
    line = refused("tag", typed, "--key-file", key_file(bytes(32)))
    assert line.endswith(f"unknown algorithm '{typed}'; {ANSWER}")


def test_verify_offers_it(refused, key_file):
    """`verify` offers the name in the same words as `tag`."""
    line = refused("verify", "HMAC-SHA256", "--key-file", key_file(bytes(32)), "--tag", "00")
    assert line.endswith(ANSWER)


@pytest.mark.parametrize("command", ["bench", "show"])
def test_algorithms_and_variants_are_offered(refused, command):
    """`bench` and `show` offer names of algorithms and variants in the same words."""
    assert refused(command, "HMAC-SHA256").endswith(ANSWER)
    assert "did you mean hmac-sha256/portable?" in refused(command, "hmac-sha256/Portable")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("reproduce", "Castellon_2022"), "castellon2022"),
        (("core", "report", "HMAC-SHA256"), "hmac_sha256"),
        (("core", "report", "siphash", "--target", "ECP-5"), "ecp5"),
        (("core", "report", "siphash", "--configuration", "Default"), "default"),
    ],
)
def test_papers_and_cores_are_offered(refused, words, name):
    """Names of studies, cores, targets and configurations are offered."""
    assert f"did you mean {name}?" in refused(*words)
