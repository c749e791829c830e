# SPDX-License-Identifier: Apache-2.0
"""What the views read: the runs of a store, and the estimates that are kept of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.cores import latest_reports
from joulemark.analyse.results import CoreReport
from joulemark.errors import StoreError
from joulemark.explorer.estimates.filling import estimate_run
from joulemark.explorer.estimates.firmware_runs import FirmwareRuns
from joulemark.explorer.estimates.kept import KeptEstimates
from joulemark.explorer.estimates.keys import key_of
from joulemark.explorer.known.index import Index, KnownRuns
from joulemark.store.outline import OutlineStore, RunOutline

__all__ = ["Holdings", "Moment"]

_LOOK_S: Final = 1.0
_MOST_AT_ONCE: Final = 4
"""Runs that are estimated while a page waits; a run of 500 samples takes about 50 ms."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What there was when a page was made; another moment may give another page."""

    runs: int
    """Generation of the index."""
    estimated: int
    judged: int
    cores: int


class Holdings:
    """The open store with its estimates. Threads: may be shared.

    Args:
        store: opened for reading.
        kept: the file of estimates, which may lack some: `ensure` sees to a few.
    """

    def __init__(self, store: OutlineStore, kept: KeptEstimates) -> None:
        self.store = store
        self.kept = kept
        self._index = Index(store)
        self._lock = threading.Lock()
        self._estimating = threading.Lock()
        self._looked_s = float("-inf")
        self._known = KnownRuns()
        self._wanted: dict[int, str] = {}
        self._ready: frozenset[int] = frozenset()
        self._judged = 0
        self._cores: list[CoreReport] = []
        self._firmware = FirmwareRuns(store, ())

    def known(self) -> KnownRuns:
        """The runs; looked at again now and then.

        Raises:
            StoreError: the store cannot be read.
        """
        self._look()
        return self._known

    def moment(self) -> Moment:
        """A value that changes when any page may have changed."""
        self._look()
        return Moment(self._known.generation, len(self._ready), self._judged, len(self._cores))

    def ready(self) -> frozenset[int]:
        """Runs whose estimates are kept."""
        self._look()
        return self._ready

    def pending(self) -> int:
        """Runs that are still to be estimated."""
        return len(self.known().runs) - len(self.ready())

    def cores(self) -> list[CoreReport]:
        """The newest report of each core, parameters, target and settings."""
        self._look()
        return self._cores

    def firmware(self) -> FirmwareRuns:
        """The runs that counted firmware."""
        self._look()
        return self._firmware

    def ensure(self, numbers: Iterable[int]) -> list[int]:
        """Those of these runs whose estimates can be shown; a few are estimated at once.

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
                            estimate_run(self.store, self.kept, known.runs[number])
            self._look(again=True)
        return [run for run in wanted if run in self._ready]

    def run(self, number: int) -> RunOutline | None:
        """One run; None where there is none of that number."""
        return self.known().runs.get(number)

    def newest_of_each_machine(self, algorithm: str, machines: Sequence[str] = ()) -> list[int]:
        """The newest run with trials of an algorithm, of each machine that has one, newest first.

        Args:
            algorithm: its name.
            machines: slugs; empty: all.
        """
        known = self.known()
        found: dict[str, int] = {}
        for run in known.newest_first(algorithm=algorithm):
            machine = known.machine_of[run.id]
            if not machines or machine in machines:
                found.setdefault(machine, run.id)
        return list(found.values())

    def _look(self, *, again: bool = False) -> None:
        with self._lock:
            if not again and time.monotonic() - self._looked_s < _LOOK_S:
                return
            known = self._index.known()
            if known is not self._known:
                self._known = known
                self._firmware = FirmwareRuns(
                    self.store, [*known.runs.values()], self._firmware.read
                )
                self._wanted = {run.id: key_of(run) for run in known.runs.values()}
            keys = self.kept.keys()
            self._ready = frozenset(
                number for number, key in self._wanted.items() if keys.get(number) == key
            )
            self._judged = self.kept.gate_count()
            reports = self.store.core_reports()
            if len(reports) != len(self._cores):
                self._cores = latest_reports(reports)
            self._looked_s = time.monotonic()
