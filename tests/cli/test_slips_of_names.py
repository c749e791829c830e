# SPDX-License-Identifier: Apache-2.0
"""A name with a slip: every command answers with the existing name that it resembles."""

from __future__ import annotations

import pytest

ANSWER = "did you mean hmac-sha256? (joulemark list shows all)"


@pytest.mark.parametrize("typed", ["HMAC-SHA256", "hmac_sha256", "HmacSha256", "sha256-hmac"])
def test_the_name_is_offered(refused, key_file, typed):
    """Alone: its case, its signs, or the order of its words were wrong."""
    line = refused("tag", typed, "--key-file", key_file(bytes(32)))
    assert line.endswith(f"unknown algorithm '{typed}'; {ANSWER}")


def test_verify_offers_it(refused, key_file):
    """In the same words as `tag`."""
    line = refused("verify", "HMAC-SHA256", "--key-file", key_file(bytes(32)), "--tag", "00")
    assert line.endswith(ANSWER)


@pytest.mark.parametrize("command", ["bench", "show"])
def test_algorithms_and_variants_are_offered(refused, command):
    """In the same words by what measures and what lists."""
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
    """Names of studies, cores, targets and configurations."""
    assert f"did you mean {name}?" in refused(*words)
