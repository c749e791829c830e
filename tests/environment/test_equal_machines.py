# SPDX-License-Identifier: Apache-2.0
"""Marks that tell equal machines apart, their sources, and which runs then share a machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fake_machines import intel_laptop, tree

from joulemark.environment import MACHINE_VARIABLE, capture, checked_name
from joulemark.environment.facts import (
    MACHINE_KEYS,
    facts_and_digest,
    may_agree,
    may_be_one,
    told_apart,
)
from joulemark.errors import UsageError

NUMBER = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"


def laptop(folder: Path, **files: str) -> Path:
    """The same laptop each time, apart from the given files of `/etc`."""
    return tree(folder, {**intel_laptop(), **{f"etc/{name}": text for name, text in files.items()}})


def with_number(folder: Path, number: str) -> Any:
    """The record of the laptop whose installation has this number."""
    return capture(laptop(folder, **{"machine-id": f"{number}\n"}))


def test_two_equal_machines(tmp_path: Path) -> None:
    """Two machines with equal facts have different digests, and each has the same digest again."""
    entry, other = with_number(tmp_path / "one", NUMBER), with_number(tmp_path / "other", OTHER)
    assert entry.machine_digest != other.machine_digest
    assert {**entry.as_dict(), "machine_digest": None} == {
        **other.as_dict(),
        "machine_digest": None,
    }
    assert with_number(tmp_path / "again", NUMBER) == entry
    assert not may_be_one(entry.as_dict(), other.as_dict(), MACHINE_KEYS)
    assert entry.identity() != other.identity()


def test_the_number_is_not_exposed(tmp_path: Path) -> None:
    """As machine-id(5) asks, the digest is a keyed hash with the number as its key, shortened."""
    found = with_number(tmp_path, NUMBER)
    wanted = hmac.new(bytes.fromhex(NUMBER), b"joulemark machine", hashlib.sha256).hexdigest()
    assert found.machine_digest == wanted[:16]
    assert NUMBER[:8] not in json.dumps(found.as_dict())


@pytest.mark.parametrize(
    "text", ["", "\n", "uninitialized\n", NUMBER[:-1], NUMBER.upper(), "0" * 32, f"{NUMBER}0"]
)
def test_files_that_hold_no_number(tmp_path: Path, text: str) -> None:
    """A file without a valid number gives no digest, and the reason names the file."""
    found = with_number(tmp_path, text)
    assert found.machine_digest is None
    assert "/etc/machine-id" in found.reasons["machine_digest"]


def test_where_a_number_says_nothing(tmp_path: Path) -> None:
    """There is no digest in a container, nor where the number changes at the next start."""
    (tmp_path / "docker").mkdir()
    (tmp_path / "docker" / ".dockerenv").touch()
    found = with_number(tmp_path / "docker", NUMBER)
    assert (found.machine_digest, found.container) == (None, "docker")
    assert "image" in found.reasons["machine_digest"]
    mounted = "30 25 0:26 /machine-id /etc/machine-id ro,nosuid shared:5 - tmpfs tmpfs ro\n"
    tree(tmp_path / "live", {"proc/self/mountinfo": mounted})
    found = with_number(tmp_path / "live", NUMBER)
    assert found.machine_digest is None
    assert "next start" in found.reasons["machine_digest"]
    elsewhere = mounted.replace("/etc/machine-id", "/mnt/etc/machine-id")
    tree(tmp_path / "disk", {"proc/self/mountinfo": elsewhere})
    assert with_number(tmp_path / "disk", NUMBER).machine_digest is not None


def test_a_name_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's name is in the record, and makes a digest where the machine has none."""
    monkeypatch.delenv(MACHINE_VARIABLE, raising=False)
    nameless = capture()
    assert nameless.machine_name is None
    monkeypatch.setenv(MACHINE_VARIABLE, "node 7")
    named = capture()
    assert named.machine_name == "node 7"
    assert re.fullmatch("[0-9a-f]{16}", named.machine_digest or "")
    assert nameless.machine_digest in {None, named.machine_digest}
    monkeypatch.setenv(MACHINE_VARIABLE, "node 8")
    same = nameless.machine_digest is not None
    assert (capture().machine_digest == named.machine_digest) == same
    monkeypatch.setenv(MACHINE_VARIABLE, "a\nb")
    assert capture().machine_name is None
    assert "1 to 64 signs" in capture().reasons["machine_name"]


def test_names_are_of_the_process_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name from our environment is not given to another machine, whose files are read."""
    monkeypatch.setenv(MACHINE_VARIABLE, "here")
    found = capture(laptop(tmp_path))
    assert (found.machine_name, found.machine_digest) == (None, None)


@pytest.mark.parametrize("name", ["", " a", "a ", "x" * 65, "a\x1b[2J", "\u202egnp.exe"])
def test_names_that_are_none(name: str) -> None:
    """A name that is not allowed is refused in one sentence."""
    with pytest.raises(UsageError, match="1 to 64 signs"):
        checked_name(name)


def test_a_missing_digest_agrees() -> None:
    """A missing digest agrees with every digest; another unknown fact agrees only with unknown."""
    assert may_agree("machine_digest", None, "a")
    assert may_agree("machine_digest", "a", "a")
    assert not may_agree("machine_digest", "a", "b")
    assert not may_agree("microcode", None, "0x1")


A, B = {"machine_digest": "a"}, {"machine_digest": "b"}


@pytest.mark.parametrize(
    ("records", "groups"),
    [
        ([{}, {}], [0, 0]),
        ([{}, A, A], [0, 0, 0]),
        ([A, {}, {"microcode": "1"}], [0, 0, 1]),
        ([{}, A, B, A], [0, 1, 2, 1]),
        ([A, B], [0, 1]),
        ([{**A, "microcode": "1"}, B, {}], [0, 1, 1]),
    ],
)
def test_groups(records: list[dict[str, Any]], groups: list[int]) -> None:
    """A run without a digest joins the machine with its facts, while there is only one."""
    found = told_apart(facts_and_digest({"cpu_model": "X", **record}) for record in records)
    assert [list(dict.fromkeys(found)).index(name) for name in found] == groups


def test_one_digest_changes_no_group() -> None:
    """With one digest alone the text is that of the facts, so that addresses stay as they were."""
    facts = {"cpu_model": "X", "microcode": "1"}
    assert told_apart([facts_and_digest({**facts, **A})]) == told_apart([facts_and_digest(facts)])
