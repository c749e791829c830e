# SPDX-License-Identifier: Apache-2.0
"""Where and how long `joulemark bench` measures, and how well its figures repeat."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fake_store import PORTABLE, SHANI, TWIN, store_with

from forked_commands import run_joulemark
from joulemark.analyse import assemble as repeatability
from joulemark.analyse.assemble import result_set
from joulemark.report.words import groups
from joulemark.store.repository import Store

SHORT = ["siphash-2-4/portable", "--size", "64", "--rounds", "5"]


def bench(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command as a user would."""
    return run_joulemark("bench", *arguments, cwd=cwd, text=True)


def measured(*arguments: str, cwd: Path) -> dict[str, Any]:
    """Returns the JSON of a run that must succeed."""
    done = bench(*SHORT, *arguments, "--fresh", "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def visits_of_its_run(found: dict[str, Any], cwd: Path) -> int:
    """Counts visits of the only trial; a busy machine may have left windows out of its figure."""
    with closing(sqlite3.connect(cwd / "joulemark.db")) as connection:
        ((visits,),) = connection.execute(
            "select count(distinct round_index) from sample join trial on trial.id = trial_id "
            "where run_id = ?", [found["context"]["run"]["id"]]
        ).fetchall()  # fmt: skip
    return int(visits)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--cpu", "4096"], "--cpu 4096: this process may run on"),
        (["--precision", "0%"], "--precision 0%: give a share above 0 and below 100%"),
        (["--precision", "200%"], "--precision 200%: give a share above 0 and below 100%"),
        (["--precision", "much"], "--precision much: give a difference such as 5% or 0.05"),
        (["--budget", "5min"], "--budget is the limit of --precision"),
        (["--precision", "1%", "--budget", "-3s"], "--budget -3s: give a length of time"),
        (["--precision", "1%", "--budget", "3 weeks"], "--budget 3 weeks: give a length of time"),
        (
            ["--percentile", "99"],
            "--percentile 99 needs 368 windows of each trial, and this run takes 20: give --rounds",
        ),
        (["--percentile", "100"], "--percentile 100: give a number between 0 and 100, such as 99"),
        (["--percentile", "75", "--csv"], "--percentile is shown in the table and by --json alone"),
        (["--wait-quiet", "0"], "--wait-quiet 0: give a length of time such as 10ms, 90s or 5min"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    arguments: list[str], says: str, tmp_path: Path
) -> None:
    """Bad options give one line and exit code 2 before anything is measured or stored."""
    done = bench(*SHORT, *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"joulemark: {says}")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_the_run_says_where_it_was_measured(tmp_path: Path) -> None:
    """CPU, priority and load of the run stand in the JSON; a named CPU is used."""
    cpu = min(os.sched_getaffinity(0))
    conditions = measured("--cpu", str(cpu), cwd=tmp_path)["context"]["run"]["conditions"]
    assert (conditions["cpu"], conditions["cpu_named"]) == (cpu, True)
    assert conditions["nice"] == os.getpriority(os.PRIO_PROCESS, 0)
    assert len(conditions["load_average"]) == 3
    assert conditions["cpus_allowed"] == len(os.sched_getaffinity(0))


def test_wide_trials_go_on_within_the_budget(tmp_path: Path) -> None:
    """A precision that nothing reaches is pursued until the budget is spent, in whole blocks."""
    few = visits_of_its_run(measured(cwd=tmp_path), tmp_path)
    asked = ("--precision", "0.0001%", "--budget", "3s")
    more = visits_of_its_run(measured(*asked, cwd=tmp_path), tmp_path)
    assert few == 5
    assert more > few
    assert more % few == 0
    enough = bench(*SHORT, "--precision", "90%", "--budget", "60s", "--fresh", cwd=tmp_path)
    assert "precision 90 % reached by 1 of 1 trials" in enough.stderr


def test_waiting_is_said_and_ends(tmp_path: Path) -> None:
    """Beside a busy loop the wait ends at its limit, and the run is measured nevertheless."""
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        done = bench(*SHORT, "--wait-quiet", "1s", cwd=tmp_path)
    finally:
        loop.kill()
        loop.wait()
    assert done.returncode == 0, done.stderr
    assert "waiting for a quieter machine, at most 1 s: programs use" in done.stderr
    assert "did not become quiet in that time" in done.stderr


def test_figures_say_how_well_they_repeated(tmp_path: Path) -> None:
    """Earlier finished runs of the same environment and implementation count, others do not."""
    path = store_with(
        tmp_path / "runs.db",
        {"seed": 1, "noise": 0.0},
        {"seed": 2, "noise": 0.0, "slower": {PORTABLE: 1.1}},
        {"seed": 3, "noise": 0.0, "slower": {PORTABLE: 9.0}, "finished": False},
        {"seed": 4, "noise": 0.0, "slower": {PORTABLE: 9.0}, "environment": {"cpu_model": "T2"}},
        {"seed": 5, "noise": 0.0},
    )
    with Store.open(path) as store:
        first, last = result_set(store, 1), result_set(store, 5)
    assert all(result.repeatability is None for result in first.results)
    found = {
        result.implementation: result.repeatability
        for result in last.results
        if result.size_bytes == 64
    }
    assert found[PORTABLE] is not None
    assert found[PORTABLE].runs == 3
    assert found[PORTABLE].half_range == pytest.approx(0.05)
    assert found[SHANI] is not None
    assert found[SHANI].half_range == 0


def test_earlier_runs_are_read_as_far_as_they_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest earlier run is always read; older runs while all have few samples together."""
    path = store_with(tmp_path / "runs.db", *({"seed": seed} for seed in range(5)))
    with Store.open(path) as store:
        last = store.runs()[-1]
        each = sum(store.sample_counts(last.id).values())
        for most, runs in ((4 * each, 4), (3 * each - 1, 2), (1, 1)):
            monkeypatch.setattr(repeatability, "MOST_SAMPLES", most)
            found = repeatability.earlier_medians(store, last)
            assert {len(medians) for medians in found.values()} == {runs}


def test_what_is_not_told_apart_says_so(tmp_path: Path) -> None:
    """Twins overlap and are marked, a clear loser is not; a clear winner alone has no mark."""
    path = store_with(tmp_path / "runs.db", {}, {"names": (PORTABLE, SHANI)})
    with Store.open(path) as store:
        ranked = groups(result_set(store, 1))[0]
        clear = groups(result_set(store, 2))[0]
    assert ranked.results[0].implementation == SHANI
    assert not any(ranked.tied(result) for result in ranked.results)
    twins = type(ranked)(ranked.algorithm, ranked.workload, 64, ranked.results[1:])
    assert {result.implementation for result in twins.results} == {PORTABLE, TWIN}
    assert all(twins.tied(result) for result in twins.results)
    assert not any(clear.tied(result) for result in clear.results)


def test_a_percentile_stands_beside_the_median(tmp_path: Path) -> None:
    """Of every window that was stored, with an interval, on the screen and in JSON."""
    short = [*SHORT, "--window-ms", "0.2", "--percentile", "75", "--fresh"]
    shown = bench(*short, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    rows = [line.split() for line in shown.stdout.splitlines()]
    (head,) = [row for row in rows if "p75" in row]
    assert head == ["implementation", "message", "median", "p75", "interval", "windows"]
    (found,) = json.loads(bench(*short, "--json", cwd=tmp_path).stdout)["percentiles"]
    assert (found["implementation"], found["message"]) == (SHORT[0], "64 B")
    assert (found["percent"], found["windows"]) == (75, 20)
    assert found["median"] <= found["seconds_per_message"]
    assert 0 < found["low"] <= found["seconds_per_message"] <= found["high"]
