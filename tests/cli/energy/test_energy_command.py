# SPDX-License-Identifier: Apache-2.0
"""`joulemark energy` as a user meets it, with a simulated machine that runs in real time."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from forked_commands import COMMAND, run_joulemark
from joulemark.meters.simulated.daemon import start
from living import outliving

ENERGY = [*COMMAND, "energy"]
BUSY = "import time\nwhile time.process_time() < {}: pass"
"""A program that uses the given number of seconds of CPU time."""
ACTIVE_W = 30.0
SOON = 60.0


@pytest.fixture(scope="module")
def meter() -> Iterator[str]:
    """A simulated machine whose load is this process with its children."""
    with start(f"static_w=10,active_w={ACTIVE_W}") as name:
        yield name


def energy(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command in a separate process, whatever load the test machine has."""
    words = ["energy", "--foreign-limit", "100000%", *arguments]
    return run_joulemark(*words, cwd=cwd, text=True, timeout_s=SOON)


@pytest.fixture
def no_meter(tmp_path: Path) -> list[str]:
    """Options that show a machine without RAPL; another meter may be on the test machine."""
    for name in ("sys", "proc"):
        (tmp_path / name).mkdir()
    return [
        *("--meter", "powercap"),
        *("--sysfs", str(tmp_path / "sys"), "--proc", str(tmp_path / "proc")),
    ]


def test_without_a_meter_the_command_is_not_run(
    refused: Callable[..., str], no_meter: list[str], tmp_path: Path
) -> None:
    """One sentence says why no meter can be read and that the command was not run; it was not."""
    mark = tmp_path / "ran"
    said = refused("energy", *no_meter, "--", "touch", mark)
    assert "the meter powercap cannot be used here" in said
    assert said.endswith("the command was not run")
    assert not mark.exists()


@pytest.fixture
def bare(tmp_path: Path) -> list[str]:
    """Options that show a machine without a meter, and name no meter."""
    for name in ("sys", "proc"):
        (tmp_path / name).mkdir()
    return ["--sysfs", str(tmp_path / "sys"), "--proc", str(tmp_path / "proc")]


no_gpu = pytest.mark.skipif(
    importlib.util.find_spec("pynvml") is not None, reason="NVML may find a GPU"
)
SLEEP = ["--rounds", "3", "--", "sh", "-c", "echo x >> ran; sleep 0.05"]


@no_gpu
def test_without_any_meter_the_command_is_timed(bare: list[str], tmp_path: Path) -> None:
    """Every round has wall time and CPU time; a sentence explains absent joules; the code is 2."""
    done = energy(*bare, "--json", *SLEEP, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "joulemark: no energy meter on this machine (joulemark doctor has the list); "
        "the times follow\njoulemark: no joules (the times above stand)\n"
    )
    found = json.loads(done.stdout)
    assert found["seconds"]["samples"] == 3
    assert 0.05 <= found["seconds"]["median"] < 5
    assert found["seconds"]["minimum"] <= found["mean_seconds"]
    assert 0 < found["cpu_seconds"]["median"] < found["seconds"]["median"]
    assert (found["meter"], found["evidence"], found["domains"]) == (None, None, [])
    assert 2**17 < found["peak_memory_bytes"] < 2**23
    assert found["energy_reason"].startswith("no energy meter")
    assert (tmp_path / "ran").read_text() == "x\n" * 4


@no_gpu
def test_without_any_meter_a_stated_power_gives_modelled_joules(
    bare: list[str], tmp_path: Path
) -> None:
    """Time times watts has the word `modelled`; the user asked for it, so the exit code is 0."""
    options = [*bare, "--modelled-power", "15"]
    done = energy(*options, "--json", *SLEEP, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["modelled_joules"]["evidence"] == "modelled"
    assert found["modelled_joules"]["median"] == pytest.approx(15 * found["seconds"]["median"])
    shown = energy(*options, *SLEEP, cwd=tmp_path).stdout
    assert "(modelled: the time at 15 W)" in shown
    assert re.search(r"\n  peak memory: [0-9.]+ [KM]iB, of its largest process", shown)
    words = " ".join(shown.split())
    assert "(measured, in 1 run of the warm-up)" in words
    assert ("all its processes together added" in words) is (found["tree_memory_bytes"] is not None)
    assert shown.count("no energy meter") == 1


@no_gpu
def test_a_command_that_fails_is_not_timed_either(bare: list[str], tmp_path: Path) -> None:
    """A command that fails gives one sentence and no figures."""
    done = energy(*bare, "--", "sh", "-c", "exit 7", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "exit code 7 while warming up" in done.stderr


def test_a_busy_machine_is_refused_before_the_command_runs(meter: str, tmp_path: Path) -> None:
    """Beside a busy loop the command ends in seconds, and names a limit that would do."""
    loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    start_s = time.monotonic()
    try:
        done = energy("--foreign-limit", "20%", "--meter", meter, "--", "touch", "ran",
                      cwd=tmp_path)  # fmt: skip
    finally:
        loop.kill()
        loop.wait()
    assert (done.returncode, done.stdout) == (2, "")
    assert "more than the 20 % allowed; --foreign-limit " in done.stderr
    assert done.stderr.endswith("or try later; the command was not run\n")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "ran").exists()
    assert time.monotonic() - start_s < 60


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--modelled-power", "0", "--", "true"], "--modelled-power 0"),
        (["--", "no-such-command"], "no command 'no-such-command'"),
        (["--", "./nothing-here"], "no command './nothing-here'"),
        (["--", ""], "no command ''"),
        ([], "COMMAND"),
        (["--rounds", "0", "--", "true"], "--rounds 0"),
        (["--warmup", "0", "--", "true"], "--warmup 0"),
        (["--repeat", "-1", "--", "true"], "--repeat -1"),
        (["--cpu", "100000", "--", "true"], "--cpu 100000"),
        (["--foreign-limit", "much", "--", "true"], "--foreign-limit"),
        (["--json", "--output", "inherit", "--", "true"], "exclude one another"),
        (["--sysfs", "nowhere", "--", "true"], "--sysfs nowhere"),
        (["--meter", "crystal-ball", "--", "true"], "crystal-ball"),
    ],
)
def test_bad_input_is_one_sentence(
    refused: Callable[..., str], no_meter: list[str], arguments: list[str], says: str
) -> None:
    """Options that make no sense are refused in one sentence before anything is run."""
    assert says in refused("energy", *no_meter, *arguments)


def test_options_of_the_command_are_its_own(
    run: Callable[..., Result], no_meter: list[str]
) -> None:
    """Words after the name of the metered command are never read as options of Joulemark."""
    result = run("energy", *no_meter, "true", "--rounds", "many")
    assert "the meter powercap cannot be used here" in result.stderr


def test_failing_command_is_said_in_one_sentence(meter: str, tmp_path: Path) -> None:
    """A failing command gives exit code 2, no figures, and a sentence with its own exit code."""
    done = energy("--meter", meter, "--", "sh", "-c", "sleep 0.1; exit 7", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "exit code 7 while warming up" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_script_without_first_line_is_refused(meter: str, tmp_path: Path) -> None:
    """A script that the kernel cannot run is refused with the line that it lacks."""
    script = tmp_path / "script"
    script.write_text("echo nothing\n")
    script.chmod(0o755)
    done = energy("--meter", meter, "--", "./script", cwd=tmp_path)
    assert done.returncode == 2
    assert "#!/bin/sh" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_ignored_failure_and_shown_output(meter: str, tmp_path: Path) -> None:
    """The command's output appears as often as the command ran; the notes have its failure."""
    done = energy(
        "--meter", meter, "--rounds", "2", "--ignore-failure", "--output", "inherit", "--", "sh",
        "-c", "echo said; echo wrong >&2; sleep 0.1; exit 7", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines().count("said") == 3
    assert done.stderr.splitlines().count("wrong") == 3
    assert "exit code 7 in 2 runs" in done.stdout
    assert "simulated" in done.stdout
    assert f"Meter: {meter} (simulated RAPL or battery (test double)), as named.\n" in done.stdout


def test_output_is_thrown_away_and_input_is_empty(meter: str, tmp_path: Path) -> None:
    """By default the output of the command is not shown, and its input is empty."""
    done = run_joulemark(
        "energy", "--foreign-limit", "100000%", "--meter", meter, "--rounds", "1", "--", "sh", "-c",
        "echo said; echo wrong >&2; sleep 0.1; cat >> kept", cwd=tmp_path, text=True, input="typed",
        timeout_s=SOON,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "said" not in done.stdout.splitlines()
    assert "--output inherit" in done.stdout
    assert done.stderr == ""
    assert (tmp_path / "kept").read_text() == ""


def test_chosen_cpu_is_the_commands_alone(meter: str, tmp_path: Path) -> None:
    """With --cpu the command may use that CPU alone; without, all CPUs that we may use."""
    allowed = os.sched_getaffinity(0)
    for options, wanted in ((["--cpu", str(max(allowed))], {max(allowed)}), ([], allowed)):
        script = "import os, time; time.sleep(0.1)\nprint(*os.sched_getaffinity(0))"
        done = energy("--meter", meter, "--rounds", "1", "--output", "inherit", *options, "--",
                      sys.executable, "-c", script, cwd=tmp_path)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert {int(word) for word in done.stdout.splitlines()[0].split()} == wanted


def test_interrupt_ends_all_that_the_command_started(meter: str, tmp_path: Path) -> None:
    """After Ctrl-C the exit code is 130 and neither the command nor what it started runs.

    One child ignores SIGTERM, one leads a session, and one is a daemon: it leads a session, its
    parent has ended, and its environment is empty.
    """
    script = """
        (trap '' TERM; exec sleep 300) & echo $! > child
        setsid sh -c 'echo $$ > session; exec sleep 300' &
        (setsid env -i sh -c 'echo $$ > daemon; exec sleep 300' &)
        while ! [ -s session ] || ! [ -s daemon ]; do sleep 0.05; done
        echo $$ > leader; wait"""
    process = subprocess.Popen(
        [*ENERGY, "--foreign-limit", "100000%", "--meter", meter, "--", "sh", "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + SOON
    leader = tmp_path / "leader"
    while not (leader.exists() and leader.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert out == ""
    assert len(errors.splitlines()) == 1
    assert "the command was ended" in errors
    left = [int((tmp_path / name).read_text()) for name in ("leader", "child", "session",
                                                        "daemon")]  # fmt: skip
    assert not outliving(left, SOON)


@pytest.mark.timing
def test_net_energy_is_power_times_cpu_time(meter: str, tmp_path: Path) -> None:
    """Of a busy loop the simulated machine uses its active power for each second of CPU time."""
    for _ in range(3):  # a busy test machine disturbs the simulation's updates
        done = energy("--meter", meter, "--json", "--", sys.executable, "-c", BUSY.format(0.7),
                      cwd=tmp_path)  # fmt: skip
        answer = json.loads(done.stdout)
        if answer["domains"][0]["net_joules"] is not None:
            break
    assert done.returncode == 0, answer["domains"][0]["reasons"]
    assert answer["schema_version"] == 4
    assert answer["evidence"] == "simulated"
    assert answer["command"][1] == "-c"
    package, core = answer["domains"]
    assert package["headline"]
    assert core["parent"] == package["domain"]
    cpu_s = answer["cpu_seconds"]["median"]
    assert cpu_s == pytest.approx(0.7, rel=0.05)
    net = package["net_joules"]
    assert net is not None, package["reasons"]
    truth_j = ACTIVE_W * cpu_s
    in_interval = net["low"] <= truth_j <= net["high"]
    assert in_interval or net["median"] == pytest.approx(truth_j, rel=0.05)
    assert net["evidence"] == "simulated"
    if package["gross_joules"] is not None:
        assert package["gross_joules"]["median"] > net["median"]
