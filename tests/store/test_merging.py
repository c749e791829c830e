# SPDX-License-Identifier: Apache-2.0
"""Whole runs are copied from one store into another: once, whole, and on either engine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from store_data import FAILURE, FIRMWARE_COUNT, FIRMWARE_TRIAL, OTHER_TRIAL, TRIAL, begin, sample
from stored_sessions_data import POINT
from writers import Writer, add_runs

from joulemark.errors import StoreError
from joulemark.store import TrialRow
from joulemark.store.merging import RunContent, add_content, content_of, copy_store
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer


@pytest.fixture
def filled(filled_file: Path, tmp_path: Path) -> Iterator[Store]:
    """A store with records of every kind."""
    shutil.copy(filled_file, tmp_path / "filled.db")
    with Store.open(tmp_path / "filled.db") as store:
        yield store


def silent(_done: int, _total: int) -> None:
    """Progress that is not shown."""


def whole(store: Store) -> dict[int, RunContent]:
    """The whole content of all runs, by number."""
    return {run.id: content_of(store, run.id) for run in store.runs()}


def test_copy_is_equal(filled: Store, store: Store) -> None:
    """A copy has the same content on each engine: runs under their numbers, reports, moments."""
    assert copy_store(filled, store, silent) == (2, 0)
    assert whole(store) == whole(filled)
    assert list(store.samples(1)) == list(filled.samples(1))
    assert store.firmware_counts(1) == {FIRMWARE_TRIAL: FIRMWARE_COUNT}
    assert store.core_reports() == filled.core_reports()
    assert store.all_sessions() == filled.all_sessions()
    assert len(store.all_sessions()) == 1
    assert begin(store) == 3


def test_copy_twice_is_once(filled: Store, store: Store) -> None:
    """A record that is there is not added again, and a stopped copy goes on with its numbers."""
    add_content(store, content_of(filled, 1), number=1)
    assert copy_store(filled, store, silent) == (1, 1)
    assert copy_store(filled, store, silent) == (0, 2)
    assert whole(store) == whole(filled)
    assert len(store.core_reports()) == 1
    assert store.all_sessions() == filled.all_sessions()


def test_equal_points_of_two_moments_are_two(filled: Store, store: Store) -> None:
    """A point that was measured twice is copied twice, and a second copy changes nothing."""
    filled.add_sessions(POINT)
    for _ in range(2):
        copy_store(filled, store, silent)
        assert store.all_sessions() == filled.all_sessions()
    [first, second] = store.all_sessions()
    assert first.point == second.point == POINT
    store.add_sessions(replace(POINT, environment={"cpu_model": "Model U"}), made_at=first.made_at)
    assert len(store.all_sessions()) == 3


def test_copy_into_a_store_with_runs(filled: Store, store: Store) -> None:
    """Runs that were there keep their numbers, and copied runs get the next numbers."""
    for round_index in range(2):
        store.add_samples(begin(store, seed=5), TRIAL, [sample(round_index)])
    assert copy_store(filled, store, silent) == (2, 0)
    assert [run.id for run in store.runs()] == [3, 4, 1, 2]  # in the order of their begins
    assert content_of(store, 3) == content_of(filled, 1)


def test_numbers_go_on_behind_a_copy(filled: Store, store: Store) -> None:
    """A number that a copy brought along is not given again."""
    add_content(store, content_of(filled, 1), number=40)
    assert begin(store) == 41


def test_runs_that_differ(filled: Store, store: Store) -> None:
    """Runs of one start and seed are two if a sample, a window or the machine differs."""
    content = content_of(filled, 1)
    others = [
        replace(content, samples={**content.samples, TRIAL: [sample(9)]}),
        replace(content, energy_windows=content.energy_windows[:-1]),
        replace(content, environment={"cpu_model": "Model U"}),
        replace(content, published=None),
        replace(content, clock_counts={}),
        replace(content, firmware_counts={}),
        replace(content, firmware_counts={FIRMWARE_TRIAL: replace(FIRMWARE_COUNT, code_bytes=1)}),
    ]
    assert all(add_content(store, run_content) for run_content in (content, *others))
    same = replace(content, loop=None, failures=[], study={}, finished_at=None)
    assert [add_content(store, run_content) for run_content in (content, *others, same)] == [
        None
    ] * 9


def test_samples_take_the_place_of_results_alone(filled: Store, store: Store) -> None:
    """Results without samples give way to their run, which gets a number that no run had."""
    content = replace(content_of(filled, 1), published=None)
    alone = replace(
        content, samples={}, clock_counts={}, firmware_counts={}, energy_windows=[],
        published={"results": []},
    )  # fmt: skip
    elsewhere = replace(alone, environment={"cpu_model": "Model U"})
    assert [add_content(store, each) for each in (elsewhere, alone, content)] == [1, 2, 3]
    assert [run.id for run in store.runs()] == [1, 3]
    assert content_of(store, 3).digest() == content.digest()
    assert add_content(store, alone) is None
    assert store.integrity() == "ok"


def test_finished_results_stay_beside_a_part_of_their_run(filled: Store, store: Store) -> None:
    """Samples of a run that was exported before its end are no reason to lose its results."""
    content = replace(content_of(filled, 1), published=None, finished_at=None)
    results = replace(
        content, samples={}, clock_counts={}, firmware_counts={}, energy_windows=[],
        published={"results": []}, finished_at=content.started_at,
    )  # fmt: skip
    assert [add_content(store, each) for each in (results, content)] == [1, 2]
    assert [run.id for run in store.runs()] == [1, 2]


def test_all_or_nothing(filled: Store, store: Store) -> None:
    """A run with one refused part leaves no record."""
    content = content_of(filled, 1)
    twice = {**content.samples, OTHER_TRIAL: [sample(0), sample(0)]}
    with pytest.raises(StoreError):
        add_content(store, replace(content, samples=twice))
    assert store.runs() == []
    with store.reading() as session:
        assert session.query(TrialRow).count() == 0
    assert add_content(store, content) is not None


def test_one_run_added_by_two_processes(filled_file: Path, place: str) -> None:
    """Processes that add the same runs at the same moment add each once."""
    adders = [Writer(add_runs, str(filled_file), place) for _ in range(2)]
    added = [number for adder in adders for number in adder.said() if number is not None]
    assert [adder.end() for adder in adders] == [0] * 2
    assert sorted(added) == [1, 2]
    with Store.open(place) as store:
        assert [run.id for run in store.runs()] == [1, 2]
        assert store.failures(1) == [FAILURE]


def test_there_and_back(filled: Store, postgresql: PostgresqlServer, tmp_path: Path) -> None:
    """From SQLite to PostgreSQL and back, every row of every table is the same text."""
    with postgresql.database("empty_store") as url, Store.open(url) as server:
        copy_store(filled, server, silent)
        with Store.open(tmp_path / "back.db") as back:
            copy_store(server, back, silent)
            assert whole(back) == whole(filled)
            for table in ("run", "implementation", "trial", "sample", "failure", "core_report",
                          "clock_count", "firmware_count", "energy_window", "published",
                          "sessions_point"):  # fmt: skip
                found = []
                for store in (filled, back):
                    with store.reading() as session:
                        rows = session.connection().exec_driver_sql(f"SELECT * FROM {table}")
                        found.append(sorted(map(str, rows.all())))
                assert found[0] == found[1], table
