# SPDX-License-Identifier: Apache-2.0
"""A server that is killed, or away, while a run adds to its store."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_data import (
    CORE_TRIAL,
    COUNT,
    DIGEST,
    FACTS,
    FAILURE,
    FIRMWARE_COUNT,
    FIRMWARE_TRIAL,
    OTHER_TRIAL,
    TRIAL,
    begin,
    sample,
)
from stored_energy_data import METER, window
from stored_sessions_data import POINT

from joulemark.errors import StoreAwayError, StoreError
from joulemark.records.trial import Trial
from joulemark.store.absence.lasting import LastingStore, open_to_measure
from joulemark.store.energy import StoredWindow
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer

WRITER = """
import sys
from store_data import TRIAL, begin, sample
from joulemark.store.absence.lasting import open_to_measure
store = open_to_measure(sys.argv[1], lambda text: None)
run_id = begin(store)
for round_index in range(10**9):
    store.add_samples(run_id, TRIAL, [sample(round_index)])
    print(round_index, flush=True)
"""


@pytest.fixture
def url(postgresql: PostgresqlServer) -> Iterator[str]:
    """Address of an empty store; the server runs at the beginning and at the end."""
    with postgresql.database("empty_store") as found:
        try:
            yield found
        finally:
            postgresql.kill()
            postgresql.start()


@pytest.fixture(autouse=True)
def unwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of the observations that could not be written."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "joulemark" / "unwritten"


def opened(url: str, said: list[str], wait_s: float = 30.0) -> LastingStore:
    """A store as a run opens it to write."""
    store = open_to_measure(url, said.append, most_away_s=wait_s)
    assert isinstance(store, LastingStore)
    return store


def add_some_of_everything(store: Store, run_id: int) -> None:
    """Adds all kinds of observation that a run can make."""
    store.add_samples(run_id, TRIAL, [sample(7), sample(7, window_index=1)])
    store.add_energy_window(run_id, None, window(position=0))
    store.add_energy_window(run_id, OTHER_TRIAL, window(), "too much else ran")
    store.add_clock_count(run_id, CORE_TRIAL, COUNT)
    store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
    store.add_failure(run_id, FAILURE)
    assert store.add_sessions(POINT) is None


def require_everything(store: Store, run_id: int) -> None:
    """Fails unless each observation of `add_some_of_everything` is there, exactly once."""
    assert store.samples(run_id)[TRIAL] == [sample(7), sample(7, window_index=1)]
    assert store.energy_windows(run_id) == [
        StoredWindow(None, window(position=0), None),
        StoredWindow(OTHER_TRIAL, window(), "too much else ran"),
    ]
    assert store.clock_counts(run_id) == {CORE_TRIAL: COUNT}
    assert store.firmware_counts(run_id) == {FIRMWARE_TRIAL: FIRMWARE_COUNT}
    assert store.failures(run_id) == [FAILURE]
    assert [all_session.point for all_session in store.all_sessions()] == [POINT]


def test_killed_and_started_again(postgresql: PostgresqlServer, url: str, unwritten: Path) -> None:
    """The run goes on, tells both events, and every observation is there in the end."""
    said: list[str] = []
    with opened(url, said) as store:
        run_id = begin(store)
        store.add_implementation(run_id, FACTS)
        store.set_meter(run_id, METER)
        postgresql.kill()
        add_some_of_everything(store, run_id)
        [file] = unwritten.iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
        assert len(said) == 1
        assert "cannot be reached" in said[0]
        assert f"the run goes on, and its samples are kept in {file} until then" in said[0]
        assert store.kept_in == f"{store.location} and {file}, since its server is away"
        # The server is started here, since it ends with the thread that started it.
        waits = threading.Thread(target=store.finish_run, args=(run_id,))
        waits.start()
        time.sleep(0.5)
        assert waits.is_alive()
        postgresql.start()
        waits.join()
        assert list(unwritten.iterdir()) == []
        assert (
            said[-1] == f"the server of {store.location} is back; it has the 7 samples that waited"
        )
        require_everything(store, run_id)
        assert store.kept_in == store.location
    with Store.open(url) as store:
        assert store.run(run_id).finished_at is not None


def test_hanging_server_is_as_one_that_is_away(
    postgresql: PostgresqlServer, url: str, unwritten: Path
) -> None:
    """A server that hangs is reported within the limit, and no observation is lost."""
    said: list[str] = []
    store = open_to_measure(url, said.append, most_silent_s=0.5)
    with store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        with postgresql.hanging():
            begun_s = time.monotonic()
            add_some_of_everything(store, run_id)
            assert time.monotonic() - begun_s < 10
            assert len(list(unwritten.iterdir())) == 1
            assert len(said) == 1
            assert "cannot be reached (" in said[0]
            assert "the run goes on" in said[0]
        store.finish_run(run_id)
        assert list(unwritten.iterdir()) == []
        assert store.samples(run_id)[TRIAL] == [
            sample(0), sample(7), sample(7, window_index=1),
        ]  # fmt: skip
        assert said[-1].endswith("is back; it has the 7 samples that waited")


def test_hanging_within_a_statement(postgresql: PostgresqlServer, url: str) -> None:
    """The open transaction ends in a sentence, and a later transaction goes through."""
    store = open_to_measure(url, lambda _: None, most_silent_s=0.5)

    def hang_within() -> None:
        with store.writing() as connection:
            connection.exec_driver_sql("SELECT 1")
            with postgresql.hanging():
                connection.exec_driver_sql("SELECT 1")

    with store:
        with pytest.raises(StoreAwayError, match=r"\(it did not answer for 0.5 s\)"):
            hang_within()
        begin(store)


def test_a_server_that_takes_its_time_is_not_away(url: str) -> None:
    """The limit is on silence: rows that come slowly, and a wait that is shorter, are no fault."""
    store = open_to_measure(url, lambda _: None, most_silent_s=1.0)
    with store, store.writing() as connection:
        connection.exec_driver_sql("SELECT pg_sleep(0.6)")
        rows = connection.exec_driver_sql(
            "SELECT pg_sleep(0.4), repeat('x', 20000) FROM generate_series(1, 4)"
        ).all()
        assert len(rows) == 4


def test_back_before_anything_needs_it(postgresql: PostgresqlServer, url: str) -> None:
    """A server that was killed between two samples, and is back, is not even noticed."""
    said: list[str] = []
    with opened(url, said) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        postgresql.kill()
        postgresql.start()
        store.add_samples(run_id, TRIAL, [sample(1)])
        assert store.samples(run_id)[TRIAL] == [sample(0), sample(1)]
    assert said == []


def test_given_up(postgresql: PostgresqlServer, url: str, unwritten: Path) -> None:
    """A server that stays away ends the run with a sentence; opening the store writes all in."""
    said: list[str] = []
    with opened(url, said, wait_s=0.3) as store:
        run_id = begin(store)
        postgresql.kill()
        add_some_of_everything(store, run_id)
        with pytest.raises(StoreAwayError, match=r"7 samples .* kept in .*; run the same command"):
            store.finish_run(run_id)
    [file] = unwritten.iterdir()
    postgresql.start()
    again: list[str] = []
    with opened(url, again) as store:
        assert list(unwritten.iterdir()) == []
        found = store.resumable_run(DIGEST, {"cpu_model": "Model T"})
        assert found is not None
        assert found.id == run_id
        require_everything(store, run_id)
    assert again == [
        f"7 samples that an earlier run could not write to {store.location} are now in it"
    ]
    assert file.name


def test_what_the_server_has_already_is_not_doubled(
    postgresql: PostgresqlServer, url: str, unwritten: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An observation that was stored before the server's answer was lost is not stored again."""
    real = Store.add_samples

    def lost(self: Store, run_id: int, trial: Trial, samples: object) -> None:
        real(self, run_id, trial, samples)  # type: ignore[arg-type]
        monkeypatch.setattr(Store, "add_samples", real)
        raise StoreAwayError("the answer was lost")

    with opened(url, []) as store:
        run_id = begin(store)
        monkeypatch.setattr(Store, "add_samples", lost)
        store.add_samples(run_id, TRIAL, [sample(0)])
        store.add_samples(run_id, TRIAL, [sample(1)])
        assert store.samples(run_id) == {TRIAL: [sample(0), sample(1)]}
        monkeypatch.setattr(Store, "add_samples", lost)
        store.add_samples(run_id, TRIAL, [sample(2)])
        with store._writer.begin() as connection:
            connection.exec_driver_sql("UPDATE sample SET wall_ns = 5 WHERE round_index = 2")
        with pytest.raises(StoreError, match=r"round 2 of .* is already in run"):
            store.finish_run(run_id)
    assert len(list(unwritten.iterdir())) == 1


def test_run_that_is_another_one_now(
    postgresql: PostgresqlServer, url: str, unwritten: Path
) -> None:
    """The samples of a run that the database does not hold any more stay in their file."""
    with opened(url, [], wait_s=0.1) as store:
        run_id = begin(store)
        postgresql.kill()
        store.add_samples(run_id, TRIAL, [sample(0)])
    postgresql.start()
    with Store.open(url) as store, store._writer.begin() as connection:
        connection.exec_driver_sql("UPDATE run SET seed = 5")
    said: list[str] = []
    with opened(url, said) as store:
        assert store.sample_counts(run_id) == {}
    [file] = unwritten.iterdir()
    assert said == [
        (
            f"{file} holds samples of a run {run_id} that is not in {store.location} (any more); "
            "move the file away"
        )
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"run": 1}\n', "line 1: identity: field required"),
        (b"\xff\n", "line 1: no JSON"),
        (b"[1, 2]\n", "line 1: "),
    ],
)
def test_damaged_file(url: str, unwritten: Path, content: bytes, says: str) -> None:
    """A file with other content is refused by name and line, and stays."""
    from joulemark.store.absence.spool import Spool
    from joulemark.store.database.address import StoreAddress

    unwritten.mkdir(parents=True, mode=0o700)
    spool = Spool.begin(StoreAddress.of(url))
    assert spool is not None
    spool.path.write_bytes(content)
    spool.close()
    with pytest.raises(StoreError, match=rf"{spool.path}, .*cannot be read \({says}.*move it away"):
        opened(url, [])
    assert spool.path.read_bytes() == content


def test_writer_and_server_killed(postgresql: PostgresqlServer, url: str, unwritten: Path) -> None:
    """The server is killed, then the writing process: no acknowledged sample is lost."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, url],
        stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        acknowledged = 0
        for _line in process.stdout:
            acknowledged += 1
            if acknowledged == 100:
                postgresql.kill()
            # Lines may lie in the pipe from before the server's end: then nothing waits yet.
            if acknowledged >= 200 and any(unwritten.glob("*")):
                process.send_signal(signal.SIGKILL)
    postgresql.start()
    assert len(list(unwritten.iterdir())) == 1
    said: list[str] = []
    with opened(url, said) as store:
        [run] = store.runs()
        found = store.samples(run.id)[TRIAL]
    assert len(said) == 1
    assert len(found) - acknowledged in {0, 1}
    assert found == [sample(n) for n in range(len(found))]


def test_counts_and_sessions_that_the_server_has_already(
    postgresql: PostgresqlServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count or a point that was stored before its answer was lost is not doubled."""

    def losing(name: str) -> None:
        real = getattr(Store, name)

        def lost(self: Store, *given: object, **named: object) -> None:
            real(self, *given, **named)
            monkeypatch.setattr(Store, name, real)
            raise StoreAwayError("the answer was lost")

        monkeypatch.setattr(Store, name, lost)

    with opened(url, []) as store:
        run_id = begin(store)
        losing("add_sessions")
        assert store.add_sessions(POINT) is None
        store.settle()
        assert [all_session.point for all_session in store.all_sessions()] == [POINT]
        losing("add_firmware_count")
        store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)
        store.settle()
        assert store.firmware_counts(run_id) == {FIRMWARE_TRIAL: FIRMWARE_COUNT}
        with pytest.raises(StoreError, match=r"are already in run"):
            store.add_firmware_count(run_id, FIRMWARE_TRIAL, FIRMWARE_COUNT)


def test_the_next_server_waits_for_the_rest_of_a_killed_one(
    postgresql: PostgresqlServer, url: str
) -> None:
    """The next server starts once the last process of a killed server has noticed its end."""
    with opened(url, []) as store:
        with store._writer.begin() as connection:
            rest = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        os.kill(rest, signal.SIGSTOP)
        postgresql.kill()
        later = threading.Timer(0.5, os.kill, (rest, signal.SIGCONT))
        later.start()
        postgresql.start()
        later.join()
        begin(store)


def test_a_file_in_use_is_left_alone(postgresql: PostgresqlServer, url: str) -> None:
    """The file in which another running process keeps its samples is left alone."""
    with opened(url, [], wait_s=0.1) as store:
        run_id = begin(store)
        postgresql.kill()
        store.add_samples(run_id, TRIAL, [sample(0)])
        postgresql.start()
        said: list[str] = []
        with opened(url, said) as other:
            assert other.sample_counts(run_id) == {}
        assert said == []
        time.sleep(1.1)
        store.add_samples(run_id, TRIAL, [sample(1)])
        assert store.sample_counts(run_id) == {TRIAL: 2}
