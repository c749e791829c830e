# SPDX-License-Identifier: Apache-2.0
"""Stores that measure for a server, and what they are held to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from store_data import (
    CORE_REPORT,
    CORE_TRIAL,
    COUNT,
    DIGEST,
    FAILURE,
    FIRMWARE_COUNT,
    FIRMWARE_TRIAL,
    OTHER_TRIAL,
    TRIAL,
    sample,
)
from stored_energy_data import window
from stored_sessions_data import POINT

from joulemark.errors import StoreAwayError
from joulemark.store.local_first import LocalFirstStore, open_to_measure
from joulemark.store.observations import StoredWindow
from joulemark.store.repository import Store


def opened(url: str, said: list[str], wait_s: float = 30.0) -> LocalFirstStore:
    """A store as a command opens it to measure."""
    store = open_to_measure(url, said.append, most_away_s=wait_s)
    assert isinstance(store, LocalFirstStore)
    return store


def found_by(store: Store) -> int:
    """Number of the run that a command with the usual study goes on with."""
    found = store.resumable_run(DIGEST, {"cpu_model": "Model T"})
    assert found is not None
    return found.id


def add_some_of_everything(store: Store, run_id: int) -> None:
    """Adds all kinds of observation that a command can make."""
    store.add_samples(run_id, TRIAL, [sample(7), sample(7, window_index=1)])
    store.add_energy_window(run_id, None, window(position=0))
    store.add_energy_window(run_id, OTHER_TRIAL, window(), "too much else ran")
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
    store.add_failure(run_id, FAILURE)
    store.add_sessions(POINT)
    store.add_core_report(CORE_REPORT)


def require_everything(url: str, run_id: int) -> None:
    """Fails unless the server has all of `add_some_of_everything`, each exactly once."""
    with Store.open(url) as store:
        assert [run.id for run in store.runs()] == [run_id]
        assert store.samples(run_id)[TRIAL] == [sample(7), sample(7, window_index=1)]
        assert store.energy_windows(run_id) == [
            StoredWindow(None, window(position=0), None),
            StoredWindow(OTHER_TRIAL, window(), "too much else ran"),
        ]
        assert store.clock_counts(run_id) == {CORE_TRIAL: COUNT}
        assert store.firmware_counts(run_id) == {FIRMWARE_TRIAL: FIRMWARE_COUNT}
        assert store.failures(run_id) == [FAILURE]
        assert [point.point for point in store.all_sessions()] == [POINT]
        assert store.core_reports() == [CORE_REPORT]
        assert store.run(run_id).finished_at is not None


def losing(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> Callable[[], int]:
    """Loses the answer of the first call of a function; returns how often it was called."""
    real = getattr(owner, name)
    calls = 0

    def first_lost(*given: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        result = real(*given, **named)
        if calls == 1:
            raise StoreAwayError("the answer was lost")
        return result

    monkeypatch.setattr(owner, name, first_lost)
    return lambda: calls
