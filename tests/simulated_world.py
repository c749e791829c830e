# SPDX-License-Identifier: Apache-2.0
"""A simulated machine in virtual time, for tests that are exact, fast and repeatable.

Time passes only in `sleep_ns`, in `run_load`, and a little with every look at the clock, so that
polling costs time and a loop that waits for an update comes to an end. The meters read the
machine's real files through `World.roots`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters import Roots
from joulemark.meters.simulated import (
    AJ_PER_J,
    FaultKind,
    SimulatedDomain,
    SimulatedFault,
    nanowatts,
)
from joulemark.meters.simulated.machine import SimulatedMachine

_START_NS: Final = 1_000_000_000_000
"""First moment of the virtual clock; not 0, so that a moment is never mistaken for a duration."""


class World:
    """A machine, its load and its clock.

    Args:
        root: empty folder for the file tree: `root/sys` and `root/proc`.
        domains: the domains, parents before children.
        faults: the faults; `SimulatedFault.at_s` counts from `start_ns`.
        seed: seed of jitter and noise; the same seed gives the same counts.
        read_cost_ns: virtual time that one reading takes. A third of it passes at each look at the
            clock, since a reading looks twice and its caller once.
        reading_w: power of the load while the clock is being looked at: polling is work.

    Raises:
        UsageError: a domain or a fault makes no sense.
    """

    def __init__(
        self,
        root: Path,
        domains: Iterable[SimulatedDomain],
        *,
        faults: Iterable[SimulatedFault] = (),
        seed: int = 0,
        read_cost_ns: int = 1500,
        reading_w: float = 0.0,
    ) -> None:
        if read_cost_ns < 1:
            raise UsageError("read_cost_ns must be 1 or more: time must move when it is looked at")
        listed = list(faults)
        self.start_ns = _START_NS
        self.cpu_ns = 0
        """CPU time that loads and looking at the clock have used so far."""
        self._now_ns = _START_NS
        self._look_ns = max(1, read_cost_ns // 3)
        self._reading_nw = nanowatts(reading_w)
        self._starts_ns = [_START_NS]
        self._used_aj = [0]
        self._powers_nw = [0]
        self._late = sorted(
            (fault for fault in listed if fault.kind is FaultKind.LATE),
            key=lambda fault: fault.at_s,
        )
        self._machine = SimulatedMachine(
            root,
            domains,
            (fault for fault in listed if fault.kind is not FaultKind.LATE),
            seed=seed,
            start_ns=_START_NS,
            shared=False,
        )
        self._next_ns = self._machine.next_ns
        self.roots = Roots(sysfs=root / "sys", proc=root / "proc", now_ns=self.now_ns)

    def now_ns(self) -> int:
        """Looks at the clock, which takes a moment; the files are up to date when it returns."""
        self.cpu_ns += self._look_ns
        self._pass(self._look_ns, self._reading_nw)
        while self._late and self._now_ns >= self.start_ns + round(self._late[0].at_s * 1e9):
            self._pass(round(self._late.pop(0).duration_s * 1e9), 0)
        return self._now_ns

    def sleep_ns(self, duration_ns: int) -> None:
        """Lets time pass without load."""
        self._pass(duration_ns, 0)

    def run_load(self, duration_ns: int, watts: float, busy: float = 1.0) -> None:
        """Lets time pass under a load.

        Args:
            duration_ns: the time that passes.
            watts: power of the load while it runs, beside the static power.
            busy: share of the time in which the load runs; its mean power is `watts * busy`.
        """
        self.cpu_ns += round(duration_ns * busy)
        self._pass(duration_ns, nanowatts(watts * busy))

    def true_energy_j(self, domain: str, start_ns: int, end_ns: int) -> float:
        """Energy that a domain truly used between two past moments, whatever its counter shows."""
        if domain not in self._machine.domains:
            raise UsageError(f"there is no simulated domain '{domain}'")
        if not self.start_ns <= start_ns <= end_ns <= self._now_ns:
            raise UsageError("true_energy_j needs two moments of the past, the earlier one first")
        counter = self._machine.counters[self._machine.domains[domain].mirror_of or domain]
        first_aj, last_aj = (
            counter.true_aj(moment_ns, self._load_at(moment_ns)) for moment_ns in (start_ns, end_ns)
        )
        return (last_aj - first_aj) / AJ_PER_J

    def _pass(self, duration_ns: int, power_nw: int) -> None:
        if duration_ns < 0:
            raise UsageError("time does not go back: the duration must be 0 or more")
        if power_nw != self._powers_nw[-1] and duration_ns:
            self._used_aj.append(self._load_at(self._now_ns))
            self._starts_ns.append(self._now_ns)
            self._powers_nw.append(power_nw)
        self._now_ns += duration_ns
        if self._now_ns >= self._next_ns:
            self._machine.advance(self._now_ns, self._load_at)
            self._next_ns = self._machine.next_ns

    def _load_at(self, moment_ns: int) -> int:
        """Attojoules that the load had used at a moment: power is constant between changes."""
        place = -1
        if moment_ns < self._starts_ns[-1]:
            place = bisect_right(self._starts_ns, moment_ns) - 1
        return self._used_aj[place] + self._powers_nw[place] * (moment_ns - self._starts_ns[place])
