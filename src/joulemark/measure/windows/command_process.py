# SPDX-License-Identifier: Apache-2.0
"""A command of the user as a process that is started, waited for without polling, and stopped.

It gets a separate process group, so that Ctrl-C reaches Joulemark alone, which then ends the
whole group. It gets no input, because it runs several times and input comes only once.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from joulemark.errors import UsageError
from joulemark.processes.descendants import adopt_orphans, children_of, end_tree
from joulemark.processes.waiting import ready_within
from joulemark.records.command import EndedCommand

__all__ = ["CommandProcess"]

_GRACE_S: Final = 2.0
"""Time from SIGTERM to SIGKILL."""
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


class CommandProcess:
    """A command that can be run again and again.

    Args:
        words: the command and its arguments.
        cpu: the only CPU that it may use; None: all that Joulemark itself may use.
        shown: whether its output goes where Joulemark's goes; else it is thrown away.

    Raises:
        UsageError: there is no such command.
    """

    def __init__(
        self, words: Sequence[str], *, cpu: int | None = None, shown: bool = False
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
        self._pid: int | None = None
        self._handle = -1
        self._others: set[int] = set()
        """Our children before the command first ran; all that come later are orphans of it."""

    def start(self) -> None:
        """Starts the command; returns once it runs.

        Raises:
            UsageError: it is no program for this machine.
        """
        allowed = os.sched_getaffinity(0)
        if not self._others:
            adopt_orphans()
            self._others = {os.getpid(), *children_of(os.getpid())}
        try:
            # A process inherits its CPUs; if they were set later, its first threads would escape.
            if self._cpu is not None:
                os.sched_setaffinity(0, {self._cpu})
            self._pid = os.posix_spawn(
                self._path, self._words, os.environ, file_actions=self._files, setpgroup=0,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
            )  # fmt: skip
        except OSError as error:
            raise UsageError(
                f"the command {self._path} cannot be run ({error.strerror}); a script needs a"
                " first line such as #!/bin/sh"
            ) from None
        finally:
            if self._cpu is not None:
                os.sched_setaffinity(0, allowed)
        self._handle = os.pidfd_open(self._pid)

    def wait(self, timeout_ns: int | None) -> EndedCommand | None:
        """Sleeps until the command ends or the time is up; None if it still runs."""
        assert self._pid is not None
        timeout_s = None if timeout_ns is None else max(0, timeout_ns) / 1e9
        if not ready_within(self._handle, timeout_s):
            return None
        _, status, usage = os.wait4(self._pid, 0)
        os.close(self._handle)
        self._pid = None
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

    def _end_orphans(self) -> None:
        """Ends what the command left behind, which Linux has made our children."""
        end_s = time.monotonic() + _GRACE_S
        while (left := set(children_of(os.getpid())) - self._others) and time.monotonic() < end_s:
            for child in left:
                end_tree(child)
                with suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
            time.sleep(0.001)
