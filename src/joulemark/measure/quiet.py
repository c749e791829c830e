# SPDX-License-Identifier: Apache-2.0
"""Waits for a quieter machine, up to a limit."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.environment.cpu import SystemFiles, core_kinds, cpu_list, cpu_numbers
from joulemark.errors import UsageError

# Which CPU is measured: the one that is named, or the least busy one that no other run holds.
#
# A run holds an advisory lock on its CPU, so that two runs do not spoil each other unknowingly. The
# lock is a `flock` on an empty file that all users of the machine share; the kernel releases it
# when the process ends, however it ends. A run that finds every CPU held measures all the same, and
# its figures say so.

_LOOK_S: Final = 0.2
"""Time for which the load of the CPUs is watched: twenty ticks of 10 ms of the kernel."""
_LOCK_FOLDERS: Final = (Path("/run/lock"), Path("/var/lock"))
"""Where Linux keeps locks that all users share (Filesystem Hierarchy Standard 3.0, 5.9)."""
_IDLE_COLUMNS: Final = (3, 4)
"""`idle` and `iowait` in a line of /proc/stat (proc(5))."""


class CpuLock:
    """An advisory lock on one CPU of this machine, held until `release` or the process's end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, cpu: int, folder: Path | None = None) -> CpuLock | None:
        """The lock; None if another run holds it."""
        path = (folder or shared_lock_folder()) / f"joulemark-cpu{cpu}.lock"
        descriptor = open_lock(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def release(self) -> None:
        """Lets the CPU go; may be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def open_lock(path: Path) -> int:
    """A descriptor of the lock's file, which is made for all users if it is missing.

    A link that somebody laid in a shared folder is not followed, and a pipe is not waited for.
    """
    safely = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | safely, 0o666)
    except FileExistsError:
        descriptor = os.open(path, os.O_RDONLY | safely)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, "its place is taken by something that is no file") from None
        return descriptor
    os.fchmod(descriptor, 0o666)  # whatever this user's umask takes away
    return descriptor


def shared_lock_folder() -> Path:
    """The folder of locks that all users of this machine share."""
    for folder in _LOCK_FOLDERS:
        if folder.is_dir() and os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir())


@dataclass(frozen=True, slots=True)
class CpuChoice:
    """The CPU to measure on, and the CPUs for everything else of ours."""

    cpu: int
    others: frozenset[int]
    """Not empty; the measured CPU where no other is allowed."""
    named: bool
    """Whether the user named it; else it was the least busy."""
    busy_share: float | None
    """Share of its time that the CPU was busy just before, from 0 to 1; None if unknown."""
    lock: CpuLock | None
    lock_reason: str | None
    """Why the CPU is not held; None if it is held."""
    kind: str | None = None
    """Kind of its core, such as `P-core`, where the machine has several."""

    def release(self) -> None:
        """Lets the CPU go."""
        if self.lock is not None:
            self.lock.release()


def require_allowed(named: int | None) -> None:
    """Refuses a CPU that this process may not run on; None stands for any CPU."""
    allowed = os.sched_getaffinity(0)
    if named is not None and named not in allowed:
        known = ", ".join(map(str, sorted(allowed)))
        raise UsageError(f"--cpu {named}: this process may run on {known}; name one of these")


def cpus_of_one_kind(
    allowed: Collection[int], kind: str | None = None, root: Path = Path("/")
) -> tuple[list[int], str | None]:
    """Those of the allowed CPUs whose cores are of one kind, ascending, and the kind.

    Args:
        allowed: numbers of CPUs, at least one.
        kind: as of `core_kinds`; the fastest of the allowed kinds unless given.
        root: the folder of `sys`.

    Returns:
        All allowed CPUs and None where the machine has one kind of core; no CPU where none of the
        allowed ones is of that kind.
    """
    kinds = core_kinds(SystemFiles(root))
    there = [kinds[cpu] for cpu in kinds if cpu in allowed]
    if not there:
        return sorted(allowed), None
    wanted = kind or there[0]
    return sorted(cpu for cpu in allowed if kinds.get(cpu) == wanted), wanted


def require_one_kind(cpus: Collection[int], option: str, root: Path = Path("/")) -> str | None:
    """The kind of the cores of all these CPUs, None on a machine with one; refuses a mixture."""
    kinds = core_kinds(SystemFiles(root))
    found = dict.fromkeys(kinds[cpu] for cpu in kinds if cpu in cpus)
    if len(found) > 1:
        named = "; ".join(
            f"{cpu_list(cpu for cpu in cpus if kinds.get(cpu) == kind)}: {kind}" for kind in found
        )
        raise UsageError(
            f"{option}: figures of cores of several kinds are not of one machine ({named}); name "
            "cores of one kind"
        )
    return next(iter(found), None)


def choose_cpu(
    named: int | None = None,
    *,
    kind: str | None = None,
    lock_folder: Path | None = None,
    look_s: float = _LOOK_S,
    root: Path = Path("/"),
) -> CpuChoice:
    """Chooses a CPU of those that this process may run on, and takes its lock.

    Without a named CPU this is the least busy of those that no other run holds, and of equally busy
    CPUs the highest, since interrupts usually go to the lowest. Where cores are of several kinds,
    it is one of the fastest kind.

    Args:
        named: the CPU that the user asked for.
        kind: kind of core on which the samples must be taken, since earlier ones were.
        lock_folder: folder of the locks; the machine's folder unless given.
        look_s: time for which the load is watched, above 0.
        root: the folder of `sys`, from which the kinds of cores are read.
    """
    require_allowed(named)
    allowed = os.sched_getaffinity(0)
    alike, kind = cpus_of_one_kind({named} if named is not None else allowed, kind, root)
    if not alike:
        raise UsageError(
            f"this run began on cores of the kind {kind}, and "
            + (
                f"CPU {named} is of another"
                if named is not None
                else "none of them may be used now"
            )
            + "; name another --cpu, or begin a new run with --fresh"
        )
    busy = cpu_busy_shares(look_s)
    order = _least_busy_first(alike, busy)
    lock, reason, cpu = None, "another run of joulemark measures on it", order[0]
    for candidate in order:
        try:
            lock = CpuLock.acquire(candidate, lock_folder)
        except OSError as error:
            reason = f"no lock can be made ({error.strerror})"
            continue
        if lock is not None:
            cpu = candidate
            break
    return CpuChoice(
        cpu=cpu,
        others=_others(cpu, allowed),
        named=named is not None,
        busy_share=busy.get(cpu),
        lock=lock,
        lock_reason=None if lock is not None else reason,
        kind=kind,
    )


def _least_busy_first(allowed: Collection[int], busy: Mapping[int, float]) -> list[int]:
    """Shares are compared in tenths, so that a tick more or less does not decide."""
    return sorted(allowed, key=lambda cpu: (round(10 * busy.get(cpu, 0.0)), -cpu))


def _others(cpu: int, allowed: Collection[int]) -> frozenset[int]:
    """All other CPUs; without the threads of the same core, if that leaves any."""
    rest = frozenset(allowed) - {cpu}
    return (rest - _siblings(cpu)) or rest or frozenset({cpu})


def _siblings(cpu: int) -> frozenset[int]:
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return frozenset(cpu_numbers(path.read_text("ascii").strip()))
    except (OSError, ValueError):
        return frozenset()


def cpu_busy_shares(look_s: float) -> dict[int, float]:
    """Share of the next `look_s` seconds that each CPU is busy; empty without /proc/stat."""
    before = _cpu_ticks()
    time.sleep(look_s)
    after = _cpu_ticks()
    shares = {}
    for cpu in before.keys() & after.keys():
        busy = after[cpu][0] - before[cpu][0]
        total = busy + after[cpu][1] - before[cpu][1]
        if busy >= 0 and total > 0:
            shares[cpu] = busy / total
    return shares


def _cpu_ticks(proc: Path = Path("/proc")) -> dict[int, tuple[int, int]]:
    """Busy and idle ticks of each CPU since the machine started."""
    try:
        lines = (proc / "stat").read_text("ascii").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        name, *columns = line.split()
        if not (name.startswith("cpu") and name[3:].isdecimal()):
            continue
        ticks = [int(column) for column in columns[:8] if column.isdecimal()]
        if len(ticks) > max(_IDLE_COLUMNS):
            idle = sum(ticks[column] for column in _IDLE_COLUMNS)
            found[int(name[3:])] = (sum(ticks) - idle, idle)
    return found


QUIET_SHARE: Final = 0.10
"""CPU time of everything, in CPUs, up to which a machine counts as quiet: a tenth of one CPU, the
share from which a result carries a doubt."""
_QUIET_LOOK_S: Final = 1.0


def wait_until_quiet(
    limit_s: float,
    announce: Callable[[float], None],
    *,
    look: Callable[[float], dict[int, float]] = cpu_busy_shares,
    now: Callable[[], float] = time.monotonic,
) -> bool:
    """Waits until the CPUs together are busy for at most `QUIET_SHARE` of one CPU.

    Args:
        limit_s: longest wait, at least 0; one look is always taken.
        announce: told the share, in CPUs, after each look that found the machine busy.
        look: watches the CPUs for so many seconds; see `cpu_busy_shares`.
        now: the clock of the limit, in seconds.

    Returns:
        Whether the machine became quiet; True where its load cannot be read.
    """
    end = now() + limit_s
    while True:
        share = sum(look(_QUIET_LOOK_S).values())
        if share <= QUIET_SHARE:
            return True
        announce(share)
        if now() >= end:
            return False
