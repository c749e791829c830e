# SPDX-License-Identifier: Apache-2.0
"""`joulemark bench --energy` as a user meets it: with a meter, without, and with one that vanishes.

The meter is a simulated machine that runs beside the command: its counters follow the CPU time that
the command and its workers truly consume, at known watts. So the figures are compared with that.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from forked_commands import run_joulemark
from joulemark.meters import SIMULATED_MARK
from joulemark.meters.simulated import SimulatedDomain
from joulemark.meters.simulated.config import DaemonConfig
from joulemark.meters.simulated.daemon import start
from joulemark.records.energy_window import WindowKind
from joulemark.store.repository import Store

OWN = "siphash-2-4/portable"
QUICK = ["--size", "1KiB", "--rounds", "3", "--window-ms", "0.5"]
SIMULATED = "simulated:update_ms=10,static_w=10,active_w=20"
TOLERANT = ["--foreign-limit", "1000%"]
"""The simulated machine and the tests beside it use CPU time too."""
AT_ONCE = ("joulemark.measure.energy_run:EnergyRun._warm_up",)
"""Leaves out five seconds of load before the first window; no test here asks for that power."""


def bench(
    *arguments: str, cwd: Path, without: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Runs the command in this folder, with room for all columns however wide intervals are.

    The simulated machine counts the CPU time of processes below the command.
    """
    simulated = any(SIMULATED in argument for argument in arguments)
    return run_joulemark(
        "bench", *arguments, cwd=cwd, env={**os.environ, "COLUMNS": "140"}, text=True,
        timeout_s=240, without=without, own_workers=simulated,
    )  # fmt: skip


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Reads the JSON that the command printed."""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def empty(tmp_path: Path) -> list[str]:
    """Options that point every meter at a machine without a meter."""
    for name in ("sys", "proc"):
        (tmp_path / name).mkdir()
    return ["--sysfs", str(tmp_path / "sys"), "--proc", str(tmp_path / "proc")]


def test_without_a_meter_times_stand_and_the_reason_is_said(
    tmp_path: Path, empty: list[str]
) -> None:
    """Without a meter there are times, one sentence, exit code 2, and no zero or guessed joule."""
    done = bench(OWN, *QUICK, "--energy", "--meter", "powercap", *empty, "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert len([line for line in done.stderr.splitlines() if "checked: " not in line]) == 1
    assert "the meter powercap cannot be used here" in done.stderr
    assert "the times above stand" in done.stderr
    (entry,) = answer(done)["results"]
    assert entry["seconds_per_message"]["median"] > 0
    for name in ("joules_per_byte", "joules_per_message", "watts", "joule_seconds_per_message",
                 "gross_joules_per_message", "modelled_joules_per_byte"):  # fmt: skip
        assert entry[name] is None
        assert entry["reasons"][name]
    assert entry["energy"] == []
    assert answer(done)["context"]["meter"] is None


NO_METER = "no energy meter on this machine (joulemark doctor has the list)"
no_gpu = pytest.mark.skipif(
    importlib.util.find_spec("pynvml") is not None, reason="NVML may find a GPU"
)


@no_gpu
@pytest.mark.parametrize("more", [[], ["--modelled-power", "15"]])
def test_without_any_meter_one_short_sentence_is_said_once(
    tmp_path: Path, empty: list[str], more: list[str]
) -> None:
    """The whole output has the sentence once that a user of a virtual machine reads."""
    done = bench(OWN, *QUICK, "--energy", *empty, *more, cwd=tmp_path)
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if not line.startswith("checked: ")]
    assert said == [
        f"joulemark: {NO_METER}; the times follow",
        "joulemark: no joules (the times above stand)",
    ]
    assert "energy meter" not in done.stdout
    assert "Energy:" not in done.stdout


@no_gpu
def test_the_export_keeps_the_reason(tmp_path: Path, empty: list[str]) -> None:
    """A table that is kept in a file says why it has no joules."""
    done = bench(OWN, *QUICK, "--energy", *empty, "--markdown", cwd=tmp_path)
    assert done.stdout.count(NO_METER) == 1


def test_a_busy_machine_is_refused_at_once(tmp_path: Path) -> None:
    """Beside a busy loop there are times, a sentence with a limit that would do, and no window."""
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        done = bench(OWN, *QUICK, "--meter", SIMULATED, "--foreign-limit", "20%", cwd=tmp_path)
    finally:
        loop.kill()
        loop.wait()
    assert done.returncode == 2
    found = re.fullmatch(
        r"checked: .*\njoulemark: other programs use \d+ % of a CPU, more than the 20 % allowed; "
        r"--foreign-limit (\d+)% would take such windows, or try later \(the times above stand\)\n",
        done.stderr,
    )
    assert found is not None, done.stderr
    assert int(found[1]) > 50
    with Store.open(tmp_path / "joulemark.db", create=False) as store:
        assert store.energy_windows(1) == []
        assert store.samples(1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--meter", "nosuch"], "there is no meter 'nosuch'; the meters are"),
        (["--energy", "--energy-method", "magic"], "--energy-method magic: choose one of edges"),
        (["--energy", "--energy-rounds", "0"], "--energy-rounds 0: give a number from 1"),
        (["--energy", "--energy-window", "0"], "--energy-window 0: give 0.001"),
        (["--energy", "--energy-precision", "0"], "--energy-precision 0: give more than 0"),
        (["--energy", "--foreign-limit", "x"], "--foreign-limit x"),
        (["--energy", "--sysfs", "/nowhere"], "--sysfs /nowhere: there is no such folder"),
        (["--modelled-power", "0"], "--modelled-power 0: give watts above 0"),
        (["--modelled-power", "inf"], "--modelled-power inf"),
        (["--meter", "simulated:volume=11"], "volume"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, options: list[str], words: str
) -> None:
    """Options that make no sense give exit code 2 and one sentence."""
    done = bench(OWN, *QUICK, *options, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_modelled_joules_are_time_times_the_stated_power(tmp_path: Path) -> None:
    """Modelled joules have separate fields and their word; measured joules stay absent."""
    done = bench(OWN, *QUICK, "--modelled-power", "15", "--json", cwd=tmp_path)
    assert done.returncode == 0
    (entry,) = answer(done)["results"]
    modelled = entry["modelled_joules_per_message"]
    assert modelled["median"] == pytest.approx(15 * entry["seconds_per_message"]["median"])
    assert modelled["evidence"] == "modelled"
    assert entry["modelled_joules_per_byte"]["median"] == pytest.approx(modelled["median"] / 1024)
    assert entry["joules_per_message"] is None
    assert answer(done)["context"]["modelled_watts"] == 15
    table = bench(OWN, *QUICK, "--modelled-power", "15", "--markdown", cwd=tmp_path).stdout
    assert "modelled" in table.lower()
    shown = bench(OWN, *QUICK, "--modelled-power", "15", cwd=tmp_path).stdout
    for column in ("modelled", "cycles", "rate"):
        assert column in shown, column
    assert "energy was not asked for" not in " ".join(f"{shown} {table}".split())


NO_FIGURE = "no figure could be stated"
GAVE_UP = "metering ended after 3 void windows in a row"
STEADY = "hmac-md5/portable"
"""Each step of this code waits for the last, so a second thread of the core hardly slows it."""
TRIES = 3
"""A busy machine may widen an interval beyond the limit; three failures in a row are a fault."""


@pytest.mark.timing
def test_energy_follows_the_cpu_time_consumed(tmp_path: Path) -> None:
    """20 W over 10 W at rest: net joules are 20 W times the seconds of a message."""
    options = ["--meter", SIMULATED, *TOLERANT, "--energy-rounds", "4", "--energy-window", "0.5",
               "--rounds", "5"]  # fmt: skip
    for _ in range(TRIES):
        done = bench(STEADY, *QUICK, *options, "--fresh", "--json", cwd=tmp_path)
        assert done.returncode == 0 or NO_FIGURE in done.stderr or GAVE_UP in done.stderr, (
            done.stderr
        )
        found = answer(done)
        (entry,) = found["results"]
        package = next(part for part in entry["energy"] if part["headline"])
        if entry["joules_per_message"] is not None and package["static_watts"] is not None:
            break
    assert (package["name"], package["evidence"]) == ("package-0", "simulated")
    assert (package["method"], package["windows_kept"]) == ("edges", 4)
    assert found["context"]["meter"]["meter"] == SIMULATED
    assert package["static_watts"]["median"] == pytest.approx(10, rel=0.05)
    seconds = entry["joules_per_message"]["median"] / 20
    assert seconds == pytest.approx(entry["seconds_per_message"]["median"], rel=0.2)
    core = next(part for part in entry["energy"] if part["name"] == "core")
    assert core["parent"] == package["domain"]
    with Store.open(tmp_path / "joulemark.db", create=False) as store:
        latest = store.latest_run()
        assert latest is not None
        assert store.meter(latest.id) is not None
        kinds = [stored.window.kind for stored in store.energy_windows(latest.id)]
    assert kinds.count(WindowKind.LOAD) == 4
    # A disturbed window is taken again, and stays in the store.
    assert min(map(kinds.count, (WindowKind.DEEP_IDLE, WindowKind.ACTIVE_IDLE))) >= 8


SENSOR = DaemonConfig((SimulatedDomain("hwmon0/energy1", "Esocket0", static_w=10.0),))
"""A machine without RAPL, whose CPU's sensor counts joules."""
BRIEF = ["--energy-rounds", "1", "--energy-window", "0.2", "--foreign-limit", "100000%"]


@pytest.mark.parametrize(
    ("machine", "begins", "ends"),
    [
        (
            "update_ms=10", "Meter: powercap (RAPL through powercap); ",
            "no other is preferred to it.",
        ),
        (
            SENSOR, "Meter: hwmon (hardware monitoring sensors); not powercap: RAPL is part of ",
            "; not perf-power: a simulated file tree has no perf events behind it.",
        ),
    ],
    ids=["the best", "a lesser one"],
)  # fmt: skip
def test_the_first_line_says_which_meter_was_taken_and_why_none_better(
    tmp_path: Path, machine: str | DaemonConfig, begins: str, ends: str
) -> None:
    """The line stands before all figures, where no meter was named."""
    with start(machine) as name:
        trees = Path(name.partition(":")[2])
        options = ["--energy", "--sysfs", str(trees / "sys"), "--proc", str(trees / "proc"), *BRIEF]
        done = bench(OWN, *QUICK, *options, cwd=tmp_path, without=AT_ONCE)
    first = done.stdout.partition("\n")[0]
    assert first.startswith(begins), done.stdout + done.stderr
    assert first.endswith(ends)


def test_a_meter_that_vanishes_leaves_the_times_and_a_reason(tmp_path: Path) -> None:
    """A zone that vanishes while windows are taken ends the metering after three void windows."""
    vanishing = f"{SIMULATED},fault=vanish@9"
    options = ["--meter", vanishing, *TOLERANT, "--energy-rounds", "40", "--energy-window", "0.2"]
    done = bench(OWN, *QUICK, *options, "--json", cwd=tmp_path, without=AT_ONCE)
    (entry,) = answer(done)["results"]
    assert entry["seconds_per_message"]["median"] > 0
    package = next(part for part in entry["energy"] if part["headline"])
    assert package["windows_void"].get("vanished", 0) <= 3
    with Store.open(tmp_path / "joulemark.db", create=False) as store:
        stored = store.energy_windows(1)
    gone = [window for window in stored if window.void and window.void.startswith("vanished")]
    assert len(gone) == 3
    assert len(stored) < 150


def test_a_stopped_run_goes_on_with_its_windows(tmp_path: Path) -> None:
    """Windows of a stopped run are kept, and the same command takes only those that are missing."""
    options = [OWN, *QUICK, "--meter", SIMULATED, *TOLERANT, "--energy-rounds", "2",
               "--energy-window", "0.2"]  # fmt: skip
    first = bench(*options, cwd=tmp_path, without=AT_ONCE)
    assert first.returncode == 0 or NO_FIGURE in first.stderr
    with closing(sqlite3.connect(tmp_path / "joulemark.db")) as connection, connection:
        connection.execute("UPDATE run SET finished_at = NULL")
        connection.execute("DELETE FROM energy_window WHERE round_index = 1")
        kept = [row[0] for row in connection.execute("SELECT id FROM energy_window ORDER BY id")]
    done = bench(*options, cwd=tmp_path, without=AT_ONCE)
    assert done.returncode == 0 or NO_FIGURE in done.stderr
    with closing(sqlite3.connect(tmp_path / "joulemark.db")) as connection:
        rows = connection.execute(
            "SELECT id, round_index FROM energy_window ORDER BY id"
        ).fetchall()
        runs = connection.execute("SELECT count(*) FROM run").fetchone()[0]
    assert runs == 1
    assert [row[0] for row in rows][: len(kept)] == kept
    assert {row[1] for row in rows} == {0, 1}
    assert len(rows) >= 2 * len(kept) - 3


def test_energy_of_cold_messages_is_refused(tmp_path: Path) -> None:
    """Energy of cold messages is refused: the joules would include flushing between messages."""
    done = bench(OWN, *QUICK, "--cache", "cold", "--meter", SIMULATED, cwd=tmp_path)
    assert done.returncode == 2
    assert "flushing" in done.stderr


def test_an_instrument_on_a_pipe_is_kept_reading(tmp_path: Path) -> None:
    """A pipe that says 15 W a hundred times a second gives 15 W gross and no net joules."""
    (tmp_path / SIMULATED_MARK).touch()
    os.mkfifo(tmp_path / "watts")
    options = ["--meter", f"external:{tmp_path / 'watts'}", *TOLERANT, "--energy-rounds", "2",
               "--energy-window", "0.3", "--fresh"]  # fmt: skip
    for _ in range(TRIES):
        feeder = subprocess.Popen([sys.executable, "-c", FEED, str(tmp_path / "watts")])
        try:
            done = bench(OWN, *QUICK, *options, "--json", cwd=tmp_path, without=AT_ONCE)
        finally:
            feeder.kill()
            feeder.wait()
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    (entry,) = answer(done)["results"]
    assert entry["watts"]["median"] == pytest.approx(15, rel=0.05)
    assert entry["watts"]["evidence"] == "simulated"
    assert entry["joules_per_message"] is None
    assert "refused" in entry["reasons"]["joules_per_message"]
    (domain,) = entry["energy"]
    assert (domain["kind"], domain["meter"]) == ("supply", f"external:{tmp_path / 'watts'}")


FEED = """
import itertools, sys, time
with open(sys.argv[1], "w", buffering=1) as pipe:
    due = time.monotonic()
    for watts in itertools.cycle((14.9, 15.0, 15.1)):
        pipe.write(f"{watts}\\n")
        due += 0.01
        time.sleep(max(0.0, due - time.monotonic()))
"""
"""Writes watts without a time, which are stamped on arrival."""


def test_an_instrument_that_says_nothing_is_refused_and_times_stand(tmp_path: Path) -> None:
    """A pipe without a writer is refused after 10 s, and the times stand."""
    os.mkfifo(tmp_path / "silent")
    meter = f"external:{tmp_path / 'silent'}"
    done = bench(OWN, *QUICK, "--meter", meter, "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{meter} gave nothing usable within 10 s" in done.stderr
    assert answer(done)["results"][0]["seconds_per_message"] is not None
