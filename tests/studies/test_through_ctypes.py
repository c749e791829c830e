# SPDX-License-Identifier: Apache-2.0
"""The paper's programs through ctypes: right, timed event by event, and refused where wrong."""

from __future__ import annotations

import gc
import hmac
import os
import re
from pathlib import Path

import pytest

from joulemark.errors import CrashError, UnavailableError, WrongOutputError
from joulemark.studies.castellon2022.through_ctypes import (
    NOTHING,
    PROGRAMS,
    CastellonLibrary,
    check_programs,
    measure_events,
)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [0, 1, 55, 56, 64, 1024, 16384, 40000])
def test_a_program_computes_hmac(name: str, size: int) -> None:
    """The tags are those of Python's hmac, with a key longer than a block too."""
    for key in (b"", b"k" * 32, b"k" * 200):
        message = bytes(i % 251 for i in range(size))
        assert CastellonLibrary().tag(name, key, message) == hmac.digest(key, message, "sha256")


def test_every_event_is_there() -> None:
    """Each program, the empty one too, has all its events; CPUs and collector are restored."""
    before = os.sched_getaffinity(0)
    answer = measure_events(CastellonLibrary(), [64, 128], 7, cpu=min(before), processes=3)
    found = answer["nanoseconds"]
    assert answer["processes"] == [0, 0, 0, 1, 1, 2, 2]
    assert list(found) == ["64", "128"]
    for programs in found.values():
        assert set(programs) == {*PROGRAMS, NOTHING}
        assert all(len(series) == 7 and min(series) > 0 for series in programs.values())
    assert os.sched_getaffinity(0) == before
    assert gc.isenabled()


def test_a_wrong_program_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal names program and length."""
    right = CastellonLibrary.tag

    def lie(self: CastellonLibrary, name: str, key: bytes, message: bytes) -> bytes:
        tag = right(self, name, key, message)
        return bytes([tag[0] ^ 1, *tag[1:]]) if name == "ecm_j8" else tag

    monkeypatch.setattr(CastellonLibrary, "tag", lie)
    with pytest.raises(WrongOutputError, match=re.escape("ecm_j8 of castellon2022")):
        check_programs(CastellonLibrary(), bytes(64))


def test_a_process_that_refuses_or_dies_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The process's refusal is passed on; a process that dies is named with its exit code."""
    library = CastellonLibrary()
    library.path = tmp_path / "gone.so"
    with pytest.raises(WrongOutputError, match="make setup"):
        measure_events(library, [64], 3, cpu=min(os.sched_getaffinity(0)))
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(CrashError, match="exit code 1"):
        measure_events(library, [64], 3, cpu=min(os.sched_getaffinity(0)))


def test_a_missing_library_says_what_to_do(tmp_path: Path) -> None:
    """The error is one sentence with the remedy."""
    with pytest.raises(UnavailableError, match="make setup"):
        CastellonLibrary(tmp_path / "libcastellon2022.so")
