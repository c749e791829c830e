# SPDX-License-Identifier: Apache-2.0
"""The energy of a process and all of its descendants, from the CPU time that they use.

CPU time comes from the CPU clock of another process, which the scheduler keeps to the nanosecond:
clock_getcpuclockid(3), whose clock id is made as in the kernel's include/linux/posix-timers.h.
Descendants come from `/proc/PID/task/TID/children` (proc(5)).

Limits: CPU time between the last sample and a process's end is not counted, nor is a process that
comes and goes between two scans. A process that is found late is counted from its birth.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

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
