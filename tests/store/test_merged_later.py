# SPDX-License-Identifier: Apache-2.0
"""What a command left behind, or what stands on the server already, is merged once and whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_stores import add_some_of_everything, found_by, losing, opened, require_everything
from store_data import CORE_REPORT, DIGEST, ENVIRONMENT, TRIAL, begin, sample
from stored_sessions_data import POINT

from joulemark.errors import StoreError
from joulemark.store import merging
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer

pytestmark = pytest.mark.usefixtures("unwritten")


@pytest.mark.parametrize("grown", [False, True])
def test_what_the_server_has_already_is_not_doubled(
    grown: bool, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run, point and report that were stored before the answer was lost are not stored again."""
    with opened(url, []) as store:
        run_id = begin(store)
        if grown:
            store.add_samples(run_id, TRIAL, [sample(5)])
            store.keep()
        add_some_of_everything(store, run_id)
        merged = losing(monkeypatch, merging, "merge_content")
        reports = losing(monkeypatch, Store, "finish_run")
        store.finish_run(run_id)
        assert (merged(), reports()) == (2, 3)  # the last one in the local file
        monkeypatch.undo()
    if grown:
        with Store.open(url) as server, server.writing() as connection:
            connection.exec_driver_sql("DELETE FROM sample WHERE round_index = 5")
    require_everything(url, run_id)


@pytest.mark.parametrize("name", ["add_sessions", "add_core_report"])
def test_points_and_reports_that_the_server_has_already(
    name: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A point of sessions and a report whose answer was lost are there once."""
    with opened(url, []) as store:
        store.add_sessions(POINT)
        store.add_sessions(POINT)
        store.add_core_report(CORE_REPORT)
        calls = losing(monkeypatch, Store, name)
        assert len(store.settle(Store.all_sessions)) == 2
        assert len(store.settle(Store.core_reports)) == 1
        assert calls() > 2


def test_a_run_that_was_gone_on_with_in_two_places_becomes_two(url: str) -> None:
    """Neither part is lost, and the second says the number of its run."""
    with opened(url, []) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        store.keep()
        with Store.open(url) as elsewhere:  # as from another user's file
            elsewhere.add_samples(run_id, TRIAL, [sample(1)])
        store.add_samples(run_id, TRIAL, [sample(2)])
        with pytest.raises(
            StoreError, match=rf"run {run_id} of .* is another run now; .*'joulemark results 2'"
        ):
            store.finish_run(run_id)
    with Store.open(url) as server:
        assert server.samples(run_id) == {TRIAL: [sample(0), sample(1)]}
        assert server.samples(2) == {TRIAL: [sample(0), sample(2)]}
        assert [run.finished_at is None for run in server.runs()] == [True, False]


def test_a_longer_run_is_not_replaced_by_its_part(url: str) -> None:
    """A file that is merged late takes nothing away, and a finished run stays finished."""
    with Store.open(url) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        part = merging.content_of(store, run_id)
        store.add_samples(run_id, TRIAL, [sample(1)])
        assert merging.merge_content(store, part, run_id) == run_id
        store.finish_run(run_id)
        whole = merging.content_of(store, run_id)
        assert merging.merge_content(store, part, run_id) == run_id
        assert merging.content_of(store, run_id) == whole
        assert len(store.runs()) == 1


def test_two_commands_at_once(url: str) -> None:
    """Runs that are measured at once have two numbers, and one run is gone on with by one."""
    with opened(url, []) as first, opened(url, []) as second:
        runs = [begin(first), begin(second)]
        assert runs == [1, 2]
        for store, run_id in zip((second, first), reversed(runs), strict=True):
            store.add_samples(run_id, TRIAL, [sample(run_id)])
        second.keep()
        with opened(url, []) as third, opened(url, []) as fourth:
            assert found_by(third) == 2
            assert fourth.resumable_run(DIGEST, {"cpu_model": "Model T"}) is None
        first.finish_run(1)
        second.finish_run(2)
    with Store.open(url) as server:
        assert server.samples(1) == {TRIAL: [sample(1)]}
        assert server.samples(2) == {TRIAL: [sample(2)]}
        assert len(server.runs()) == 2


def test_database_that_was_made_again(
    postgresql: PostgresqlServer, url: str, unwritten: Path
) -> None:
    """A run whose number another run has now is merged under the next number."""
    with opened(url, [], wait_s=0.1) as store:
        run_id = begin(store)
        postgresql.kill()
        store.add_samples(run_id, TRIAL, [sample(0)])
    postgresql.start()
    with Store.open(url) as server, server.writing() as connection:
        connection.exec_driver_sql("SELECT setval(pg_get_serial_sequence('run', 'id'), 1, false)")
    with Store.open(url) as server:
        assert begin(server, seed=5) == run_id
    said: list[str] = []
    with opened(url, said) as store:
        assert said == [
            f"1 sample that an earlier run could not write to {store.location} are now in it"
        ]
    with Store.open(url) as server:
        assert server.sample_counts(run_id) == {}
        assert server.sample_counts(run_id + 1) == {TRIAL: 1}
        assert begin(server) == run_id + 2
    assert list(unwritten.iterdir()) == []


@pytest.mark.parametrize("content", [b"no store", b'{"run": 1}\n'])
def test_damaged_file(
    postgresql: PostgresqlServer, url: str, unwritten: Path, content: bytes
) -> None:
    """A file that is no store is refused by its name, and stays."""
    with opened(url, [], wait_s=0.1) as store:
        store.add_samples(begin(store), TRIAL, [sample(0)])
        postgresql.kill()
    [folder] = unwritten.iterdir()
    (folder / "store.db").write_bytes(content)
    postgresql.start()
    for _ in range(2):
        with pytest.raises(StoreError, match=rf"{folder}/store.db is not a .*; move it away"):
            opened(url, [])
        assert (folder / "store.db").read_bytes() == content
        assert len(list(unwritten.iterdir())) == 1


def test_file_of_an_earlier_version(url: str, unwritten: Path) -> None:
    """A file that only an earlier version can read is named at each opening, and stays."""
    opened(url, []).close()
    with opened(url, []) as store:
        [folder] = unwritten.iterdir()
    old = unwritten / f"{folder.name.partition('-')[0]}-7-8.jsonl"
    old.write_text("{}\n")
    said: list[str] = []
    opened(url, said).close()
    assert len(said) == 1
    assert said[0].startswith(f"{old} holds samples of an earlier version of Joulemark that ")
    assert store.location in said[0]
    assert list(unwritten.iterdir()) == [old]


def test_a_file_in_use_is_left_alone(url: str) -> None:
    """The file that another running process measures into is left alone."""
    with opened(url, []) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        said: list[str] = []
        with opened(url, said) as other:
            assert other.settle(Store.runs) == []
        assert said == []
        store.add_samples(run_id, TRIAL, [sample(1)])
        assert store.settle(lambda shared: shared.sample_counts(run_id)) == {TRIAL: 2}


def test_run_of_another_machine_is_not_gone_on_with(url: str, unwritten: Path) -> None:
    """Only a run of this machine is copied from the server."""
    with Store.open(url) as server:
        begin(server, environment={**ENVIRONMENT, "cpu_model": "Model U"})
    with opened(url, []) as store:
        assert store.resumable_run(DIGEST, {"cpu_model": "Model T"}) is None
        assert store.runs() == []
    assert list(unwritten.iterdir()) == []
