# SPDX-License-Identifier: Apache-2.0
"""The explorer on a PostgreSQL server shows the same as of a copy of the store in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import many_runs
import pytest
from estimating import estimated
from serving import served

from joulemark.errors import StoreError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.explorer.publish import LIST_NAME, publish
from joulemark.explorer.server import Answers
from joulemark.store.merging import copy_store
from joulemark.store.reading import open_for_reading
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer

ADDRESSES = (
    "/", "/machines", "/machines/{machine}", "/runs?page=1", "/runs/7", "/runs/7/hmac-sha256",
    "/runs/8/cbc-mac-aes128", "/runs/9", "/algorithms", "/algorithms/hmac-sha256",
    "/figures?algorithm=hmac-sha256&algorithm=hmac-sha1", "/compare?before=1&after=7",
    "/history?implementation=hmac-sha256/portable", "/targets?algorithm=hmac-sha256", "/cores",
    "/budget?protocol=tinysec_auth&node=mica2", "/changes",
)  # fmt: skip


@pytest.fixture(scope="module")
def file(store_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven runs of two machines, one of firmware, and one that is published."""
    folder = tmp_path_factory.mktemp("file")
    path = folder / "runs.db"
    many_runs.fill(path, runs=7, samples=100, machines=2, slower_from=7)
    assert many_runs.add_firmware(path, {"cbc-mac-aes128/mcu8": 3000}) == 8
    assert many_runs.import_published(store_path, 15, path, folder) == 9
    return path


@pytest.fixture(scope="module")
def url(postgresql: PostgresqlServer, file: Path) -> Iterator[str]:
    """Address of a copy of that store on the server."""
    with postgresql.database("empty_store") as found:
        with Store.open(file) as source, Store.open(found) as target:
            copy_store(source, target, lambda *_: None)
        yield found


@pytest.fixture(scope="module")
def both(file: Path, url: str) -> Iterator[tuple[Holdings, Holdings]]:
    """The file and the server's copy, estimated."""
    with estimated(str(file)) as holdings, estimated(url) as other:
        yield holdings, other


@pytest.mark.parametrize("address", ADDRESSES)
def test_each_view_is_that_of_the_file(both: tuple[Holdings, Holdings], address: str) -> None:
    """Page and data are equal byte by byte."""
    machine = next(iter(both[0].known().machines))
    path, _, query = address.format(machine=machine).partition("?")
    for suffix in ("", ".csv", ".json"):
        place = f"{'/index' if path == '/' and suffix else path}{suffix}"
        answer, other = (Answers(found).answer(place, query) for found in both)
        assert (answer.status, other.status) == (200, 200), place
        assert answer.body.decode() == other.body.decode(), place


def test_outlines_agree(both: tuple[Holdings, Holdings]) -> None:
    """Every run has the same trials, counts and state."""
    one, other = (found.known().runs for found in both)
    assert one.keys() == other.keys()
    assert other[9].published
    assert other[8].simulated == 3
    for number, run in one.items():
        there = other[number]
        assert (run.trials, run.samples, run.simulated, run.published, run.environment) == (
            there.trials, there.samples, there.simulated, there.published, there.environment,
        )  # fmt: skip


@pytest.mark.usefixtures("both")
def test_published_files_are_those_of_the_file(file: Path, url: str, tmp_path: Path) -> None:
    """All pages and data are equal byte by byte; list and feed have keys of the store's content."""
    written = []
    for name, location in (("file", str(file)), ("server", url)):
        publish(location, tmp_path / name, lambda _: None)
        written.append(
            {
                str(path.relative_to(tmp_path / name)): path.read_bytes()
                for path in (tmp_path / name).rglob("*")
                if path.is_file() and path.name not in {LIST_NAME, "changes.atom"}
            }
        )
    assert written[0] == written[1]
    assert any(name.startswith("budget") for name in written[0])


def test_the_server_refuses_writes(url: str) -> None:
    """The database refuses writes, not only the program."""
    with open_for_reading(url) as store:
        before = store.run_states()
        with pytest.raises(StoreError):
            store.delete_run(1)
        with pytest.raises(StoreError):
            store.finish_run(2)
        assert store.run_states() == before


def test_a_run_that_goes_is_seen(both: tuple[Holdings, Holdings], url: str) -> None:
    """A run that another process deletes disappears."""
    holdings = both[1]
    with served(holdings) as server:
        assert server.ask("/runs/9").status == 200
    with Store.open(url) as store:
        assert 9 in holdings.store.run_states()
        store.delete_run(9)
    assert 9 not in holdings.store.run_states()


def test_a_server_that_is_away_is_a_sentence(
    postgresql: PostgresqlServer, both: tuple[Holdings, Holdings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status is 503 while the server is away, and the page comes when the server is back."""
    for module in ("estimates.holdings", "estimates.known"):
        monkeypatch.setattr(f"joulemark.explorer.{module}._LOOK_S", 0.0)
    answers = Answers(both[1])
    assert answers.answer("/runs/7", "").status == 200
    postgresql.kill()
    try:
        away = answers.answer("/runs/7", "")
    finally:
        postgresql.start()
    assert away.status == 503
    assert "cannot be reached" in away.body.decode()
    assert "Traceback" not in away.body.decode()
    assert answers.answer("/runs/7", "").status == 200
