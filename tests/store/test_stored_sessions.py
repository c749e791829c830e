# SPDX-License-Identifier: Apache-2.0
"""Points of sessions, over a file and in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from stored_sessions_data import POINT

from joulemark.errors import StoreError
from joulemark.store.repository import Store


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    with Store.open(tmp_path / "store.db" if request.param == "file" else ":memory:") as opened:
        yield opened


def test_points_read_back(store: Store) -> None:
    """Points come back in the order they were added, with counters, history and a moment."""
    before = datetime.now(UTC)
    assert [store.add_sessions(POINT), store.add_sessions(POINT)] == [1, 2]
    first, second = store.sessions_points(size_bytes=64, sessions=2)
    assert (first.id, second.id) == (1, 2)
    assert first.point == second.point == POINT
    assert before <= first.made_at <= datetime.now(UTC)


def test_the_oldest_point_comes_first(store: Store) -> None:
    """A point that came later from another store and was measured earlier is older."""
    later, earlier = (
        store.add_sessions(POINT, made_at=datetime(2026, 1, day, tzinfo=UTC)) for day in (2, 1)
    )
    for found in (store.sessions_points(size_bytes=64, sessions=2), store.all_sessions()):
        assert [point.id for point in found] == [earlier, later]


def test_others_are_not_asked(store: Store) -> None:
    """A query leaves out points of another length, of a mix and of another number of sessions."""
    store.add_sessions(replace(POINT, size_bytes=65))
    store.add_sessions(replace(POINT, size_bytes=0, mix="imix"))
    assert store.sessions_points(size_bytes=64, sessions=2) == []
    assert store.sessions_points(size_bytes=0, sessions=2) == []
    assert len(store.sessions_points(size_bytes=65, sessions=2)) == 1
    assert store.sessions_points(size_bytes=65, sessions=3) == []


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("measured", '{"rounds": [{"window": 7}]}', "column measured: rounds.0.window"),
        ("measured", '{"rounds": 1}', "column measured: rounds"),
        ("implementation", "other/one", "column facts: they are those of another"),
        ("facts", "{}", "column facts"),
        ("made_at", "yesterday", "column made_at"),
    ],
)
def test_damage_is_a_sentence(tmp_path: Path, column: str, value: str, words: str) -> None:
    """The error about damage names the table, the row and the column."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.add_sessions(POINT)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"UPDATE sessions_point SET {column} = ?", (value,))
        connection.commit()
    with Store.open(path) as store, pytest.raises(StoreError, match="table sessions_point") as told:
        store.sessions_points(size_bytes=64, sessions=2)
    assert words in str(told.value)


def test_a_window_of_another_number_of_sessions_is_damage(tmp_path: Path) -> None:
    """A window that lacks the counters of a session is damage."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.add_sessions(replace(POINT, sessions=3))
        with pytest.raises(StoreError, match="another number of sessions"):
            store.sessions_points(size_bytes=64, sessions=3)
