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
    cpus_of_one_kind,
    require_one_kind,
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


def hybrid(root: Path) -> Path:
    """The files of an Intel machine with four fast CPUs and four small ones."""
    for folder, cpus_of in (("cpu_core", "0-3\n"), ("cpu_atom", "4-7\n")):
        path = root / "sys/devices" / folder / "cpus"
        path.parent.mkdir(parents=True)
        path.write_text(cpus_of)
    return root


def test_a_fast_core_is_chosen_of_several_kinds(machine: dict[int, float], tmp_path: Path) -> None:
    """The least busy P-core is taken, busy or not; a named E-core is taken; both are named."""
    root = hybrid(tmp_path)
    machine.update({0: 0.9, 1: 0.5, 2: 0.9, 3: 0.9})
    chosen = choose_cpu(lock_folder=tmp_path, root=root)
    assert (chosen.cpu, chosen.kind) == (1, "P-core")
    assert conditions_now(chosen)["core_kind"] == "P-core"
    named = choose_cpu(5, lock_folder=tmp_path, root=root)
    assert (named.cpu, named.kind) == (5, "E-core")
    assert choose_cpu(lock_folder=tmp_path).kind is None


def test_a_run_goes_on_with_cores_of_its_kind(machine: dict[int, float], tmp_path: Path) -> None:
    """A run that began on an E-core goes on there, and refuses a CPU of the other kind."""
    root = hybrid(tmp_path)
    assert choose_cpu(kind="E-core", lock_folder=tmp_path, root=root).cpu == 7
    with pytest.raises(UsageError, match="of the kind E-core, and CPU 2 is of another; name"):
        choose_cpu(2, kind="E-core", lock_folder=tmp_path, root=root)


def test_sessions_share_cores_of_one_kind(tmp_path: Path) -> None:
    """All fast cores are taken unless some are named; a mixture is refused, and names both."""
    root = hybrid(tmp_path)
    assert cpus_of_one_kind(MANY, root=root) == ([0, 1, 2, 3], "P-core")
    assert cpus_of_one_kind({5, 6}, root=root) == ([5, 6], "E-core")
    assert cpus_of_one_kind(MANY, root=tmp_path / "none") == (sorted(MANY), None)
    assert require_one_kind((4, 5), "--cores", root) == "E-core"
    with pytest.raises(UsageError, match=r"--cores: .*\(3: P-core; 4-5: E-core\); name cores of"):
        require_one_kind((3, 4, 5), "--cores", root)


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
