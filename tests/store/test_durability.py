# SPDX-License-Identifier: Apache-2.0
"""Killed writers, two writers, and the cost of storing a sample."""

from __future__ import annotations

import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from store_data import DIGEST, TRIAL, begin, sample
from stored_energy_data import window
from writers import Writer, add_samples, add_windows

from joulemark.errors import StoreError
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store


def acknowledged_until_killed(
    place: str, killed_after: int, add: Callable[..., None] = add_samples
) -> int:
    """The number of acknowledgements of a writer that is killed after a given number of them."""
    process = Writer(add, place, 0, 0, 10**9)
    acknowledged = 0
    for _ in process.said():
        acknowledged += 1
        if acknowledged == killed_after:
            process.kill()
    assert process.end() == -signal.SIGKILL
    assert acknowledged >= killed_after
    return acknowledged


@pytest.mark.parametrize("killed_after", [1, 200, 1500])
def test_kill_loses_no_acknowledged_sample(place: str, killed_after: int) -> None:
    """After SIGKILL every sample whose add_samples had returned is there, and the file is whole."""
    acknowledged = acknowledged_until_killed(place, killed_after)
    with Store.open(place, create=False) as store:
        assert store.integrity() == "ok"
        run = store.resumable_run(DIGEST, {"cpu_model": "Model T"})
        assert run is not None
        found = store.samples(run.id)[TRIAL]
        # The signal may have cut off the acknowledgement of one more stored sample.
        assert len(found) - acknowledged in {0, 1}
        assert found == [sample(n) for n in range(len(found))]
        store.add_samples(run.id, TRIAL, [sample(len(found))])


@pytest.mark.parametrize("killed_after", [1, 300])
def test_kill_loses_no_acknowledged_window(place: str, killed_after: int) -> None:
    """After SIGKILL every energy window that was acknowledged is there, and the run goes on."""
    acknowledged = acknowledged_until_killed(place, killed_after, add_windows)
    with Store.open(place, create=False) as store:
        assert store.integrity() == "ok"
        run = store.resumable_run(DIGEST, {"cpu_model": "Model T"})
        assert run is not None
        found = store.energy_windows(run.id)
        assert len(found) - acknowledged in {0, 1}
        assert found == [
            StoredWindow(TRIAL, window(round_index=n), None) for n in range(len(found))
        ]
        store.add_energy_window(run.id, TRIAL, window(round_index=len(found)))


def test_two_writers_take_turns(place: str) -> None:
    """Processes adding to one run at once all succeed, make one trial, and lose nothing."""
    with Store.open(place) as store:
        run_id = begin(store)
        writers = [
            Writer(add_samples, place, run_id, 0, 400),
            Writer(add_samples, place, run_id, 400, 800),
            Writer(add_windows, place, run_id, 0, 100),
        ]
        assert [writer.end() for writer in writers] == [0, 0, 0]
        assert store.samples(run_id) == {TRIAL: [sample(n) for n in range(800)]}
        assert [found.window for found in store.energy_windows(run_id)] == [
            window(round_index=n) for n in range(100)
        ]


def test_two_processes_create_one_store(bare_place: str) -> None:
    """Processes that meet an empty place at the same moment make one store between them."""
    processes = [Writer(add_samples, bare_place, 0, 0, 20) for _ in range(3)]
    assert [process.end() for process in processes] == [0, 0, 0]
    with Store.open(bare_place) as store:
        assert [sum(store.sample_counts(run.id).values()) for run in store.runs()] == [20, 20, 20]


def test_locked_by_another(tmp_path: Path) -> None:
    """A write waits for another's lock, then says that the store is locked; later it works."""
    path = tmp_path / "store.db"
    with Store.open(path, patience_s=0.3) as store, closing(sqlite3.connect(path)) as other:
        run_id = begin(store)
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        with pytest.raises(StoreError, match="locked by another process"):
            store.add_samples(run_id, TRIAL, [sample(0)])
        assert time.monotonic() - start > 0.25
        assert store.sample_counts(run_id) == {}
        other.rollback()
        store.add_samples(run_id, TRIAL, [sample(0)])
        assert store.sample_counts(run_id) == {TRIAL: 1}


def test_locked_while_opening(tmp_path: Path) -> None:
    """A file that another process has locked whole is reported as locked, not as damaged."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("DROP TABLE t")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked by another process"):
            Store.open(path, patience_s=0.2)


class Interrupting:
    """Has KeyboardInterrupt raised before one instruction of the store or of contextlib.

    Args:
        instruction: its number, from 1, among the instructions that are run.
    """

    def __init__(self, instruction: int) -> None:
        self.left = instruction

    def __enter__(self) -> None:
        self.before = sys.gettrace()
        sys.settrace(self.trace)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self.before)

    def trace(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        """As `sys.settrace` has it."""
        if frame.f_code.co_filename.endswith(("contextlib.py", "store/observations.py")):
            if not frame.f_trace_opcodes:
                frame.f_trace_opcodes = True
                # Python 3.12 reads the line above when a tracer is set, and not before.
                sys.settrace(self.trace)
            self.left -= event == "opcode"
            if not self.left and event == "opcode":
                raise KeyboardInterrupt
        return self.trace


def test_an_interrupt_leaves_no_transaction_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever Ctrl-C comes, what it broke off ends before the database is closed, in silence."""
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: complaints.append(found.exc_value))
    with Store.open(tmp_path / "x.db") as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
    interrupts = 0
    for instruction in range(1, 10_000, 3):
        try:
            with Store.open(tmp_path / "x.db") as store, Interrupting(instruction):
                store.add_samples(run_id, TRIAL, [sample(instruction)])
            break
        except KeyboardInterrupt as error:
            shown = error  # as the last net of a command does
        interrupts += 1
        assert str(shown) == ""
        del shown
        assert not complaints, instruction
    assert interrupts > 20


def test_a_sample_is_stored_quickly(place: str) -> None:
    """500 samples, each in its own transaction, take 0.1 s on an SSD, 0.6 s on a server."""
    allowed_s = 15 if "://" in place else 3
    with Store.open(place) as store:
        run_id = begin(store)
        start = time.monotonic()
        for round_index in range(500):
            store.add_samples(run_id, TRIAL, [sample(round_index)])
        assert time.monotonic() - start < allowed_s
