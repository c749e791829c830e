# SPDX-License-Identifier: Apache-2.0
"""What is measured for a server: local first, then merged, whatever happens to the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from local_stores import add_some_of_everything, found_by, opened, require_everything
from store_data import DIGEST, FACTS, FAILURE, OTHER_TRIAL, TRIAL, begin, sample
from stored_energy_data import METER, window

from joulemark.errors import StoreAwayError, StoreError
from joulemark.store import merging
from joulemark.store.local_first import open_to_measure
from joulemark.store.repository import Store
from postgresql_server import PostgresqlServer

pytestmark = pytest.mark.usefixtures("unwritten")

WRITER = """
import sys
from store_data import TRIAL, begin, sample
from joulemark.store.local_first import open_to_measure
store = open_to_measure(sys.argv[1], lambda text: None)
run_id = begin(store)
for round_index in range(10**9):
    store.add_samples(run_id, TRIAL, [sample(round_index)])
    print(round_index, flush=True)
"""


def test_killed_and_started_again(postgresql: PostgresqlServer, url: str, unwritten: Path) -> None:
    """The run goes on, waits at its end, tells both events, and all is there in the end."""
    said: list[str] = []
    with opened(url, said) as store:
        run_id = begin(store)
        store.add_implementation(run_id, FACTS)
        store.set_meter(run_id, METER)
        postgresql.kill()
        add_some_of_everything(store, run_id)
        [folder] = unwritten.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert said == []
        # The server is started here, since it ends with the thread that started it.
        waits = threading.Thread(target=store.finish_run, args=(run_id,))
        waits.start()
        time.sleep(0.7)
        assert waits.is_alive()
        assert len(said) == 1
        assert "cannot be reached" in said[0]
        assert "this waits for it, 30 s at the longest" in said[0]
        postgresql.start()
        waits.join()
        assert said[1:] == [f"the server of {store.location} is back"]
        assert store.keep() == store.location
        assert [run.id for run in store.settle(Store.runs)] == [run_id]
    assert list(unwritten.iterdir()) == []
    require_everything(url, run_id)


def test_hanging_server_is_as_one_that_is_away(
    postgresql: PostgresqlServer, url: str, unwritten: Path
) -> None:
    """A server that hangs holds up no observation, and is reported within the limit."""
    said: list[str] = []
    store = open_to_measure(url, said.append, most_silent_s=0.5)
    with store:
        run_id = begin(store)
        with postgresql.hanging():
            begun_s = time.monotonic()
            add_some_of_everything(store, run_id)
            waits = threading.Thread(target=store.finish_run, args=(run_id,))
            waits.start()
            while not said:
                assert time.monotonic() - begun_s < 20
                time.sleep(0.05)
            assert "cannot be reached (" in said[0]
        waits.join()
    assert said[1:] == [f"the server of {store.location} is back"]
    assert list(unwritten.iterdir()) == []
    require_everything(url, run_id)


def test_hanging_within_a_statement(postgresql: PostgresqlServer, url: str) -> None:
    """The open transaction ends in a sentence, and a later transaction goes through."""
    store = Store.open(url, most_silent_s=0.5)

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
    with Store.open(url, most_silent_s=1.0) as store, store.writing() as connection:
        connection.exec_driver_sql("SELECT pg_sleep(0.6)")
        rows = connection.exec_driver_sql(
            "SELECT pg_sleep(0.4), repeat('x', 20000) FROM generate_series(1, 4)"
        ).all()
        assert len(rows) == 4


def test_back_before_anything_needs_it(postgresql: PostgresqlServer, url: str) -> None:
    """A server that was killed during the run, and is back at its end, is not even noticed."""
    said: list[str] = []
    with opened(url, said) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        postgresql.kill()
        postgresql.start()
        store.add_samples(run_id, TRIAL, [sample(1)])
        store.finish_run(run_id)
        expected = {TRIAL: [sample(0), sample(1)]}
        assert store.settle(lambda shared: shared.samples(run_id)) == expected
    assert said == []


def test_given_up(postgresql: PostgresqlServer, url: str, unwritten: Path) -> None:
    """A server that stays away ends the run with a sentence; the same command goes on with it."""
    said: list[str] = []
    with opened(url, said, wait_s=0.3) as store:
        run_id = begin(store)
        postgresql.kill()
        add_some_of_everything(store, run_id)
        with pytest.raises(
            StoreAwayError,
            match=r"did not come back within 0.3 s; run the same command when it runs again",
        ):
            store.finish_run(run_id)
    [folder] = unwritten.iterdir()
    assert f"7 samples are kept in {folder / 'store.db'}, and the next command" in said[-1]
    postgresql.start()
    again: list[str] = []
    with opened(url, again) as store:
        assert again == [
            f"7 samples that an earlier run could not write to {store.location} are now in it"
        ]
        assert not folder.exists()
        assert found_by(store) == run_id
        assert store.energy_windows(run_id)[1].trial == OTHER_TRIAL
        store.finish_run(run_id)
    require_everything(url, run_id)
    assert list(unwritten.iterdir()) == []


def test_a_stopped_run_is_on_the_server_and_goes_on(url: str, unwritten: Path) -> None:
    """What was measured arrives when a run is stopped, and its longer form takes its place."""
    with opened(url, []) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        store.add_energy_window(run_id, TRIAL, window())
        store.add_failure(run_id, FAILURE)
        assert store.keep() == store.location
    assert list(unwritten.iterdir()) == []
    with opened(url, []) as store:
        assert found_by(store) == run_id
        assert store.samples(run_id) == {TRIAL: [sample(0)]}
        store.clear_failures(run_id)
        with pytest.raises(StoreError, match=r"round 0 of .* is already in run 1 of postgresql"):
            store.add_samples(run_id, TRIAL, [sample(0)])
        store.add_samples(run_id, TRIAL, [sample(1)])
        store.add_energy_window(run_id, TRIAL, window(position=1))
        store.finish_run(run_id)
        other = begin(store)
    assert other == run_id + 1
    with Store.open(url) as server:
        assert [run.id for run in server.runs()] == [run_id, other]
        assert server.samples(run_id) == {TRIAL: [sample(0), sample(1)]}
        places = [stored.window.position for stored in server.energy_windows(run_id)]
        assert places == [window().position, 1]
        assert server.failures(run_id) == []
        assert begin(server) == other + 1


def test_ctrl_c_while_the_server_is_away(
    postgresql: PostgresqlServer, url: str, unwritten: Path
) -> None:
    """`keep` says where samples are, and the end does not say it a second time."""
    said: list[str] = []
    with opened(url, said) as store:
        run_id = begin(store)
        store.add_samples(run_id, TRIAL, [sample(0)])
        postgresql.kill()
        [folder] = unwritten.iterdir()
        assert store.keep().startswith(f"{folder / 'store.db'}, since the server of ")
    assert said == []
    assert folder.exists()
    postgresql.start()
    with opened(url, said) as store:
        assert store.settle(lambda shared: shared.sample_counts(run_id)) == {TRIAL: 1}


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
            if acknowledged == 200:
                process.send_signal(signal.SIGKILL)
    postgresql.start()
    assert len(list(unwritten.iterdir())) == 1
    said: list[str] = []
    with opened(url, said) as store:
        run_id = found_by(store)
        found = store.samples(run_id)[TRIAL]
    assert len(said) == 1
    assert len(found) - acknowledged in {0, 1}
    assert found == [sample(n) for n in range(len(found))]
    with Store.open(url) as server:
        assert server.samples(run_id) == {TRIAL: found}
    assert list(unwritten.iterdir()) == []


def test_the_next_server_waits_for_the_rest_of_a_killed_one(
    postgresql: PostgresqlServer, url: str
) -> None:
    """The next server starts once the last process of a killed server has noticed its end."""
    with Store.open(url) as store:
        with store.writing() as connection:
            rest = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        os.kill(rest, signal.SIGSTOP)
        postgresql.kill()
        later = threading.Timer(0.5, os.kill, (rest, signal.SIGCONT))
        later.start()
        postgresql.start()
        later.join()
        begin(store)


def test_a_run_that_a_machine_sent_waits_for_the_server(
    postgresql: PostgresqlServer, url: str, tmp_path: Path
) -> None:
    """A run that comes while the server is away is added once the server is back, and once."""
    said: list[str] = []
    with Store.open(tmp_path / "sent.db") as sent, opened(url, said) as store:
        run_id = begin(sent)
        sent.add_samples(run_id, TRIAL, [sample(0)])
        content = merging.content_of(sent, run_id)
        postgresql.kill()
        add = partial(merging.add_content, content=content)
        waits = threading.Thread(target=store.settle, args=(add,))
        waits.start()
        time.sleep(0.7)
        assert waits.is_alive()
        postgresql.start()
        waits.join()
        assert store.settle(add) is None
        assert [run.study_digest for run in store.settle(Store.runs)] == [DIGEST]
    assert said[-1] == f"the server of {store.location} is back"


def test_no_folder_can_be_written(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary folder serves if the user's cannot be written; without both it is a refusal."""
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    with opened(url, []):
        assert len(list(tmp_path.glob(f"joulemark-{os.getuid()}-unwritten/*/store.db"))) == 1
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(blocked))
    with pytest.raises(StoreError, match=r"no folder that can be written for it"):
        opened(url, [])
