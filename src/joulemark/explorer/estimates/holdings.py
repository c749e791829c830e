# SPDX-License-Identifier: Apache-2.0
"""What the views read: the runs of a store and their kept estimates."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.results import CoreReport
from joulemark.analyse.simulated import latest_reports
from joulemark.errors import StoreError
from joulemark.explorer.estimates.filling import estimate_run
from joulemark.explorer.estimates.firmware_runs import FirmwareRuns
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.estimates.keys import key_of
from joulemark.explorer.known.index import Index, KnownRuns
from joulemark.store.outline import OutlineStore

__all__ = ["Holdings", "Moment"]

_LOOK_S: Final = 1.0
"""The store is looked at again after this time at the earliest."""
_MOST_AT_ONCE: Final = 4
"""Most runs that are estimated while a page waits; a run of 500 samples takes about 50 ms."""


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
    """

    def __init__(self, store: OutlineStore, estimates: KeptEstimates) -> None:
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
        self._cores: list[CoreReport] = []
        self._firmware = FirmwareRuns(store, ())

    def known(self) -> KnownRuns:
        """The runs of the store, at most about three seconds old.

        Raises:
            StoreError: the store cannot be read.
        """
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

    def cores(self) -> list[CoreReport]:
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
        if missing:
            known = self._known
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
