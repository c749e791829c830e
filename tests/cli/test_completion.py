# SPDX-License-Identifier: Apache-2.0
"""The words that the shell offers after <Tab>."""

from __future__ import annotations

import os
import sys

import pytest

from joulemark.cli.shared.completion import (
    algorithm_names,
    implementation_names,
    mac_names,
    words_of,
)
from joulemark.records.trial import KeySetup


def names(offered):
    """The words without their help texts."""
    return [word for word, _ in offered]


def test_algorithms_are_offered_by_beginning():
    """All algorithms that begin with the typed text are offered with their titles."""
    assert names(algorithm_names("hmac-sha")) == [
        "hmac-sha1", "hmac-sha256", "hmac-sha3-256", "hmac-sha3-512", "hmac-sha384", "hmac-sha512",
    ]  # fmt: skip
    assert dict(algorithm_names("hmac-sha256"))["hmac-sha256"] == "HMAC-SHA-256"


def test_macs_alone_are_offered_where_a_tag_is_made():
    """`tag` does not offer hashes."""
    assert "sha256" in names(algorithm_names(""))
    assert "sha256" not in names(mac_names(""))


def test_implementations_are_offered_after_the_slash():
    """After the slash our own variants are offered."""
    assert "hmac-sha256/portable" in names(implementation_names("hmac-sha256/p"))
    assert implementation_names("hmac-sha256/zzz") == []


def test_families_are_offered_where_a_pattern_stands():
    """A family is offered with the number of its algorithms, and only where a pattern may stand."""
    assert "family:sha3" in names(implementation_names("fam"))
    assert dict(implementation_names("family:sha2"))["family:sha2"] == "5 algorithms"
    assert not any(name.startswith("family") for name in names(algorithm_names("")))


def test_completion_starts_no_process(monkeypatch):
    """Nothing is started for a completion."""
    monkeypatch.setattr("subprocess.Popen", None)
    assert implementation_names("siphash-2-4/")
    assert algorithm_names("s")


def test_a_completion_never_fails(monkeypatch):
    """A damaged catalogue offers nothing instead of a traceback in the shell."""
    monkeypatch.setattr("joulemark.cli.shared.completion.algorithms", None)
    assert algorithm_names("") == []


def test_several_words_are_offered_one_after_another():
    """After a comma the words that are left are offered."""
    offered = words_of(KeySetup)
    assert offered("") == ["kept", "fresh", "distinct"]
    assert offered("fresh,") == ["fresh,kept", "fresh,distinct"]
    assert offered("fresh,k") == ["fresh,kept"]
    assert offered("nonsense") == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("show hmac-m", [b"hmac-md5"]),
        ("bench --mode la", [b"latency"]),
        ("bench --cache c", [b"cold"]),
        ("bench --key f", [b"fresh"]),
        ("bench --target r", [b"rtl:verilator"]),
        ("tag hmac-m", [b"hmac-md5"]),
        ("tag hmac-md5 --key-e", [b"--key-env"]),
        ("verify --tag-f", [b"--tag-file"]),
    ],
)
def test_the_shell_gets_its_words(command, typed, offered):
    """The real command answers bash in its own protocol."""
    environment = {**os.environ, "_JOULEMARK_COMPLETE": "complete_bash",
                   "COMP_WORDS": f"joulemark {typed}",
                   "COMP_CWORD": str(len(typed.split()))}  # fmt: skip
    code = "from joulemark.cli.entry import main; main()"
    import subprocess

    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=False
    )
    assert result.stdout.split() == offered, result.stderr
