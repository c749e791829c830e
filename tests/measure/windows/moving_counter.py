# SPDX-License-Identifier: Apache-2.0
"""A counter that moves at given moments, read by a virtual clock."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from energy_windows import COUNTER
from joulemark.meters import Meter, Reading, Survey
from joulemark.records.energy_window import WindowKind
from joulemark.records.figures import Evidence

__all__ = ["MS", "Bench", "Counter"]

MS = 1_000_000


@dataclass
class Bench:
    """A counter that moves at given moments, a clock, and a load: all virtual."""

    moments_ns: list[int]
    kind: WindowKind = WindowKind.ACTIVE_IDLE
    messages: int = 0
    time_ns: int = 0
    reads: int = 0
    asleep: list[int] = field(default_factory=list)

    def now_ns(self) -> int:
        """The virtual time; each look takes half a microsecond."""
        self.time_ns += 500
        return self.time_ns

    def sleep_ns(self, duration_ns: int) -> None:
        """Lets virtual time pass."""
        self.time_ns += duration_ns

    def run(self, duration_ns: int) -> None:
        """Lets virtual time pass under the load."""
        self.asleep.append(duration_ns)
        self.time_ns += duration_ns


class Counter(Meter):
    """Counts how many of its moments have passed."""

    name = title = "counter"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def survey(self) -> Survey:
        """The counter, which is always there."""
        return Survey((COUNTER,))

    def read(self, domain: str) -> Reading:
        """The count at this moment."""
        before = self._bench.now_ns()
        self._bench.reads += 1
        counts = bisect.bisect_right(self._bench.moments_ns, before)
        return Reading(before, self._bench.now_ns(), 1000 * counts)

    def evidence(self) -> Evidence:
        """The counter is a test double."""
        return Evidence.SIMULATED
