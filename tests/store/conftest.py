# SPDX-License-Identifier: Apache-2.0
"""Fixtures: stores of each engine, so that both engines are tested for the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filled_store import fill

from joulemark.store import access
from joulemark.store.repository import Store
from known_schema import BY_MIGRATIONS
from postgresql_server import PostgresqlServer


@pytest.fixture
def migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """New stores are made by migrations in tests whose subject the migrations are."""
    monkeypatch.setattr(access, "_migrate", BY_MIGRATIONS)


@pytest.fixture(scope="session")
def filled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that `filled_store` filled, to be copied."""
    path = tmp_path_factory.mktemp("filled") / "filled.db"
    fill(path)
    return path


@contextmanager
def place_of(request: pytest.FixtureRequest, folder: Path, template: str) -> Iterator[str]:
    """A place of the engine that the fixture's parameter names."""
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        with server.database(template) as url:
            yield url
    else:
        yield ":memory:" if request.param == "memory" else str(folder / "store.db")


@pytest.fixture(params=["file", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place for a store that several processes can open; on PostgreSQL its tables exist."""
    with place_of(request, tmp_path, "empty_store") as found:
        yield found


@pytest.fixture(params=["file", "postgresql"])
def bare_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A place like `place`, in which nothing has been made."""
    with place_of(request, tmp_path, "template0") as found:
        yield found


@pytest.fixture(params=["file", "memory", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    with place_of(request, tmp_path, "empty_store") as found, Store.open(found) as opened:
        yield opened


@pytest.fixture
def url(postgresql: PostgresqlServer) -> Iterator[str]:
    """Address of an empty store; the server runs at the beginning and at the end."""
    with postgresql.database("empty_store") as found:
        try:
            yield found
        finally:
            postgresql.kill()
            postgresql.start()


@pytest.fixture
def unwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what the server does not have yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "joulemark" / "unwritten"
