# SPDX-License-Identifier: Apache-2.0
"""The paper's programs through ctypes: right, timed event by event, and refused where wrong."""

from __future__ import annotations

import gc
import hmac
import os
import random
import re
from pathlib import Path

import pytest

from joulemark.errors import CrashError, UnavailableError, WrongOutputError
from joulemark.studies.castellon2022 import through_ctypes
from joulemark.studies.castellon2022.through_ctypes import (
    NOTHING,
    PROGRAMS,
    CastellonLibrary,
    EventTurn,
    check_programs,
    measure_events,
    undisturbed,
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
    assert list(found) == list(answer["processes"]) == ["64", "128"]
    for size, programs in found.items():
        labels = answer["processes"][size]
        assert labels == sorted(labels)
        assert set(labels) == {0, 1, 2}
        assert len(labels) >= 7
        assert set(programs) == {*PROGRAMS, NOTHING}
        assert all(len(series) == len(labels) and min(series) > 0 for series in programs.values())
    assert answer["interrupted"] >= 0
    assert os.sched_getaffinity(0) == before
    assert gc.isenabled()


def test_no_figure_stands_on_interrupted_turns() -> None:
    """A planted interrupt of 10 ms goes; with too few clean turns all stand, as in the harness."""
    clean = [EventTurn({NOTHING: 2000 + place % 7}, interrupted=False) for place in range(100)]
    struck = [EventTurn({NOTHING: 10_000_000}, interrupted=True)] * 5
    assert undisturbed([*clean[:50], *struck, *clean[50:]]) == clean
    assert undisturbed([*clean[:5], *struck]) == [*clean[:5], *struck]
    assert undisturbed(clean[:2]) == clean[:2]


def test_interrupted_turns_are_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns are taken until the wanted number was not interrupted, and the others are told."""
    told = iter([True, False] * 200)
    monkeypatch.setattr(through_ctypes, "window_was_interrupted", lambda *_: next(told))
    monkeypatch.setattr(through_ctypes, "_WARM_UP", 0)
    turns = through_ctypes._time_events(CastellonLibrary(), 64, 10, random.Random(1))
    assert [turn.interrupted for turn in turns] == [True, False] * 10
    assert all(set(turn.times_ns) == {*PROGRAMS, NOTHING} for turn in turns)
    monkeypatch.setattr(through_ctypes, "window_was_interrupted", lambda *_: True)
    assert len(through_ctypes._time_events(CastellonLibrary(), 64, 10, random.Random(1))) == 40


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
