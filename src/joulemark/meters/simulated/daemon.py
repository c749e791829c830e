# SPDX-License-Identifier: Apache-2.0
"""The simulated machine in real time: a separate process, whose load is another process's tree.

Each wake-up has an absolute deadline, the next update's instant, so lateness does not accumulate;
a late update is latched at the moment at which it really happens, with the energy used until then.
Beside the file tree the folder holds `ready` (the daemon's process id, as soon as the tree is
complete) and `stats.json` (punctuality and CPU time of the daemon, once a second and at the end).
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from joulemark.errors import UnavailableError, UsageError
from joulemark.meters.simulated.config import DaemonConfig, parse_options
from joulemark.meters.simulated.machine import SimulatedMachine
from joulemark.processes.child import Child, module_command

# The energy of a process and all of its descendants, from the CPU time that they use.
#
# CPU time comes from the CPU clock of another process, which the scheduler keeps to the nanosecond:
# clock_getcpuclockid(3), whose clock id is made as in the kernel's include/linux/posix-timers.h.
# Descendants come from `/proc/PID/task/TID/children` (proc(5)).
#
# Limits: CPU time between the last sample and a process's end is not counted, nor is a process that
# comes and goes between two scans. A process that is found late is counted from its birth.

_SCHEDULER_CLOCK: Final = 2
"""CPUCLOCK_SCHED: user and system time by the scheduler's own account."""
_LONGEST_COMMAND_BYTES: Final = 65_536


def cpu_clock_of(pid: int) -> int:
    """Id of the clock that shows the CPU time of all threads of a process."""
    return (~pid << 3) | _SCHEDULER_CLOCK


@dataclass(slots=True)
class _Process:
    clock: int
    seen_ns: int
    power_nw: int


class ProcessEnergy:
    """Energy of a process tree: CPU time times the power of the process that used it.

    Args:
        root_pid: the process whose tree is watched.
        power_nw_of: power of a running process in nanowatts, by its command line.
        left_out: processes that are not counted; nor are their children.

    Raises:
        ProcessLookupError: there is no process `root_pid`.
    """

    def __init__(
        self, root_pid: int, power_nw_of: Callable[[str], int], left_out: frozenset[int]
    ) -> None:
        self._power_nw_of = power_nw_of
        self._left_out = left_out
        self._processes: dict[int, _Process] = {}
        self.used_aj = 0
        """Attojoules used since the watch began, also by processes that have ended."""
        self.used_cpu_ns = 0
        """CPU time since the watch began, also of processes that have ended."""
        if not self._add(root_pid):
            raise ProcessLookupError(f"there is no process {root_pid}")
        self.scan()
        for process in self._processes.values():
            process.seen_ns = time.clock_gettime_ns(process.clock)

    @property
    def processes(self) -> int:
        """Number of watched processes that have not ended."""
        return len(self._processes)

    def scan(self) -> None:
        """Looks for new descendants, and for processes that run another command now."""
        waiting = list(self._processes)
        for pid in waiting:
            self._processes[pid].power_nw = self._power_nw_of(_command_of(pid))
        while waiting:
            new = [child for child in _children_of(waiting.pop()) if child not in self._processes]
            waiting += [child for child in new if self._add(child)]

    def sample(self) -> int:
        """Adds the energy used since the last sample; returns `used_aj`."""
        for pid, process in list(self._processes.items()):
            try:
                used_ns = time.clock_gettime_ns(process.clock) - process.seen_ns
            except OSError:
                used_ns = -1
            if used_ns < 0:  # it ended, and its number may have gone to another process
                del self._processes[pid]
                continue
            process.seen_ns += used_ns
            self.used_cpu_ns += used_ns
            self.used_aj += used_ns * process.power_nw
        return self.used_aj

    def _add(self, pid: int) -> bool:
        if pid in self._left_out:
            return False
        clock = cpu_clock_of(pid)
        try:
            time.clock_gettime_ns(clock)
        except OSError:
            return False
        self._processes[pid] = _Process(clock, 0, self._power_nw_of(_command_of(pid)))
        return True


def _children_of(pid: int) -> list[int]:
    children: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - only the names are wanted
    except OSError:
        return children
    for thread in threads:
        children += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return children


def _command_of(pid: int) -> str:
    """The command line with spaces between its words; empty where it cannot be read."""
    return _read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode("utf-8", "replace").strip()


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _LONGEST_COMMAND_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


# Lateness and CPU time of the daemon: the text of its `stats.json`.

_KEPT: Final = 1000
"""Wake-ups whose lateness is kept for the quantiles: the newest second of a 1 ms grid."""


class Lateness:
    """The daemon's account of its punctuality."""

    def __init__(self, start_ns: int) -> None:
        self._start_ns = start_ns
        self._start_cpu_ns = time.process_time_ns()
        self._newest_ns: deque[int] = deque(maxlen=_KEPT)
        self._worst_ns = 0
        self._wakes = 0

    def note(self, late_ns: int) -> None:
        """Takes down one wake-up."""
        self._newest_ns.append(late_ns)
        self._worst_ns = max(self._worst_ns, late_ns)
        self._wakes += 1

    def as_json(self, now_ns: int, missed: int, energy: ProcessEnergy | None) -> str:
        """The statistics so far; lateness is null before the first wake-up.

        Args:
            now_ns: the moment on CLOCK_MONOTONIC.
            missed: updates that were left out because the daemon came too late, over all counters.
            energy: the watched processes, if any are watched.
        """
        ordered = sorted(self._newest_ns)
        wall_ns = max(1, now_ns - self._start_ns)
        return json.dumps(
            {
                "running_s": wall_ns / 1e9,
                "wakes": self._wakes,
                "missed_updates": missed,
                "late_median_ns": ordered[len(ordered) // 2] if ordered else None,
                "late_p99_ns": ordered[len(ordered) * 99 // 100] if ordered else None,
                "late_worst_ns": self._worst_ns if ordered else None,
                "own_cpu_share": (time.process_time_ns() - self._start_cpu_ns) / wall_ns,
                "processes": energy.processes if energy is not None else None,
                "watched_cpu_s": energy.used_cpu_ns / 1e9 if energy is not None else None,
                "load_j": energy.used_aj / 1e18 if energy is not None else None,
            }
        )


READY: Final = "ready"
STATS: Final = "stats.json"
_SCAN_NS: Final = 20_000_000
"""Time between two looks for new processes."""
_STATS_NS: Final = 1_000_000_000
_PR_SET_TIMERSLACK: Final = 29
"""prctl(2); the usual slack of 50 us would make every update that late."""


class Daemon:
    """The loop from update to update.

    Args:
        root: empty folder, or a path where there is none yet.
        config: the machine.
        watch_pid: process whose tree is the load, and with which the daemon ends; None: no load,
            and the daemon runs until SIGTERM.
        remove: whether the folder is removed at the end.

    Raises:
        UsageError: the folder is not empty, or there is no such process.
    """

    def __init__(
        self, root: Path, config: DaemonConfig, watch_pid: int | None, *, remove: bool = False
    ) -> None:
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(f"{root} must be an empty folder, or not be there yet")
        self._root = root
        self._remove = remove
        self._stopping = False
        self._poll = select.poll()
        self._energy: ProcessEnergy | None = None
        if watch_pid is not None:
            try:
                self._poll.register(os.pidfd_open(watch_pid), select.POLLIN)
                own = frozenset({os.getpid()})
                self._energy = ProcessEnergy(watch_pid, config.power_nw, own)
            except OSError:
                raise UsageError(f"there is no process {watch_pid} to watch") from None
        start_ns = time.monotonic_ns()
        self._machine = SimulatedMachine(
            root, config.domains, config.faults, seed=config.seed, start_ns=start_ns, shared=True
        )
        self._lateness = Lateness(start_ns)

    def run(self) -> None:
        """Runs until SIGTERM or until the watched process has ended."""
        signal.signal(signal.SIGTERM, self._stop)
        # Ctrl-C reaches the whole process group; the watched process decides what it means.
        watching = self._energy is not None
        signal.signal(signal.SIGINT, signal.SIG_IGN if watching else self._stop)
        _sleep_precisely()
        gc.freeze()
        self._replace(READY, str(os.getpid()))
        try:
            self._loop()
        finally:
            if self._remove:
                shutil.rmtree(self._root, ignore_errors=True)
            else:
                self._replace(STATS, self._stats())
                (self._root / READY).unlink(missing_ok=True)

    def _loop(self) -> None:
        scan_ns = stats_ns = time.monotonic_ns()
        while not self._stopping:
            due_ns = self._machine.next_ns
            wake_ns = min(due_ns, scan_ns + _SCAN_NS)
            wait_ns = wake_ns - time.monotonic_ns()
            if wait_ns > 0:
                time.sleep(wait_ns / 1e9)
            now_ns = time.monotonic_ns()
            if now_ns >= due_ns:
                self._lateness.note(now_ns - due_ns)
                used_aj = self._energy.sample() if self._energy is not None else 0
                self._machine.latch_now(time.monotonic_ns(), used_aj)
            if now_ns >= scan_ns + _SCAN_NS:
                scan_ns = now_ns
                if self._energy is not None:
                    self._energy.scan()
                    self._stopping |= bool(self._poll.poll(0))
            if now_ns >= stats_ns + _STATS_NS:
                stats_ns = now_ns
                self._replace(STATS, self._stats())

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _stats(self) -> str:
        missed = sum(counter.missed for counter in self._machine.counters.values())
        return self._lateness.as_json(time.monotonic_ns(), missed, self._energy)

    def _replace(self, name: str, text: str) -> None:
        new = self._root / f".{name}"
        new.write_text(text + "\n")
        new.replace(self._root / name)


def _sleep_precisely() -> None:
    """Asks for timers without slack; where that is refused the statistics show it."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)


# Starting the daemon for as long as a block of code runs.
#
# The process that starts it is the one it watches, so whatever that process and its children
# compute is the load.

_MEMORY_FOLDER: Final = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
"""Files in memory: replacing one there takes 15 us of CPU time, on a disk 90 us (x86-64 virtual
machine, Linux 6.18, ext4, November 2026)."""
_PATIENCE_S: Final = 20.0


@contextmanager
def start(options: str | DaemonConfig = "") -> Iterator[str]:
    """Runs a simulated machine whose load is this process with its children.

    Args:
        options: the machine: text for `parse_options`, or a configuration.

    Yields:
        The name of the meter that reads it, which every process of this machine may use:
        `simulated:FOLDER`.
    """
    config = parse_options(options) if isinstance(options, str) else options
    memory = str(_MEMORY_FOLDER) if os.access(_MEMORY_FOLDER, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="joulemark-simulated-", dir=memory))
    try:
        with tempfile.TemporaryFile() as configuration, tempfile.TemporaryFile() as errors:
            configuration.write(config.as_json().encode())
            configuration.seek(0)
            command = module_command("joulemark.meters.simulated")
            command += ["--remove", "--config", "-"]
            command += ["--root", str(folder), "--watch", str(os.getpid())]
            daemon = Child(command, reads=configuration, errors=errors)
            try:
                _await_ready(folder, daemon, errors)
                yield f"simulated:{folder}"
            finally:
                daemon.signal(signal.SIGTERM)
                daemon.ended_within(_PATIENCE_S)
                daemon.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _await_ready(folder: Path, daemon: Child, errors: IO[bytes]) -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not (folder / READY).exists():
        if daemon.ended_within(0):
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            why = lines[-1] if lines else f"exit code {daemon.wait()}"
            raise UnavailableError(f"the simulated meter could not be started: {why}")
        if time.monotonic() > end_s:
            raise UnavailableError(
                f"the simulated meter was not ready after {_PATIENCE_S:g} s; is the machine loaded?"
            )
        time.sleep(0.005)
