# SPDX-License-Identifier: Apache-2.0
"""Which CPU is measured, the locks on CPUs, and waiting for a quiet machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from joulemark.errors import UsageError
from joulemark.measure import quiet as cpus
from joulemark.measure.quiet import (
    QUIET_SHARE,
    CpuLock,
    choose_cpu,
    cpu_busy_shares,
    wait_until_quiet,
)
from joulemark.measure.run_plan import conditions_now

MANY = frozenset(range(8))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """A machine of eight CPUs without siblings, whose load the test sets."""
    load = dict.fromkeys(MANY, 0.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(MANY))
    monkeypatch.setattr(cpus, "cpu_busy_shares", lambda _look_s: load)
    monkeypatch.setattr(cpus, "_siblings", lambda _cpu: frozenset())
    return load


def test_the_least_busy_cpu_is_chosen(machine: dict[int, float], tmp_path: Path) -> None:
    """Of equally busy CPUs the highest is chosen, and a load of a tick or two does not decide."""
    machine.update(dict.fromkeys((7, 6, 5), 0.9))
    machine[4] = 0.02
    chosen = choose_cpu(lock_folder=tmp_path)
    assert (chosen.cpu, chosen.others, chosen.named) == (4, MANY - {4}, False)
    assert chosen.lock is not None
    chosen.release()


def test_a_cpu_that_is_held_is_left_to_its_run(machine: dict[int, float], tmp_path: Path) -> None:
    """The next free CPU is taken; if all are held, the best CPU is, and the choice says so."""
    held = [choose_cpu(lock_folder=tmp_path) for _ in MANY]
    assert [cpu_choice.cpu for cpu_choice in held] == sorted(MANY, reverse=True)
    late = choose_cpu(lock_folder=tmp_path)
    assert (late.cpu, late.lock) == (7, None)
    assert late.lock_reason == "another run of joulemark measures on it"
    assert conditions_now(late)["cpu_not_held"] == late.lock_reason
    held[3].release()
    assert choose_cpu(lock_folder=tmp_path).cpu == 4
    named = choose_cpu(2, lock_folder=tmp_path)
    assert (named.cpu, named.named, named.lock) == (2, True, None)


def test_siblings_are_left_alone(
    machine: dict[int, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our other processes keep off the siblings of the measured CPU, if there are other CPUs."""
    monkeypatch.setattr(cpus, "_siblings", lambda cpu: frozenset({cpu, cpu ^ 1}))
    assert choose_cpu(7, lock_folder=tmp_path).others == frozenset(range(6))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {6, 7})
    assert choose_cpu(7, lock_folder=tmp_path / "none").others == {6}
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {7})
    assert choose_cpu(7, lock_folder=tmp_path / "none").others == {7}


def test_a_cpu_that_may_not_be_used_is_refused(tmp_path: Path) -> None:
    """The refusal names, in one sentence, the CPUs that may be used."""
    with pytest.raises(UsageError, match=r"--cpu 4096: this process may run on .*; name one"):
        choose_cpu(4096, lock_folder=tmp_path)


def test_no_folder_for_locks_is_no_reason_to_stop(tmp_path: Path) -> None:
    """Without a writable folder for locks the CPU is measured, and the conditions say so."""
    chosen = choose_cpu(lock_folder=tmp_path / "missing", look_s=0.01)
    assert chosen.lock is None
    assert str(chosen.lock_reason).startswith("no lock can be made (No such file")


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    """The kernel frees the CPU of a killed run, however the process ended."""
    code = (
        "import sys,time; from pathlib import Path; from joulemark.measure.quiet import CpuLock\n"
        "lock = CpuLock.acquire(0, Path(sys.argv[1])); print(lock is not None, flush=True)\n"
        "time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == "True\n"
        assert CpuLock.acquire(0, tmp_path) is None
        child.kill()
        child.wait()
    lock = CpuLock.acquire(0, tmp_path)
    assert lock is not None
    lock.release()
    lock.release()


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    """Somebody else's link must not make us create or open a file elsewhere."""
    target = tmp_path / "target"
    (tmp_path / "joulemark-cpu0.lock").symlink_to(target)
    with pytest.raises(OSError, match="symbolic"):
        CpuLock.acquire(0, tmp_path)
    assert not target.exists()


def test_what_is_no_file_is_neither_waited_for_nor_an_end(
    machine: dict[int, float], tmp_path: Path
) -> None:
    """A pipe, folder or link in the place of one lock does not harm the locks of other CPUs."""
    os.mkfifo(tmp_path / "joulemark-cpu7.lock")
    (tmp_path / "joulemark-cpu6.lock").mkdir()
    (tmp_path / "joulemark-cpu5.lock").symlink_to(tmp_path / "nowhere")
    chosen = choose_cpu(lock_folder=tmp_path)
    assert (chosen.cpu, chosen.lock_reason) == (4, None)
    chosen.release()


def test_a_lock_is_for_all_users(tmp_path: Path) -> None:
    """Other users can lock a file of this user, whatever the umask of the run that made it."""
    before = os.umask(0o077)
    try:
        lock = CpuLock.acquire(3, tmp_path)
    finally:
        os.umask(before)
    assert lock is not None
    assert (tmp_path / "joulemark-cpu3.lock").stat().st_mode & 0o777 == 0o666
    lock.release()


def test_load_is_read_from_proc_stat(tmp_path: Path) -> None:
    """Busy time is all but idle and iowait; guest time is part of user time, and counted once."""
    (tmp_path / "stat").write_text(
        "cpu  40 0 40 200 20 0 0 0 0 0\ncpu0 30 1 2 100 10 3 4 5 30 0\ncpu1 10 0 x\nintr 5 6\n"
    )
    assert cpus._cpu_ticks(tmp_path) == {0: (45, 110)}
    assert cpus._cpu_ticks(tmp_path / "nowhere") == {}
    assert set(cpu_busy_shares(0.02)) <= set(range(4096))


def test_waiting_ends_with_quiet_or_with_the_limit() -> None:
    """Looks go on until the load is small or the time is over; one look is always taken."""
    loads, heard, clock = [1.5, 0.5, QUIET_SHARE], [], iter(range(100))

    def look(_look_s: float) -> dict[int, float]:
        return {0: loads.pop(0)}

    assert wait_until_quiet(60, heard.append, look=look, now=lambda: next(clock))
    assert heard == [1.5, 0.5]
    loads += [1.0] * 50
    assert not wait_until_quiet(3, heard.append, look=look, now=lambda: next(clock))
    assert len(loads) > 40
    assert wait_until_quiet(0, heard.append, look=lambda _s: {})
