# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench` as a user meets it: figures, refusals, and the remains of a killed run."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forked_commands import COMMAND, run_joulemark
from joulemark.analyse import SCHEMA_VERSION
from joulemark.cli.app import app
from joulemark.report.charts import samples

BENCH = [*COMMAND, "bench"]
SHORT = ["--rounds", "3", "--window-ms", "0.2"]
OWN = "siphash-2-4/portable"


def bench(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command in an empty folder, as a user would."""
    return run_joulemark("bench", *arguments, cwd=cwd, text=True)


def measured(*arguments: str, cwd: Path) -> dict[str, Any]:
    """Returns the JSON of a run that must succeed."""
    done = bench(*arguments, *SHORT, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_json_has_figures_with_unit_interval_and_evidence(tmp_path: Path) -> None:
    """Every trial has the published fields; what cannot be measured is null with a reason."""
    answer = measured(OWN, "hmac-sha256/portable", "--size", "0,64", cwd=tmp_path)
    assert answer["schema_version"] == SCHEMA_VERSION
    assert {(result["implementation"], result["size_bytes"]) for result in answer["results"]} == {
        (name, size) for name in (OWN, "hmac-sha256/portable") for size in (0, 64)
    }
    for result in answer["results"]:
        seconds = result["seconds_per_message"]
        assert 0 < seconds["low"] <= seconds["median"] <= seconds["high"] < 1e-3
        assert (result["target"], result["mode"], result["batch"]) == ("host", "throughput", 1)
        assert result["evidence"] == "measured"
        assert result["joules_per_byte"] is None
        assert "not asked for" in result["reasons"]["joules_per_byte"]
        if result["size_bytes"] == 0:
            assert result["tsc_ticks_per_byte"] is None
            assert result["reasons"]["tsc_ticks_per_byte"]
        if result["core_cycles_per_message"] is not None:
            assert result["core_cycles_per_message"]["evidence"] in {"measured", "modelled"}
    loop = answer["context"]["loop"]["seconds_per_message"]
    assert 0 < loop["minimum"] <= loop["median"]


def test_a_load_comes_first(tmp_path: Path) -> None:
    """With a rate the screen and the JSON say what it takes; claims leave algorithms out.

    The page of the run draws its samples.
    """
    mac = "hmac-sha256/portable"
    words = [OWN, mac, "--size", "64", "--rate", "1M", "--security-bits", "128"]
    words += ["--core-hour", "0.04", *SHORT]
    said = bench(*words, "--report", "page.html", cwd=tmp_path)
    assert "A strip for each implementation" in (tmp_path / "page.html").read_text("utf-8")
    lines = said.stdout.splitlines()
    assert lines[0] == "1 000 000 messages a second:"
    assert lines[1].startswith(f"  {mac}, 64 B  ")
    assert lines[1].endswith(" a day modelled")
    assert "left out: siphash-2-4 (claims 64 bits of security)" in said.stderr
    answer = measured(*words, cwd=tmp_path)
    (result,) = answer["results"]
    load = answer["context"]["load"]
    (cost,) = load["costs"]
    assert load["messages_per_second"] == 1e6
    assert cost["implementation"] == mac
    assert cost["cores"]["median"] == pytest.approx(1e6 * result["seconds_per_message"]["median"])


def test_files_of_the_working_folder_are_not_modules(tmp_path: Path) -> None:
    """A `json.py` in the working folder does not stand for Python's own in the measured process."""
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    line = [BENCH[0], "-P", *BENCH[1:], OWN, "--size", "16", *SHORT]
    done = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_modes_and_raw_samples(tmp_path: Path) -> None:
    """Each combination of mode, cache and key set-up is a separate trial with samples."""
    answer = measured(OWN, "--size", "64", "--mode", "throughput,latency", "--cache", "hot,cold",
                      "--key", "kept,fresh", "--raw", cwd=tmp_path)  # fmt: skip
    workloads = {
        (result["mode"], result["cache"], result["key_setup"]) for result in answer["results"]
    }
    assert len(workloads) == len(answer["results"]) == 8
    for result in answer["results"]:
        assert len(result["samples"]) >= 3 * 4
        assert {sample["round_index"] for sample in result["samples"]} == set(range(3))


def test_auto_says_what_it_chose(tmp_path: Path) -> None:
    """`auto` is an implementation whose record names the variant that it chose."""
    answer = measured("siphash-2-4/auto", "--size", "64", cwd=tmp_path)
    assert [result["chosen"] for result in answer["results"]] == ["engine"]


def test_length_that_a_library_refuses(tmp_path: Path) -> None:
    """A refused length is named in one line and listed as refused; other lengths have figures."""
    name = "hmac-sha256/ipsec_mb_job_sse"
    done = bench(name, "--size", "0,64", *SHORT, "--json", cwd=tmp_path)
    if f"no implementation '{name}'" in done.stderr or "unavailable" in done.stderr:
        pytest.skip("no IPsec-MB here; apt-get install libipsec-mb-dev")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [result["size_bytes"] for result in answer["results"]] == [64]
    of_it = [failure for failure in answer["failures"] if failure["implementation"] == name]
    assert [(entry["kind"], entry["size_bytes"]) for entry in of_it] == [("refused", 0)]
    reason = "refused: the implementation does not take messages of this length"
    said = [line for line in done.stderr.splitlines() if not line.startswith("checked: ")]
    assert said == [f"joulemark: {name} at 0 B: {reason}"]
    alone = bench(name, "--size", "0", *SHORT, "--json", cwd=tmp_path)
    assert alone.returncode == 2
    assert json.loads(alone.stdout)["results"] == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["hmac-sha265"], "hmac-sha256"),
        (["hmac-sha256/shany"], "hmac-sha256/shani"),
        ([OWN, "--size", "-1"], "negative"),
        ([OWN, "--size", "10GiB"], "1 GiB"),
        ([OWN, "--size", "many"], "many"),
        ([OWN, "--mode", "fast"], "throughput, latency"),
        ([OWN, "--cache", "warm"], "hot, cold"),
        ([OWN, "--rounds", "0"], "--rounds"),
        ([OWN, "--window-ms", "0"], "--window-ms"),
        ([OWN, "--hang-limit", "0"], "--hang-limit"),
        ([OWN, "--json", "--csv"], "exclude one another"),
        ([OWN, "--plugin", "absent.so"], "absent.so"),
        ([OWN, "--report", "nowhere/report.html"], "nowhere"),
        (["aes128/portable", "--size", "3"], "whole blocks"),
        ([OWN, "--store", "nowhere/run.db"], "nowhere"),
        ([OWN, "--watts-per-core", "15"], "--watts-per-core is of a load; give --rate too"),
        ([OWN, "--rate", "1M", "--mode", "latency"], "--rate asks for messages that do not wait"),
        ([OWN, "--rate", "1M", "--csv"], "--rate has no place in --csv"),
        (
            ["siphash-2-4", "--approved", "nist"],
            "no algorithm is left to measure: siphash-2-4",
        ),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], says: str, tmp_path: Path) -> None:
    """Bad input gives exit code 2, one line that names the fault, no traceback, and no output."""
    done = bench(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_page_of_a_run_draws_its_samples(tmp_path: Path) -> None:
    """The page that bench writes has the strips of samples, as the page of a stored run has."""
    done = bench(OWN, "--size", "8", *SHORT, "--report", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert samples.CAPTION[:40] in (tmp_path / "page.html").read_text()


def test_damaged_store_is_refused_and_kept(tmp_path: Path) -> None:
    """A file that is no database is refused with one sentence and left as it was."""
    store = tmp_path / "run.db"
    store.write_bytes(b"not a database at all" * 500)
    before = store.read_bytes()
    done = bench(OWN, "--store", str(store), cwd=tmp_path)
    assert done.returncode == 2
    assert "run.db" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("WRONG_ALWAYS", "wrong output"),
        pytest.param("CRASHES_ON_64_BYTES", "crash", marks=pytest.mark.exhaustive),
        ("HANGS_ON_64_BYTES", "hang"),
    ],
)
def test_failing_plugin_sets_the_exit_code(
    fault: str, kind: str, faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """A faulty plugin gets no figure, its fault is reported in one line, and the exit code is 2."""
    plugin = faulty_plugin(fault)
    done = bench(OWN, "siphash-2-4/engine", "siphash-2-4/faulty", "--plugin", str(plugin),
                 "--size", "64", *SHORT, "--json", "--hang-limit", "1.5", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 2
    answer = json.loads(done.stdout)
    assert OWN in {result["implementation"] for result in answer["results"]}
    assert "siphash-2-4/faulty" not in {result["implementation"] for result in answer["results"]}
    kinds = {failure["implementation"]: failure["kind"] for failure in answer["failures"]}
    assert kinds["siphash-2-4/faulty"] == kind
    failed, checked = done.stderr.strip().splitlines()
    assert failed.startswith(f"joulemark: siphash-2-4/faulty: {kind}: ")
    assert re.match(
        r"checked: \d+ implementations are right \(published vectors, every length to 4200", checked
    )


@pytest.mark.parametrize("fault", ["CRASHES_WHEN_LOADED", "OLD_INTERFACE"])
def test_plugin_that_cannot_be_loaded_is_refused(
    fault: str, faulty_plugin: Callable[[str], Path], tmp_path: Path
) -> None:
    """A plugin that is named and cannot be loaded is refused and not silently left out."""
    plugin = faulty_plugin(fault)
    done = bench(OWN, "--plugin", str(plugin), "--size", "64", *SHORT, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert plugin.name in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_no_store_leaves_nothing(tmp_path: Path) -> None:
    """The figures are shown; afterwards there is neither the named store nor a temporary folder."""
    passing = tmp_path / "passing"
    passing.mkdir()
    line = ("siphash-2-4/portable", "--size", "8", "--quick", "--rounds", "1", "--json",
            "--no-store", "--store", "named.db")  # fmt: skip
    done = run_joulemark(
        "bench", *line, cwd=tmp_path, env={**os.environ, "TMPDIR": str(passing)}, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["seconds_per_message"]
    assert [path.name for path in tmp_path.iterdir()] == ["passing"]
    assert list(passing.iterdir()) == []


def test_no_store_says_what_an_interruption_loses(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After Ctrl-C the message promises kept samples only where a store holds them."""
    monkeypatch.chdir(tmp_path)

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("joulemark.cli.measuring.run_plan", stopped)
    for more, says in (
        (["--no-store"], "nothing is kept with --no-store"),
        ([], "every sample so far is in joulemark.db, and the same command goes on"),
    ):
        line = ["bench", "siphash-2-4/portable", "--size", "8", *more]
        result = CliRunner().invoke(app, line, prog_name="joulemark")
        assert result.exit_code == 130
        assert f"stopped; {says}" in result.stderr


def rows(store: Path) -> list[tuple[int, ...]]:
    """Reads every sample as (trial, round, duration in ns, start in ns)."""
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(
            "select trial_id, round_index, wall_ns, wall_start_ns from sample order by 1, 2"
        ).fetchall()


def test_killed_run_loses_nothing_and_goes_on(tmp_path: Path) -> None:
    """After kill -9 in the middle, the same command keeps every sample and completes the run."""
    store = tmp_path / "run.db"
    command = [*BENCH, OWN, "poly1305/portable", "--size", "16,64..512", "--rounds", "8",
               "--window-ms", "1", "--store", str(store), "--json"]  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    deadline = time.monotonic() + 60
    taken = 0
    while taken < 50:
        assert time.monotonic() < deadline
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.02)
        if store.exists():
            try:
                taken = len(rows(store))
            except sqlite3.OperationalError:
                continue
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = rows(store)
    wanted = 2 * 5 * 8
    visited = len({row[:2] for row in kept})
    assert 2 <= visited < wanted
    done = run_joulemark(*command[len(COMMAND) :], cwd=tmp_path, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{visited} of {wanted} visits are in the store already" in " ".join(done.stderr.split())
    assert Counter(kept).items() <= Counter(rows(store)).items(), "a visit is kept as it was"
    assert len({row[:2] for row in rows(store)}) == wanted
    # A busy machine leaves a figure fewer windows than were taken.
    answer = json.loads(done.stdout)
    assert [result["seconds_per_message"]["samples"] > 0 for result in answer["results"]] == [
        True
    ] * 10
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
