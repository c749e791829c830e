# SPDX-License-Identifier: Apache-2.0
"""`joulemark fleet bench` on real workers: builds, meters, deaths, silence, Ctrl-C; trials once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
from distributed import Client
from jobs_of_tests import deadly_once, noted
from small_fleet import SmallFleet, until
from typer.testing import CliRunner, Result

from joulemark.cli.app import app
from joulemark.fleet import who_am_i
from joulemark.fleet.dispatch import Dispatch, WorkerJob
from joulemark.fleet.serving import Tls, connected

STUDY = ("hmac-sha256/portable", "--size", "64,1KiB", "--window-ms", "0.2")
SIZES = 2


def client_of(fleet: SmallFleet) -> AbstractContextManager[Client]:
    """A client of the fleet's scheduler."""
    keys = fleet.folder / "fleet.pem"
    return connected(fleet.address, Tls(keys, keys))


def process_of(fleet: SmallFleet, machine: str) -> int:
    """Process id of a machine's only worker."""
    with client_of(fleet) as client:
        machines = client.run(who_am_i)
        (address,) = [at for at, said in machines.items() if said["machine"] == machine]
        found = client.run(os.getpid, workers=[address])
    return int(found[address])


def visits_of_runs(store: Path) -> list[list[tuple[int, int, int]]]:
    """For each run, trial and round: the number of visits in that round that took samples."""
    with closing(sqlite3.connect(store)) as database:
        runs = [number for (number,) in database.execute("SELECT id FROM run ORDER BY id")]
        return [
            database.execute(
                "SELECT trial_id, round_index, count(DISTINCT visit_wall_ns) FROM sample "
                "JOIN trial ON trial.id = trial_id WHERE run_id = ? GROUP BY 1, 2", (run,),
            ).fetchall()
            for run in runs
        ]  # fmt: skip


@pytest.fixture(scope="module")
def small_fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallFleet]:
    """A fleet whose only machine is called one."""
    made = SmallFleet(tmp_path_factory.mktemp("fleet"))
    try:
        made.worker("one")
        yield made
    finally:
        made.end()


@pytest.fixture
def called(small_fleet: SmallFleet, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """`called("workers", ...)`: the command in this process, in the fleet's folder."""
    monkeypatch.chdir(small_fleet.folder)
    return lambda word, *more: CliRunner().invoke(
        app, ["fleet", word, *map(str, more), "--scheduler", small_fleet.address, *small_fleet.tls],
        prog_name="joulemark",
    )  # fmt: skip


def test_a_study_and_another_build(
    small_fleet: SmallFleet, called: Callable[..., Result], other_build: Path
) -> None:
    """A machine sends a complete run; a worker of another build is refused by name."""
    small_fleet.worker("stranger", package=other_build)
    listed = called("workers")
    assert listed.exit_code == 0
    assert "1 of this build" in listed.stdout
    assert "of machine stranger runs another build" in listed.stdout

    done = called("bench", *STUDY, "--rounds", "3", "--store", "all.db")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "one: run 1\n"
    assert "refused: worker stranger" in done.stderr
    (run,) = visits_of_runs(small_fleet.folder / "all.db")
    assert len(run) == SIZES * 3
    with closing(sqlite3.connect(small_fleet.folder / "all.db")) as database:
        ((text,),) = database.execute("SELECT environment FROM run")
    assert json.loads(text)["machine_name"] == "one"
    assert small_fleet.samples("one") == 0, "what has arrived is cleared up"
    small_fleet.leave("stranger")


def test_a_machine_without_a_meter_says_so(
    small_fleet: SmallFleet, called: Callable[..., Result], faulty_plugin: Callable[..., Path]
) -> None:
    """Its times stand, those of the plugin too, and the exit code is 2."""
    shutil.copy(faulty_plugin("NONE"), small_fleet.folder / "mine.so")
    bare = small_fleet.folder / "bare"
    bare.mkdir()
    done = called(
        "bench", "siphash-2-4/faulty", "--size", "64", "--rounds", "2", "--plugin", "mine.so",
        "--energy", "--sysfs", bare, "--proc", bare, "--store", "meterless.db",
    )  # fmt: skip
    assert done.exit_code == 2
    assert done.stdout.startswith("one: run 1, no joules: "), done.stderr
    assert done.stdout.count("\n") == 1
    with closing(sqlite3.connect(small_fleet.folder / "meterless.db")) as store:
        assert store.execute("SELECT count(*) FROM sample").fetchone()[0] >= 8
        assert store.execute("SELECT 1 FROM failure WHERE kind = 'unavailable' AND "
                             "implementation = '*/energy'").fetchall()  # fmt: skip


def test_a_worker_that_dies_loses_only_its_job(small_fleet: SmallFleet, tmp_path: Path) -> None:
    """Its job is done by another worker; those that were done before it are not done again."""
    small_fleet.worker("two")
    marks = [tmp_path / f"mark-{number}" for number in range(5)]
    jobs = [WorkerJob(f"job {place}", noted, mark) for place, mark in enumerate(marks)]
    jobs.insert(2, WorkerJob("the deadly job", deadly_once, tmp_path / "died"))
    said: list[str] = []
    found: dict[int, Any] = {}
    with client_of(small_fleet) as client:
        Dispatch(client, said.append).run(jobs, found.__setitem__)
    assert found == dict.fromkeys(range(6), "done")
    again = [text for text in said if "is tried again" in text]
    assert [text for text in again if text.startswith("the deadly job")]
    assert len(again) == 1, said
    assert [mark.read_text() for mark in marks] == ["x"] * 5


@pytest.mark.exhaustive
def test_killed_and_stopped_workers(fleet: SmallFleet) -> None:
    """One of three is killed while measuring, one stopped for 20 s; each trial is taken once."""
    machines = ("one", "two", "three")
    for machine in machines:
        fleet.worker(machine)
    command = fleet.started(
        "bench", *STUDY, "--rounds", "300", "--scheduler", fleet.address, *fleet.tls, "--store",
        "all.db",
    )  # fmt: skip
    until(lambda: any(fleet.samples(machine) > 200 for machine in machines), "a machine measures")
    killed = max(machines, key=fleet.samples)
    os.kill(process_of(fleet, killed), signal.SIGKILL)
    others = [machine for machine in machines if machine != killed]
    until(lambda: any(fleet.samples(name) > 100 for name in others), "another machine measures")
    stopped = process_of(fleet, max(others, key=fleet.samples))
    os.kill(stopped, signal.SIGSTOP)
    try:
        until(lambda: "has been silent" in fleet.said()[1], "the silence is told", 60.0)
        with pytest.raises(AssertionError):
            until(lambda: False, "20 s", 10.0)
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert command.wait(280) == 0, fleet.said()[1]
    output, errors = fleet.said()
    print(errors)
    assert len(output.splitlines()) == len(machines)
    for sentence in (
        f"of machine {killed} has ended", f"the study on machine {killed} is tried again",
        f"machine {killed} goes on: it has", "answers again",
    ):  # fmt: skip
        assert sentence in errors
    runs = visits_of_runs(fleet.folder / "all.db")
    assert [len(run) for run in runs] == [SIZES * 300] * len(machines)
    assert {visits for run in runs for _, _, visits in run} == {1}


@pytest.mark.exhaustive
def test_interrupted_and_gone_on(fleet: SmallFleet) -> None:
    """Ctrl-C ends the worker's measurement; the same command continues it."""
    fleet.worker("one")
    words = ("bench", *STUDY, "--rounds", "200", "--scheduler", fleet.address, *fleet.tls,
             "--store", "all.db")  # fmt: skip
    first = fleet.started(*words, name="first")
    until(lambda: fleet.samples("one") > 100, "the machine measures")
    first.send_signal(signal.SIGINT)
    assert first.wait(30) == 130
    assert "the same command goes on" in fleet.said("first")[1]
    second = fleet.started(*words, name="second")
    assert second.wait(200) == 0
    assert "machine one goes on: it has" in fleet.said("second")[1]
    (run,) = visits_of_runs(fleet.folder / "all.db")
    assert len(run) == SIZES * 200
    assert {visits for _, _, visits in run} == {1}
