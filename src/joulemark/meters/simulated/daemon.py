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
import os
import select
import shutil
import signal
import time
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters.simulated.config import DaemonConfig
from joulemark.meters.simulated.lateness import Lateness
from joulemark.meters.simulated.machine import Machine
from joulemark.meters.simulated.process_clock import ProcessEnergy

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
        self._machine = Machine(
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
