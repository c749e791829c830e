# SPDX-License-Identifier: Apache-2.0
"""The simulated machine in real time: its load, its end, and the meter that reads it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.errors import UnavailableError, UsageError
from joulemark.meters import MeterError, Roots
from joulemark.meters.instruments import make_meter, simulated
from joulemark.meters.simulated import daemon
from joulemark.meters.simulated.config import parse_config, parse_options
from joulemark.meters.simulated.daemon import READY, STATS, ProcessEnergy, cpu_clock_of, start
from joulemark.meters.simulated.machine import SimulatedMachine
from joulemark.records.energy_window import Fault
from living import lives
from simulated_world import World

PACKAGE = "intel-rapl:0"
BURN = "import time\nwhile time.process_time() < {:g}: pass"


def _folder(name: str) -> Path:
    return Path(name.removeprefix("simulated:"))


def _await(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end_s, "waited 20 s in vain"
        time.sleep(0.01)


def _burn(cpu_s: float) -> float:
    """Runs a child, and a grandchild, that use CPU time; returns how much they used by rusage."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    inner = f"import subprocess, sys\n{BURN.format(cpu_s / 2)}\n"
    inner += f"subprocess.run([sys.executable, '-S', '-c', {BURN.format(cpu_s / 2)!r}])"
    subprocess.run([sys.executable, "-S", "-c", inner], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.timing
def test_energy_of_a_child_is_its_cpu_time_times_the_power() -> None:
    """A child and its child burn 0.3 s of CPU; their rusage agrees with the counter to 2 %."""
    shares = []
    for _ in range(3):
        with start("static_w=0,active_w=100,quantum_uj=1,watts/pytest=0") as name:
            meter = make_meter(name, Roots())
            before = meter.read(PACKAGE).counts
            used_s = _burn(0.3)
            time.sleep(0.03)
            used_j = (meter.read(PACKAGE).counts - before) / 1e6
        shares.append(used_j / (100 * used_s))
        if abs(shares[-1] - 1) < 0.02:
            return
    pytest.fail(f"energy over CPU time was {shares}")


def test_static_power_is_wall_time_times_watts() -> None:
    """Without load the energy between two reads is that of the time between them."""
    with start("static_w=50,active_w=0,quantum_uj=1,jitter=0") as name:
        meter = make_meter(name, Roots())
        first = meter.read(PACKAGE)
        time.sleep(0.3)
        last = meter.read(PACKAGE)
        # Either count may be an update period old, and the daemon may have been kept waiting.
        least_j = 50 * (last.before_ns - first.after_ns) / 1e9
        assert (last.counts - first.counts) / 1e6 == pytest.approx(least_j, abs=50 * 0.05)


def test_commands_have_powers_of_their_own() -> None:
    """The watcher asks for the power of each command line, and again after an exec."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time\nwhile True: time.sleep(0.001)", "brightly"]
    )
    try:
        asked: list[str] = []

        def power_nw(command: str) -> int:
            asked.append(command)
            return 10**9 if command.endswith("brightly") else 0

        energy = ProcessEnergy(os.getpid(), power_nw, frozenset())

        def used_some() -> bool:
            energy.scan()
            return energy.sample() > 0

        _await(used_some)
        assert energy.used_aj <= energy.used_cpu_ns * 10**9
        assert any(name.endswith("brightly") for name in asked)
        left_out = ProcessEnergy(os.getpid(), power_nw, frozenset({child.pid}))
        assert left_out.processes < energy.processes
    finally:
        child.kill()
        child.wait()
    kept_aj = energy.sample()
    assert kept_aj > 0
    assert energy.sample() == kept_aj, "a process that ended keeps what it used"
    with pytest.raises(ProcessLookupError):
        ProcessEnergy(child.pid, power_nw, frozenset())


def test_descendants_are_found_at_the_first_look() -> None:
    """A process that runs already is watched at once, and so is its own child."""
    inner = "import subprocess\np = subprocess.Popen(['sleep', '60'])\nprint(p.pid, flush=True)\n"
    inner += "input()\np.kill()\np.wait()"
    with subprocess.Popen(
        [sys.executable, "-S", "-c", inner], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())
        energy = ProcessEnergy(os.getpid(), lambda _: 0, frozenset())
        assert {os.getpid(), child.pid, grandchild} <= set(energy._processes)
        child.communicate(b"\n")


def test_the_cpu_clock_is_that_of_the_process() -> None:
    """The clock id made from this process's id shows this process's CPU time."""
    before_ns = time.process_time_ns()
    shown_ns = time.clock_gettime_ns(cpu_clock_of(os.getpid()))
    assert before_ns <= shown_ns <= time.process_time_ns()


def test_both_drivers_run_the_same_machine(tmp_path: Path) -> None:
    """World and daemon hold one and the same class, and it gives both the same counts."""
    config = parse_config(parse_options("quantum_uj=1,jitter=0,noise=0.1").as_json())
    world = World(tmp_path / "virtual", config.domains)
    real = daemon.Daemon(tmp_path / "real", config, None)
    assert type(world._machine) is type(real._machine) is SimulatedMachine
    start_ns = real._machine.next_ns - 1_000_000
    world.sleep_ns(3_000_000)
    file = "sys/class/powercap/intel-rapl:0/energy_uj"
    with (tmp_path / "real" / file).open() as opened:
        for moment in (1, 2, 3):
            real._machine.latch_now(start_ns + moment * 1_000_000, 0)
        assert opened.read() == "0\n", "a file once opened keeps its number, whole"
    assert (tmp_path / "virtual" / file).read_text() == (tmp_path / "real" / file).read_text()


def test_start_gives_a_running_meter_and_takes_everything_away() -> None:
    """Inside the block the counter moves and says simulated; after it nothing is left."""
    with start("dram=yes") as name:
        folder = _folder(name)
        pid = int((folder / READY).read_text())
        meter = make_meter(name, Roots())
        assert [domain.id for domain in meter.survey().domains] == [
            PACKAGE,
            "intel-rapl:0:0",
            "intel-rapl:0:1",
        ]
        assert meter.evidence() == "simulated"
        first = meter.read(PACKAGE).counts
        _await(lambda: meter.read(PACKAGE).counts > first)
        _await((folder / STATS).exists)
        stats = json.loads((folder / STATS).read_text())
        assert stats["wakes"] > 100
        assert 0 < stats["own_cpu_share"] < 0.6
        assert stats["late_median_ns"] < 20_000_000
    assert not folder.exists()
    assert not lives(pid)
    assert "there is no simulated machine" in str(meter.survey().reason)


def test_a_killed_daemon_stops_the_tree_and_start_cleans_up() -> None:
    """After SIGKILL the count stands still, the survey says why, and the folder goes at the end."""
    with start() as name:
        folder = _folder(name)
        pid = int((folder / READY).read_text())
        meter = make_meter(name, Roots())
        os.kill(pid, signal.SIGKILL)
        _await(lambda: not lives(pid))
        count = meter.read(PACKAGE).counts
        time.sleep(0.05)
        assert meter.read(PACKAGE).counts == count
        assert "has ended" in str(meter.survey().reason)
    assert not folder.exists()


def test_a_fault_befalls_the_running_machine() -> None:
    """A zone that vanishes in real time is gone for the meter; forbidden ones are refused."""
    with start("fault=vanish@0.05") as name:
        meter = make_meter(name, Roots())

        def is_gone() -> bool:
            try:
                meter.read(PACKAGE)
            except MeterError as error:
                return error.fault is Fault.VANISHED
            return False

        _await(is_gone)
    with start("permission=yes") as name:
        survey = make_meter(name, Roots()).survey()
        assert survey.domains == ()
        assert survey.reason is not None


def test_the_daemon_ends_with_the_process_it_watches(tmp_path: Path) -> None:
    """At the end of the watched process the daemon removes its folder or leaves statistics."""
    for remove in (True, False):
        folder = tmp_path / str(remove)
        watched = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
        arguments = ["--root", str(folder), "--watch", str(watched.pid), "--options", "update_ms=5"]
        running = subprocess.Popen(
            [sys.executable, "-m", "joulemark.meters.simulated", *arguments] + ["--remove"] * remove
        )
        _await((folder / READY).exists)
        watched.communicate(b"\n")
        assert running.wait(20) == 0
        assert folder.exists() is not remove
    assert not (folder / READY).exists()
    assert json.loads((folder / STATS).read_text())["wakes"] > 0


def test_trouble_at_the_start_is_one_sentence(tmp_path: Path) -> None:
    """Each trouble at the start gives exit code 2 and one line."""
    (tmp_path / "mine.txt").write_text("do not touch")
    cases = (
        (["--root", str(tmp_path)], "must be an empty folder"),
        (["--root", str(tmp_path / "new"), "--watch", "99999999"], "no process 99999999"),
        (["--root", str(tmp_path / "new"), "--options", "x=1"], "no option 'x'"),
        (["--root", str(tmp_path / "new"), "--config", str(tmp_path / "no")], "cannot be read"),
    )
    for arguments, sentence in cases:
        ended = subprocess.run(
            [sys.executable, "-m", "joulemark.meters.simulated", "--remove", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.returncode == 2
        assert sentence in ended.stderr
        assert ended.stderr.count("\n") == 1
    assert (tmp_path / "mine.txt").exists()


def test_start_refuses_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad options are refused before anything runs; a daemon that cannot start says why."""
    with pytest.raises(UsageError, match="no option"), start("volts=3"):
        pass
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(UnavailableError, match="could not be started: exit code 1"), start():
        pass


def test_simulated_without_a_machine_says_how_to_get_one(tmp_path: Path) -> None:
    """The bare name and a foreign folder have a reason and a remedy, and start nothing."""
    for argument in (None, str(tmp_path)):
        meter = simulated.make(Roots(), argument)
        survey = meter.survey()
        assert survey.domains == ()
        assert survey.reason is not None
        assert "joulemark.meters.simulated" in str(survey.remedy)
        with pytest.raises(MeterError):
            meter.read(PACKAGE)
        meter.close()
    with pytest.raises(UsageError, match="folder"):
        simulated.make(Roots(), " ")
    assert simulated.PREFERENCE is None
