# SPDX-License-Identifier: Apache-2.0
"""A command of the user as a process that is started, waited for without polling, and stopped.

It gets a separate process group, so that Ctrl-C reaches Joulemark alone, which then ends the whole
group. It gets no input, because it runs several times and input comes only once.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import joulemark
from joulemark.environment import own_groups
from joulemark.environment.cpu import SystemFiles
from joulemark.errors import UsageError
from joulemark.processes.keeper import adopt_orphans, children_of, end_tree, ready_within
from joulemark.records.energy_window import EndedCommand

_GRACE_S: Final = 2.0
"""Time from SIGTERM to SIGKILL."""
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2
_WATCHER: Final = Path(joulemark.__file__).parent / "data" / "programs" / "peak_memory"
"""Our memory would count as that of the command, which we start (`harness/programs`)."""


class CommandProcess:
    """A command that can be run again and again.

    Args:
        words: the command and its arguments.
        cpu: the only CPU that it may use; None: all that Joulemark itself may use.
        shown: whether its output goes where Joulemark's goes; else it is thrown away.
        watched_runs: its first runs, whose memory is looked at. A small program then stands between
            us and the command, which costs these runs some tenths of a millisecond.

    Raises:
        UsageError: there is no such command.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        cpu: int | None = None,
        shown: bool = False,
        watched_runs: int = 0,
    ) -> None:
        path = shutil.which(words[0]) if words and words[0] else None
        if path is None:
            name = words[0] if words else ""
            raise UsageError(
                f"there is no command '{name}' that can be run; give its path, or one on PATH"
            )
        self._path = path
        self._words = list(words)
        self._cpu = cpu
        self._files: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0)
            for descriptor in ((_INPUT,) if shown else (_INPUT, _OUTPUT, _ERRORS))
        ]
        self._watched_runs = watched_runs
        self._report = -1
        """The pipe in which the small program says what it saw; -1: it does not run."""
        self.peak_memory_bytes: int | None = None
        """Most memory of a process in the watched runs; None: it was not seen."""
        self.tree_memory_bytes: int | None = None
        """Most memory that all its processes together added, with what Linux keeps of their files;
        None: Linux does not let us count it."""
        self._group: Path | None = None
        """The control group of the run that is watched now."""
        self._pid: int | None = None
        self._handle = -1
        self._others: set[int] = set()
        """Our children before the command first ran; all that come later are orphans of it."""

    def start(self) -> None:
        """Starts the command; returns once it runs."""
        allowed = os.sched_getaffinity(0)
        if not self._others:
            adopt_orphans()
            self._others = {os.getpid(), *children_of(os.getpid())}
        try:
            # A process inherits its CPUs; if they were set later, its first threads would escape.
            if self._cpu is not None:
                os.sched_setaffinity(0, {self._cpu})
            self._pid = self._spawn()
        except OSError as error:
            raise self._refusal(error.strerror or "") from None
        finally:
            if self._cpu is not None:
                os.sched_setaffinity(0, allowed)
        self._handle = os.pidfd_open(self._pid)

    def _refusal(self, reason: str) -> UsageError:
        return UsageError(
            f"the command {self._path} cannot be run ({reason}); a script needs a"
            " first line such as #!/bin/sh"
        )

    def _spawn(self) -> int:
        """Starts the command, or the small program that starts it; returns the process number."""
        path, words, files = self._path, self._words, self._files
        writes = -1
        if self._watched_runs > 0 and _WATCHER.is_file():
            self._watched_runs -= 1
            self._report, writes = os.pipe()
            self._group = self._group or _memory_group()
            joined = "" if self._group is None else str(self._group / "cgroup.procs")
            path, words = str(_WATCHER), [_WATCHER.name, str(writes), joined, path, *words]
            files = [*files, (os.POSIX_SPAWN_DUP2, writes, writes)]  # so that it is inherited
        try:
            return os.posix_spawn(
                path,
                words,
                os.environ,
                file_actions=files,
                setpgroup=0,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
            )
        finally:
            if writes >= 0:
                os.close(writes)

    def _read_report(self) -> None:
        """Takes what the small program saw."""
        if self._report < 0:
            return
        said = os.read(self._report, 100).split()
        os.close(self._report)
        self._report = -1
        if not said:
            return
        if (seen := int(said[0])) < 0:
            raise self._refusal(os.strerror(-seen))
        self.peak_memory_bytes = max(self.peak_memory_bytes or 0, seen * 1024)
        if self._group is not None and (together := _peak_of(self._group)):
            self.tree_memory_bytes = max(self.tree_memory_bytes or 0, together)

    def wait(self, timeout_ns: int | None) -> EndedCommand | None:
        """Sleeps until the command ends or the time is up; None if it still runs."""
        assert self._pid is not None
        timeout_s = None if timeout_ns is None else max(0, timeout_ns) / 1e9
        if not ready_within(self._handle, timeout_s):
            return None
        _, status, usage = os.wait4(self._pid, 0)
        os.close(self._handle)
        self._pid = None
        self._read_report()
        self._leave_group()
        cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
        return EndedCommand(os.waitstatus_to_exitcode(status), cpu_ns)

    def stop(self) -> None:
        """Ends the command and all that it started, if it runs, in whatever session or group."""
        if self._pid is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGTERM)
            ready_within(self._handle, _GRACE_S)
            # It is not reaped yet, so no other group can have its number.
            os.killpg(self._pid, signal.SIGKILL)
        end_tree(self._pid)
        # A process that lives on after SIGKILL sleeps in the kernel; its end is not awaited.
        self.wait(round(_GRACE_S * 1e9))
        self._end_orphans()
        self._leave_group()

    def _leave_group(self) -> None:
        """Removes the control group, unless a process that the command left behind is in it."""
        if self._group is not None:
            with suppress(OSError):
                self._group.rmdir()
                self._group = None

    def _end_orphans(self) -> None:
        """Ends what the command left behind, which Linux has made our children."""
        end_s = time.monotonic() + _GRACE_S
        while (left := set(children_of(os.getpid())) - self._others) and time.monotonic() < end_s:
            for child in left:
                end_tree(child)
                with suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
            time.sleep(0.001)


# A control group for a command, in which Linux counts the memory of all its processes together.

_PEAKS: Final = ("memory.peak", "memory.max_usage_in_bytes")
"""Files of versions 2 and 1 (Linux, Documentation/admin-guide/cgroup-v2.rst, "Memory Interface
Files", and Documentation/admin-guide/cgroup-v1/memory.rst, 5.4)."""


def _memory_group() -> Path | None:
    """Makes a group below ours; None where we may not, or where it would count no memory."""
    for folder in own_groups(SystemFiles(Path("/")), "memory"):
        with suppress(OSError):
            group = Path(tempfile.mkdtemp(prefix="joulemark-", dir=Path("/", folder)))
            if any((group / name).exists() for name in _PEAKS):
                return group
            group.rmdir()
    return None


def _peak_of(group: Path) -> int | None:
    for name in _PEAKS:
        with suppress(OSError, ValueError):
            return int((group / name).read_text("ascii"))
    return None
