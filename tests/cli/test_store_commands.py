# SPDX-License-Identifier: Apache-2.0
"""`joulemark store`, and every command with a store on a server."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from fake_store import ENVIRONMENT, PORTABLE, SHANI, add_run, facts, store_with
from typer.testing import Result

from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, Workload
from joulemark.store import access
from joulemark.store.beside_runs import SessionsPoint
from joulemark.store.repository import Store
from known_schema import BY_MIGRATIONS
from postgresql_server import PostgresqlServer

Run = Callable[..., Result]
PASSWORD = "hunter2"


@pytest.fixture
def url(postgresql: PostgresqlServer) -> Iterator[str]:
    """Address of an empty store on a server."""
    with postgresql.database("empty_store") as found:
        yield found


def secret(url: str) -> str:
    """The address with a password."""
    return url.replace("joulemark@", f"joulemark:{PASSWORD}@")


def exports(run: Run, store: str) -> list[bytes]:
    """Returns every run of a store, as `export --raw` writes it."""
    entries = json.loads(run("runs", "--json", "--store", store).stdout)["runs"]
    return [
        run("export", "--raw", "--run", entry["id"], "--store", store).stdout.encode()
        for entry in entries
    ]


def test_there_and_back_exports_the_same_bytes(run: Run, url: str) -> None:
    """A copy from SQLite to PostgreSQL and back exports the same bytes."""
    small = {"sizes": (64,), "names": (PORTABLE, SHANI)}
    store_with(Path("first.db"), small, {**small, "broken": (SHANI,)}, {**small, "finished": False})
    said = run("store", "copy", "first.db", url)
    assert said.exit_code == 0, said.output
    assert "3 runs copied from first.db to postgresql+psycopg://joulemark@/" in said.stdout
    assert "3 were there already" in run("store", "copy", "first.db", url).stdout
    assert run("store", "copy", url, "back.db").exit_code == 0
    first = exports(run, "first.db")
    assert len(first) == 3
    assert exports(run, url) == first
    assert exports(run, "back.db") == first


def forked_writer(place: str, number: int) -> int:
    """Starts a process that stores a run of a machine with this number; returns its process id."""
    child = os.fork()
    if child == 0:
        try:
            access._migrate = BY_MIGRATIONS  # as users' processes make a store at once
            with Store.open(place, patience_s=60) as store:
                add_run(store, seed=number, environment={"cpu_model": f"Model {number}"},
                        sizes=(64,), names=(SHANI,))  # fmt: skip
            os._exit(0)
        finally:
            os._exit(1)
    return child


@pytest.mark.parametrize("engine", ["file", "postgresql"])
def test_eight_processes_write_eight_runs_at_once(
    engine: str, request: pytest.FixtureRequest, run: Run
) -> None:
    """No run is lost, and both engines export the same of the runs."""
    place = request.getfixturevalue("url") if engine == "postgresql" else "eight.db"
    children = [forked_writer(place, number) for number in range(8)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    store_with(Path("one.db"), *(
        {"seed": number, "environment": {"cpu_model": f"Model {number}"}, "sizes": (64,),
         "names": (SHANI,)} for number in range(8)
    ))  # fmt: skip
    assert normalised(exports(run, place)) == normalised(exports(run, "one.db"))


def normalised(found: list[bytes]) -> list[dict[str, Any]]:
    """Exports, sorted by machine, without number and times of their run."""
    values = [json.loads(block) for block in found]
    for entry in values:
        for name in ("id", "started_at", "finished_at"):
            del entry["context"]["run"][name]
    return sorted(values, key=lambda entry: entry["context"]["environment"]["cpu_model"])


def test_a_password_is_seen_nowhere(
    run: Run, url: str, postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password from the variable works, and is in no output, refusal, page or store."""
    monkeypatch.setenv("JOULEMARK_STORE", secret(url))
    store_with(Path("first.db"), {"sizes": (64,), "names": (PORTABLE, SHANI)})
    said = [
        run(*line)
        for line in (
            ["runs"], ["store", "size"], ["store", "check"], ["export"], ["results"],
            ["store", "copy", "first.db", url], ["runs"], ["store", "size", "--json"],
            ["store", "prune", "--keep", "1"], ["export", "--run", "7"], ["export", "--raw"],
            ["report", "-o", "page.html"],
        )
    ]  # fmt: skip
    assert sum(result.exit_code == 0 for result in said) >= 9
    monkeypatch.setenv("JOULEMARK_STORE", secret(url).replace("host=", "host=/gone"))
    said.append(run("runs"))
    assert "cannot be reached" in said[-1].stderr
    monkeypatch.setenv("JOULEMARK_STORE", f"postgresql://u:{PASSWORD}@h:x/d")
    said.append(run("runs"))
    assert "no database URL" in said[-1].stderr or "not a database URL" in said[-1].stderr
    assert all(PASSWORD not in result.output for result in said)
    assert PASSWORD not in Path("page.html").read_text()
    [[dump]] = postgresql.execute(
        "SELECT query_to_xml('SELECT * FROM run, published', true, true, '')::text",
        url.partition("@/")[2].partition("?")[0],
    )
    assert PASSWORD not in str(dump)


@pytest.mark.parametrize(
    "line", [["runs", "--store"], ["store", "copy", "first.db"], ["store", "copy"], ["bench",
             "siphash-2-4", "--store"], ["import", "x.json", "--store"]],
)  # fmt: skip
def test_a_password_on_the_command_line_is_refused(
    line: list[str], refused: Callable[..., str], url: str
) -> None:
    """A password on the command line is refused: every user of the machine can read it there."""
    words = [*line, secret(url)]
    said = refused(*words, *(["back.db"] if words[1:2] == ["copy"] and len(line) == 2 else []))
    assert "a password on the command line" in said
    assert "JOULEMARK_STORE" in said
    assert "PGPASSFILE" in said
    assert PASSWORD not in said


def test_without_the_driver(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the driver the refusal has the command that installs it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = refused("runs", "--store", "postgresql+psycopg://u@h/d")
    assert "needs the Python package psycopg" in said
    assert "pip install 'joulemark[postgresql]'" in said


def test_size(run: Run, url: str) -> None:
    """`store size` counts rows of each table on both engines, and bytes."""
    store_with(Path("first.db"), {})
    run("store", "copy", "first.db", url)
    sizes = [
        json.loads(run("store", "size", "--json", "--store", place).stdout)
        for place in ("first.db", url)
    ]
    rows = [{table["name"]: table["rows"] for table in size["tables"]} for size in sizes]
    assert rows[0] == rows[1]
    assert rows[0]["sample"] == 144
    assert sizes[0]["size_bytes"] == Path("first.db").stat().st_size
    assert all(table["size_bytes"] > 0 for table in sizes[1]["tables"])
    assert "sample" in run("store", "size", "--store", url).stdout


def test_check_says_what_is_damaged(run: Run) -> None:
    """Each damaged run has a line, and the exit code is 1; nothing is repaired."""
    store_with(Path("first.db"), {}, {})
    whole = run("store", "check", "--store", "first.db")
    assert (whole.exit_code, whole.stdout) == (
        0, "first.db is whole: every run in it can be read\n",
    )  # fmt: skip
    with Store.open("first.db") as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE sample SET wall_ns = 'x' WHERE trial_id > 6")
    found = run("store", "check", "--store", "first.db")
    assert found.exit_code == 1
    [line] = found.stdout.splitlines()
    assert line.startswith(
        "run 2: first.db is not a Joulemark database or is damaged (table sample"
    )


@pytest.fixture
def whole() -> Path:
    """A store with two runs, each with a count of firmware, and a point of sessions."""
    count = FirmwareCount(9, 9, None, 9, 9, 0, None, 9, "modelled", "gcc 12.2.0", "-O2", "simavr")
    path = Path("whole.db")
    with Store.open(path) as store:
        for _ in range(2):
            run_id = add_run(store, sizes=(64,), names=(PORTABLE,))
            store.add_firmware_count(run_id, Trial(PORTABLE, Workload(64), "mcu:atmega128"), count)
        store.add_sessions(SessionsPoint(facts(PORTABLE), 64, "", 2, (), ENVIRONMENT, "0.1.0"))
    return path


@pytest.mark.parametrize("table", ["firmware_count", "sessions_point"])
def test_check_reads_counts_of_firmware_and_sessions(table: str, run: Run, whole: Path) -> None:
    """A damaged row of firmware counts or of sessions is named."""
    assert run("store", "check", "--store", whole).exit_code == 0
    column = "stack_bytes" if table == "firmware_count" else "sessions"
    with Store.open(whole) as store, store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE {table} SET {column} = -1")
    found = run("store", "check", "--store", whole)
    assert found.exit_code == 1
    assert all(f"(table {table}, row" in line for line in found.stdout.splitlines())
    assert f"column {column}: -1" in found.stdout


def test_sizes_and_pruning_know_firmware_and_sessions(run: Run, whole: Path) -> None:
    """Rows of both are counted; a pruned run takes its counts along and no sessions."""

    def rows() -> tuple[int, int]:
        size = json.loads(run("store", "size", "--json", "--store", whole).stdout)
        found = {table["name"]: table["rows"] for table in size["tables"]}
        return found["firmware_count"], found["sessions_point"]

    assert rows() == (2, 1)
    pruned = run("store", "prune", "--keep", "1", "--delete", "--store", whole)
    assert "1 run of" in pruned.stdout or "1 run deleted" in pruned.stdout
    assert rows() == (1, 1)
    listed = json.loads(run("runs", "--json", "--store", whole).stdout)["runs"]
    assert [entry["simulated"] for entry in listed] == [1]


@pytest.mark.parametrize("engine", ["file", "postgresql"])
def test_prune(engine: str, request: pytest.FixtureRequest, run: Run) -> None:
    """`store prune` lists runs and deletes them on demand; the newest of each machine stay."""
    place = request.getfixturevalue("url") if engine == "postgresql" else "first.db"
    other = {"environment": {"cpu_model": "Model U"}}
    with Store.open(place) as store:
        for changes in ({}, {"finished": False}, other, {}, {}, {"finished": False}):
            add_run(store, sizes=(64,), names=(PORTABLE,), **changes)

    def left() -> list[int]:
        return [
            entry["id"]
            for entry in json.loads(run("runs", "--json", "--store", place).stdout)["runs"]
        ]

    listed = run("store", "prune", "--keep", "2", "--store", place).stdout
    assert "2 runs of" in listed
    assert "--delete deletes them" in listed
    assert left() == [1, 2, 3, 4, 5, 6]
    assert (
        "2 runs deleted"
        in run("store", "prune", "--keep", "2", "--delete", "--store", place).stdout
    )
    assert left() == [3, 4, 5, 6]
    assert (
        "no such" not in run("store", "prune", "--keep", "2", "--delete", "--store", place).stdout
    )
    assert left() == [3, 4, 5, 6]
    assert run("store", "prune", "--store", place).exit_code == 2


def test_stores_that_are_not_there(refused: Callable[..., str]) -> None:
    """Reading makes no store, and a copy needs its source."""
    for line in (
        ["check"],
        ["size"],
        ["prune", "--keep", "1"],
        ["prune", "--keep", "1", "--delete"],
    ):
        assert "there is no store at gone.db" in refused("store", *line, "--store", "gone.db")
    assert "there is no store at gone.db" in refused("store", "copy", "gone.db", "made.db")
    assert not Path("made.db").exists()
    assert "JOULEMARK_STORE_WAIT is 'soon'" in refused(
        "bench", "siphash-2-4", "--quick", "--store", "x.db", env={"JOULEMARK_STORE_WAIT": "soon"}
    )


def samples_in(folder: Path) -> int:
    """Number of samples that a command for a server has in its file."""
    for path in folder.glob("joulemark/unwritten/*/store.db"):
        with closing(sqlite3.connect(path)) as file, suppress(sqlite3.OperationalError):
            return int(file.execute("SELECT count(*) FROM sample").fetchone()[0])
    return 0


@pytest.mark.parametrize("comes_back", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_bench_outlasts_its_server(
    comes_back: bool, url: str, postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    """A run whose server is killed goes on, or ends with a sentence; nothing sampled is lost."""
    environment = {
        **os.environ, "JOULEMARK_STORE": secret(url), "XDG_DATA_HOME": str(tmp_path),
        "JOULEMARK_STORE_WAIT": "60" if comes_back else "0.2",
    }  # fmt: skip
    line = [sys.executable, "-m", "joulemark.cli.entry", "bench", "siphash-2-4/portable",
            "--size", "16,64", "--quick", "--rounds", "60"]  # fmt: skip

    def started() -> subprocess.Popen[str]:
        return subprocess.Popen(line, env=environment, cwd=tmp_path, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip

    def sampling() -> subprocess.Popen[str]:
        process, before = started(), samples_in(tmp_path)
        while samples_in(tmp_path) <= before:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        return process

    first = sampling()
    first.send_signal(signal.SIGINT)
    said = first.communicate(timeout=60)[0]
    assert first.returncode == 130, said
    assert "every sample so far is in postgresql" in said
    with Store.open(url) as store:
        kept = sum(store.sample_counts(1).values())
    assert kept > 0
    second = sampling()
    postgresql.kill()
    try:
        if comes_back:
            time.sleep(0.5)
            postgresql.start()
        said = second.communicate(timeout=120)[0]
    finally:
        if not comes_back:
            postgresql.start()
    assert PASSWORD not in said
    assert "going on with run 1" in said
    if not comes_back:
        assert second.returncode == 2, said
        assert "run the same command when it runs again" in said.splitlines()[-1]
        assert "samples are kept in " in said
        third = started()
        said = third.communicate(timeout=120)[0]
        assert third.returncode == 0, said
        assert "that an earlier run could not write" in said
        assert "going on with run 1" in said
    else:
        assert second.returncode == 0, said
        if "cannot be reached" in said:
            assert " is back" in said
    with Store.open(url) as store:
        [record] = store.runs()
        assert record.finished_at is not None
        trials = store.samples(1)
        assert len(trials) == 2
        assert sum(map(len, trials.values())) > kept
        for taken in trials.values():
            assert sorted({sample.round_index for sample in taken}) == list(range(record.rounds))
            assert len(taken) >= 4 * record.rounds
    assert not any((tmp_path / "joulemark" / "unwritten").glob("*"))
