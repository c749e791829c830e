# SPDX-License-Identifier: Apache-2.0
"""A command of the user in one energy window, whose length cannot be chosen.

The counters are polled until each was seen to move, the headline's last, and at that moment the
command starts. While the command runs this process sleeps: it reads counters only often enough to
miss no wrap (`Domain.longest_gap_s`), and gauges, once they have settled, in each of their periods.
After the end the counters are polled until each moves again. So the energy between two edges is
that of the command, from its start to the moment at which its end is noticed, and that of at most
one update period of polling, as it was done to find the meter's pace. Parts and wholes of the
headline domain may have such a time at their start too. The analysis
(`joulemark.analyse.command_energy`) subtracts these times.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import joulemark
from joulemark.environment import own_groups
from joulemark.environment.cpu import SystemFiles
from joulemark.errors import UsageError
from joulemark.meters import Meter
from joulemark.meters.edges import SHORTEST_STRETCH_NS, Clock, CounterReader, Load, find_edges
from joulemark.meters.window import MachineActivity, advanced
from joulemark.processes.keeper import adopt_orphans, children_of, end_tree, ready_within
from joulemark.records.energy_window import (
    CommandWindow,
    Domain,
    EndedCommand,
    EnergyWindow,
    Quantity,
    WindowKind,
)

_CHUNKS_PER_PERIOD: Final = 200
"""Polls in a period of a slow counter: an edge is then known to a part in 200 of the period."""
SETTLING_PERIODS: Final = 2
"""Periods of a gauge before its first sample: a sample may be a period old, and be the mean of the
period before."""


@dataclass(frozen=True, slots=True)
class WindowTools:
    """The tools with which windows are taken: the machine's own, or a simulated machine's."""

    meter: Meter
    clock: Clock
    activity: MachineActivity
    spin: Load
    """Keeps one core awake between polls."""
    job: CommandProcess


def take_command_window(
    bench: WindowTools,
    domains: Sequence[Domain],
    periods_s: Mapping[str, float],
    *,
    headline: str,
    repeat: int = 1,
    round_index: int = 0,
    attempt: int = 0,
) -> CommandWindow:
    """Runs the command once, or `repeat` times in a row, and meters it.

    Args:
        bench: meter, clock and command.
        domains: at least the headline.
        periods_s: update period of each counter, time between samples of each gauge.
        headline: id of the domain whose edge starts the command.
        repeat: runs in the window, at least 1.
        round_index: round of the window.
        attempt: number of the attempt at the window.
    """
    activity = bench.activity
    reader = CounterReader(bench.meter, bench.clock, domains)
    temperature = activity.temperature_mdeg()
    busy_ns, steal_ns = activity.machine_busy_ns(), activity.machine_steal_ns()
    own_ns, slept_ns = activity.thread_cpu_ns(), activity.suspended_ns()
    runs = _run_between_edges(reader, domains, bench, periods_s, headline, repeat)
    own_ns = activity.thread_cpu_ns() - own_ns
    window = EnergyWindow(
        kind=WindowKind.LOAD,
        round_index=round_index,
        position=1,
        attempt=attempt,
        generation=0,
        wall_start_ns=runs.start_ns,
        wall_ns=runs.end_ns - runs.start_ns,
        messages=len(runs.ended),
        thread_cpu_ns=own_ns + sum(command.cpu_ns for command in runs.ended),
        reading_ns=runs.reading_ns,
        reads=runs.reads,
        machine_busy_ns=advanced(busy_ns, activity.machine_busy_ns()),
        machine_steal_ns=advanced(steal_ns, activity.machine_steal_ns()),
        run_queue_wait_ns=None,
        suspended_ns=max(0, activity.suspended_ns() - slept_ns),
        traces=reader.traces(),
        temperature_start_mdeg=temperature,
        temperature_end_mdeg=activity.temperature_mdeg(),
    )
    return CommandWindow(window, tuple(runs.ended))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The command's runs in a window; none if the headline domain cannot be read."""

    start_ns: int
    end_ns: int
    ended: list[EndedCommand]
    reads: int
    """Reads of counters while the command ran, without those that find edges."""
    reading_ns: int


def _run_between_edges(
    reader: CounterReader,
    domains: Sequence[Domain],
    bench: WindowTools,
    periods_s: Mapping[str, float],
    headline: str,
    repeat: int,
) -> _Runs:
    """Finds all edges, that of the headline last, runs the command, and finds the edges again."""
    find = partial(
        find_edges,
        reader,
        load=bench.spin,
        periods_s=periods_s,
        stretch_ns=partial(_stretch_ns, periods_s),
    )
    counters = [domain for domain in domains if domain.quantity is Quantity.ENERGY]
    find([counter for counter in counters if counter.id != headline])
    find([counter for counter in counters if counter.id == headline])
    reader.forget_costs()
    start_ns = bench.clock.now_ns()
    if headline in reader.faults:
        return _Runs(start_ns, start_ns, [], reads=0, reading_ns=0)
    try:
        ended = _run(reader, domains, bench, periods_s, repeat)
    finally:
        bench.job.stop()
    runs = _Runs(start_ns, bench.clock.now_ns(), ended, reader.reads, reader.reading_ns)
    find(counters)
    return runs


def _stretch_ns(periods_s: Mapping[str, float], domain: Domain) -> int:
    """How long one core spins between two polls of a counter."""
    return max(SHORTEST_STRETCH_NS, round(periods_s[domain.id] * 1e9 / _CHUNKS_PER_PERIOD))


def _run(
    reader: CounterReader,
    domains: Sequence[Domain],
    bench: WindowTools,
    periods_s: Mapping[str, float],
    repeat: int,
) -> list[EndedCommand]:
    """Runs the command; sleeps meanwhile, but for the necessary reads."""
    clock = bench.clock
    step_ns = {
        domain.id: round(periods_s[domain.id] * 1e9)
        if domain.quantity is Quantity.POWER
        else round(domain.longest_gap_s / 2 * 1e9)
        for domain in domains
        if domain.quantity is Quantity.POWER or domain.longest_gap_s < float("inf")
    }
    # A read of a counter away from its edges may show a count that is a whole period old.
    stale_ns = {
        domain.id: 0 if domain.quantity is Quantity.POWER else round(periods_s[domain.id] * 1e9)
        for domain in domains
    }
    now_ns = clock.now_ns()
    due_ns = {name: now_ns + step for name, step in step_ns.items()}
    for domain in domains:
        if domain.quantity is Quantity.POWER:
            due_ns[domain.id] = now_ns + SETTLING_PERIODS * step_ns[domain.id]
    ended = []
    for _ in range(repeat):
        bench.job.start()
        while True:
            next_ns = min(
                (at for name, at in due_ns.items() if name not in reader.faults), default=None
            )
            wait_ns = None if next_ns is None else max(0, next_ns - clock.now_ns())
            if (outcome := bench.job.wait(wait_ns)) is not None:
                ended.append(outcome)
                break
            for name in [name for name, at in due_ns.items() if at <= clock.now_ns()]:
                due_ns[name] = max(due_ns[name] + step_ns[name], clock.now_ns())
                reader.read_freely(name, stale_ns[name])
    return ended


# A command as a process that is started, waited for without polling, and stopped.
#
# It gets a separate process group, so that Ctrl-C reaches Joulemark alone, which then ends the
# whole group. It gets no input, because it runs several times and input comes only once.

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
