# SPDX-License-Identifier: Apache-2.0
"""What the views read: the runs of a store and their kept estimates.

As a program it estimates a share of the runs:
`python -m joulemark.explorer.estimates.holdings FILE SHARE SHARES`. FILE keeps the estimates, and
the variable JOULEMARK_STORE names the store.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from joulemark.analyse.assemble import result_set
from joulemark.analyse.from_elsewhere import RunSamples, measured_in
from joulemark.errors import StoreError
from joulemark.explorer.estimates import Change, details_of, judge_run, lines_of
from joulemark.explorer.estimates.kept import KeptEstimates, gate_key_of, key_of
from joulemark.explorer.estimates.known import FirmwareRuns, Index, KnownRuns
from joulemark.processes.child import KeptChild, module_command
from joulemark.records.core_report import StoredCoreReport
from joulemark.store.beside_runs import latest_reports
from joulemark.store.reading import OutlineStore, RunOutline, open_for_reading

# Estimates what is not kept yet: one run when a page needs it, or all runs in other processes.

_KEPT_MODULE: Final = "joulemark.processes.keeper"
_STORE_VARIABLE: Final = "JOULEMARK_STORE"
"""Hands over the address, which may hold a password that no list of processes shall show."""
_CHUNK: Final = 25
"""Runs that one process takes at a time."""
_MOST_MEASURED: Final = 4
"""Runs whose samples are held in memory: the next run is judged against one of them."""


@dataclass(frozen=True, slots=True)
class MissingEstimates:
    """Estimates and judgements that are not kept, and kept ones that no longer hold."""

    runs: tuple[int, ...]
    """Runs to be estimated, the newest first."""
    gates: tuple[tuple[int, int], ...]
    """Run and earlier run of each judgement that is to be made."""
    gone: tuple[int, ...]
    """Runs with kept estimates that the store no longer has."""
    gates_gone: tuple[tuple[int, int], ...]
    """Run and earlier run of each kept judgement that no page shows any more."""

    @property
    def nothing(self) -> bool:
        """Whether every run is estimated and judged."""
        return not self.runs and not self.gates


def missing_estimates(known: KnownRuns, estimates: KeptEstimates) -> MissingEstimates:
    """What has to be estimated before every page is complete."""
    keys, gates = estimates.keys(), estimates.gate_keys()
    wanted = {
        (run.id, before): gate_key_of(known.runs[before], run, algorithms)
        for run in known.runs.values()
        for before, algorithms in known.before(run).items()
    }
    return MissingEstimates(
        runs=tuple(
            run.id for run in reversed(known.runs.values()) if keys.get(run.id) != key_of(run)
        ),
        gates=tuple(pair for pair, key in reversed(wanted.items()) if gates.get(pair) != key),
        gone=tuple(keys.keys() - known.runs.keys()),
        gates_gone=tuple(gates.keys() - wanted.keys()),
    )


def estimate_run(store: OutlineStore, estimates: KeptEstimates, run: RunOutline) -> None:
    """Estimates one run and keeps the estimates."""
    results = result_set(store, run.id, alone=True)
    estimates.put(run.id, key_of(run), details_of(results), lines_of(results, run.id))


def fill(
    store: OutlineStore, estimates: KeptEstimates, known: KnownRuns, share: int = 0, shares: int = 1
) -> None:
    """Estimates and judges those runs of one share that are not kept yet.

    A run that cannot be read is passed over; its page says why.
    """
    missing = missing_estimates(known, estimates)
    earlier_of: dict[int, list[int]] = {}
    for run, earlier in missing.gates:
        earlier_of.setdefault(run, []).append(earlier)
    runs = set(missing.runs)
    # Machine by machine, so that the samples of a run are read once for its two judgements.
    order = sorted(
        (run for run in known.runs if run in runs or run in earlier_of),
        key=known.machine_of.__getitem__,
    )
    measured: dict[int, RunSamples] = {}
    for position, number in enumerate(reversed(order)):
        if position // _CHUNK % shares != share:
            continue
        with suppress(StoreError):
            if number in runs:
                estimate_run(store, estimates, known.runs[number])
            for earlier in earlier_of.get(number, ()):
                _judge(store, estimates, known, (earlier, number), measured)


def _judge(
    store: OutlineStore,
    estimates: KeptEstimates,
    known: KnownRuns,
    numbers: tuple[int, int],
    measured: dict[int, RunSamples],
) -> None:
    for number in numbers:
        if number not in measured:
            measured[number] = measured_in(store, number)
    before, run = (known.runs[number] for number in numbers)
    algorithms = known.before(run)[before.id]
    gate = judge_run(measured[before.id], measured[run.id], numbers, algorithms)
    estimates.put_gate(gate_key_of(before, run, algorithms), gate)
    while len(measured) > _MOST_MEASURED:
        del measured[next(iter(measured))]


class Fillers:
    """Processes that estimate all of a store, at low priority, and end with this one."""

    def __init__(self, location: str, path: Path, shares: int) -> None:
        self._stack = ExitStack()
        self._children: list[KeptChild] = []
        command = [*module_command(_KEPT_MODULE), __name__, str(path)]
        # The driver of PostgreSQL reads variables that only it knows.
        environment = {**os.environ, _STORE_VARIABLE: location}
        for share in range(shares):
            child = KeptChild(
                [*command, str(share), str(shares)],
                first_line=b"",
                environment=environment,
                errors=sys.stderr,
            )
            self._stack.callback(child.end)
            self._children.append(child)

    @property
    def running(self) -> bool:
        """Whether a process still works."""
        return not all(child.ended_within(0) for child in self._children)

    def end(self) -> None:
        """Ends the processes that still work."""
        self._stack.close()


_LOOK_S: Final = 1.0
"""The store is looked at again after this time at the earliest."""
_MOST_AT_ONCE: Final = 4
"""Most runs that are estimated while a page waits; a run of 500 samples takes about 50 ms."""
_MOST_SAMPLES_AT_ONCE: Final = 20_000
"""Samples of a run beyond which no page waits while other processes estimate: about a second."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a store when a page was made; another state may give another page."""

    generation: int
    """As that of `KnownRuns`."""
    estimated: int
    """Number of runs whose estimates are kept."""
    judged: int
    """Number of kept judgements."""
    cores: int
    """Number of newest reports of cores."""


class Holdings:
    """The open store with its estimates. Threads: may be shared.

    Args:
        store: opened for reading.
        estimates: the file of estimates, which may lack some: `ensure` adds a few.
        filling: whether other processes estimate the whole store at this moment.
    """

    def __init__(
        self,
        store: OutlineStore,
        estimates: KeptEstimates,
        filling: Callable[[], bool] = lambda: False,
    ) -> None:
        self._filling = filling
        self.store = store
        self.estimates = estimates
        self._index = Index(store)
        self._lock = threading.Lock()
        self._estimating = threading.Lock()
        self._looked_s = float("-inf")
        self._known = KnownRuns()
        self._keys: dict[int, str] = {}
        self._ready: frozenset[int] = frozenset()
        self._judged = 0
        self._cores: list[StoredCoreReport] = []
        self._firmware = FirmwareRuns(store, ())

    def known(self) -> KnownRuns:
        """The runs of the store, at most about three seconds old."""
        self._look()
        return self._known

    def refresh(self) -> None:
        """Looks at the store and its estimates at once."""
        self._look(again=True)

    def moment(self) -> Moment:
        """The state of the store: it changes when any page may have changed."""
        self._look()
        return Moment(self._known.generation, len(self._ready), self._judged, len(self._cores))

    def ready(self) -> frozenset[int]:
        """Numbers of the runs whose estimates are kept."""
        self._look()
        return self._ready

    def pending(self) -> int:
        """How many runs are still to be estimated."""
        return len(self.known().runs) - len(self.ready())

    def cores(self) -> list[StoredCoreReport]:
        """The newest report of each combination of core, parameters, target and settings."""
        self._look()
        return self._cores

    def firmware(self) -> FirmwareRuns:
        """The runs that counted firmware."""
        self._look()
        return self._firmware

    def ensure(self, numbers: Iterable[int]) -> list[int]:
        """Estimates a few of these runs if need be; returns those whose estimates can be shown.

        Args:
            numbers: the most wanted first.
        """
        wanted = list(dict.fromkeys(numbers))
        missing = [run for run in wanted if run not in self.ready()][:_MOST_AT_ONCE]
        known = self._known
        if missing and self._filling():
            missing = [
                run
                for run in missing
                if run in known.runs and known.runs[run].samples <= _MOST_SAMPLES_AT_ONCE
            ]
        if missing:
            with self._estimating:
                for number in missing:
                    if number in known.runs and number not in self._ready:
                        with suppress(StoreError):
                            estimate_run(self.store, self.estimates, known.runs[number])
            self.refresh()
        return [run for run in wanted if run in self._ready]

    def newest_of_each_machine(self, algorithm: str, machines: Sequence[str] = ()) -> list[int]:
        """The newest run with trials of an algorithm on each machine that has one, newest first.

        Args:
            algorithm: its name.
            machines: slugs; empty: all machines.
        """
        known = self.known()
        newest: dict[str, int] = {}
        for run in known.newest_first(algorithm=algorithm):
            machine = known.machine_of[run.id]
            if not machines or machine in machines:
                newest.setdefault(machine, run.id)
        return list(newest.values())

    def changes(
        self, *, implementation: str | None = None, most: int | None = None
    ) -> list[Change]:
        """Changes of an implementation, or all; those of the run begun last at the front.

        Args:
            implementation: None: all implementations.
            most: how many changes; None: all. Older runs are not read.
        """
        newest_first = list(reversed(self.known().runs))
        runs = None
        if most is not None:
            counts, before = self.estimates.change_counts(), 0
            runs = []
            for number in newest_first:
                if before < most and number in counts:
                    runs.append(number)
                    before += counts[number]
        places = {number: place for place, number in enumerate(newest_first)}
        found = self.estimates.changes(runs=runs, implementation=implementation)
        known = [change for change in found if change.run in places]
        return sorted(known, key=lambda change: places[change.run])[:most]

    def _look(self, *, again: bool = False) -> None:
        with self._lock:
            if not again and time.monotonic() - self._looked_s < _LOOK_S:
                return
            known = self._index.known()
            if known is not self._known:
                self._known = known
                runs = [*known.runs.values()]
                self._firmware = FirmwareRuns(self.store, runs, self._firmware.counts)
                self._keys = {run.id: key_of(run) for run in runs}
            keys = self.estimates.keys()
            self._ready = frozenset(
                number for number, key in self._keys.items() if keys.get(number) == key
            )
            self._judged = self.estimates.gate_count()
            reports = self.store.core_reports()
            if len(reports) != len(self._cores):
                self._cores = latest_reports(reports)
            self._looked_s = time.monotonic()


def _main() -> None:
    os.nice(10)  # the server that makes pages comes first
    path, share, shares = sys.argv[1:]
    estimates = KeptEstimates(Path(path))
    with open_for_reading(os.environ[_STORE_VARIABLE]) as store:
        fill(store, estimates, Index(store).known(), int(share), int(shares))
    estimates.close()


if __name__ == "__main__":
    _main()
