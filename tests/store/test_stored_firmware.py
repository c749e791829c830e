# SPDX-License-Identifier: Apache-2.0
"""Counts of firmware targets in the store, over a file and in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from store_data import FIRMWARE_COUNT, FIRMWARE_TRIAL, TRIAL, begin, sample

from joulemark.errors import StoreError
from joulemark.store.repository import Store


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    with Store.open(tmp_path / "store.db" if request.param == "file" else ":memory:") as opened:
        yield opened


def test_counts_read_back_beside_samples(store: Store) -> None:
    """Counts read back exactly, and their trials are not among those with samples."""
    run_id, other = begin(store), begin(store)
    keyed = replace(FIRMWARE_COUNT, key_core_cycles=7, state_bytes=0, evidence="modelled")
    arm = replace(FIRMWARE_TRIAL, target="mcu:cortex-m4")
    store.add_firmware_count(run_id, arm, keyed)
    store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
    store.add_samples(run_id, TRIAL, [sample()])
    assert store.firmware_counts(run_id) == {arm: keyed, FIRMWARE_TRIAL: FIRMWARE_COUNT}
    assert list(store.firmware_counts(run_id)) == [arm, FIRMWARE_TRIAL]
    assert store.samples(run_id) == {TRIAL: [sample()]}
    assert store.firmware_counts(other) == {}


def test_count_of_a_trial_is_kept_once(store: Store) -> None:
    """A second count of the same trial is refused and the first stays."""
    run_id = begin(store)
    store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
    with pytest.raises(StoreError, match=r"portable on mcu:atmega128 at 33 bytes are already in"):
        store.add_firmware_count(run_id, FIRMWARE_TRIAL, replace(FIRMWARE_COUNT, core_cycles=1))
    assert store.firmware_counts(run_id) == {FIRMWARE_TRIAL: FIRMWARE_COUNT}


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("evidence", "guessed", "neither simulated nor modelled"),
        ("core_cycles", 0, "is not from 1"),
        ("code_bytes", "many", "is not a whole number"),
    ],
)
def test_damage_is_named(tmp_path: Path, column: str, value: object, words: str) -> None:
    """Content that this program never wrote is refused, and the error names table and column."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.add_firmware_count(begin(store), FIRMWARE_TRIAL, FIRMWARE_COUNT)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE firmware_count SET {column} = ?", (value,))
        connection.commit()
    with Store.open(path) as store, pytest.raises(StoreError, match=words) as refused:
        store.firmware_counts(1)
    assert f"table firmware_count, row trial_id 1, column {column}" in str(refused.value)
