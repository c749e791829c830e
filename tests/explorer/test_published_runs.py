# SPDX-License-Identifier: Apache-2.0
"""Runs that were imported without samples: they stand in every list, and are called published."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import many_runs
import pytest
from estimating import estimated
from many_runs import import_published
from serving import Served, served

from joulemark.errors import StoreError
from joulemark.explorer.estimates.holdings import Holdings
from joulemark.store.reading import OutlineStore
from joulemark.store.repository import Store

NAME = "hmac-sha1"


@pytest.fixture(scope="module")
def path(store_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one machine, and a third of another one without samples."""
    folder = tmp_path_factory.mktemp("published")
    path = folder / "runs.db"
    many_runs.fill(path, runs=2, samples=100, machines=1)
    assert import_published(store_path, 3, path, folder) == 3
    return path


@pytest.fixture(scope="module")
def mixed(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Holdings]:
    """The store with the published run, estimated."""
    with estimated(str(path), tmp_path_factory.mktemp("kept") / "kept.db") as found:
        yield found


@pytest.fixture(scope="module")
def server(mixed: Holdings) -> Iterator[Served]:
    """The server of that store on a port of this machine."""
    with served(mixed) as found:
        yield found


def test_outline_has_its_trials(mixed: Holdings) -> None:
    """The outline has the trials of the file's results, and no observation."""
    run = mixed.known().runs[3]
    assert (run.published, run.samples, run.algorithms) == (True, 0, (NAME,))
    assert len(run.trials) == 10
    assert [mixed.known().runs[number].published for number in (1, 2)] == [False, False]


@pytest.mark.parametrize(
    "address", ["/", "/runs", "/runs?algorithm=hmac-sha1", "/machines/{machine}"]
)
def test_lists_call_it_published(server: Served, mixed: Holdings, address: str) -> None:
    """The line of the run has its algorithm, its contents and the state."""
    page = server.ask(address.format(machine=mixed.known().machine_of[3])).text
    rows = [word.split("</tr>")[0] for word in page.split('<a href="/runs/3">')[1:]]
    assert any(
        "10 published results" in row and ">published<" in row and NAME in row for row in rows
    )


def test_figures_have_the_word(server: Served) -> None:
    """The run's page, its algorithm's page and the data say published."""
    assert "published; 10 published results." in server.ask("/runs/3").text
    for address in (f"/runs/3/{NAME}", f"/algorithms/{NAME}", f"/targets?algorithm={NAME}"):
        path, _, query = address.partition("?")
        rows = json.loads(server.ask(f"{path}.json?{query}").body)["rows"]
        words = {row["evidence"] for row in rows if row["run"] == 3}
        assert words == {"published"}, address
    runs = json.loads(server.ask("/runs.json").body)["rows"]
    assert {row["run"]: row["published"] for row in runs} == {1: False, 2: False, 3: True}


def test_nothing_is_judged_by_it(store_path: Path, tmp_path: Path) -> None:
    """A run is compared with the newest earlier run that has samples."""
    path = tmp_path / "runs.db"
    many_runs.fill(path, runs=1, samples=100, machines=2)
    with Store.open(path) as store:
        store.delete_run(1)
    for number in (1, 7, 13):
        import_published(store_path, number, path, tmp_path)
    with estimated(str(path), tmp_path / "kept.db") as holdings:
        known = holdings.known()
        assert {known.machine_of[run] for run in known.runs} == set(known.machines)
        assert all(known.before(run) == {} for run in known.runs.values())


def test_damaged_results_are_refused(path: Path, tmp_path: Path) -> None:
    """The sentence names table and row."""
    copy = tmp_path / "runs.db"
    copy.write_bytes(path.read_bytes())
    with OutlineStore.open(copy) as store:
        with store.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE published SET results = json_set(results, '$.results[1].batch', 0)"
            )
        with pytest.raises(StoreError, match=r"published.*results\.1\.batch"):
            store.outlines([3])
