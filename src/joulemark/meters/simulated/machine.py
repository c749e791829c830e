# SPDX-License-Identifier: Apache-2.0
"""A simulated machine: domains with physics, faults on a timetable, and the files that show them.

The machine has no clock: the daemon drives it with real time, and tests with virtual time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from joulemark.errors import UsageError
from joulemark.meters.simulated import Counter, FaultKind, SimulatedDomain, SimulatedFault
from joulemark.meters.simulated.machine_files import (
    BatteryFiles,
    HwmonFiles,
    MachineTree,
    PowercapFiles,
    ShownCounts,
)

_NEVER_NS = 2**63
_CPUINFO = "processor\t: 0\nmodel name\t: simulated processor\nflags\t\t: fpu\n"
_KERNEL = "0.0.0-simulated"


class _Files(Protocol):
    def show(self) -> None: ...
    def forbid(self) -> None: ...
    def vanish(self) -> None: ...


class SimulatedMachine:
    """The physics and the files of all domains.

    Args:
        root: folder of the file tree.
        domains: the domains, parents before children.
        faults: the faults, in any order.
        seed: seed of jitter and noise.
        start_ns: moment 0 of the simulation, on the driver's clock.
        shared: whether another process or thread reads the files.

    Raises:
        UsageError: a domain appears twice, or a mirror or a fault names no domain.
    """

    def __init__(
        self,
        root: Path,
        domains: Iterable[SimulatedDomain],
        faults: Iterable[SimulatedFault],
        *,
        seed: int,
        start_ns: int,
        shared: bool,
    ) -> None:
        self._tree = MachineTree(root, shared=shared)
        self._tree.lay("proc/cpuinfo", _CPUINFO)
        self._tree.lay("proc/sys/kernel/osrelease", _KERNEL)
        self.domains = _by_id(domains)
        self.counters: dict[str, Counter] = {}
        """The counter of every domain that mirrors none, by the domain's id."""
        self._counts: dict[str, ShownCounts] = {}
        self._files: dict[str, _Files] = {}
        self._quiet: set[str] = set()
        """Ids of the domains whose files no longer change."""
        for domain in self.domains.values():
            if domain.mirror_of is None:
                self.counters[domain.id] = Counter(domain, start_ns, seed)
        for domain in self.domains.values():
            source = self.domains[domain.mirror_of or domain.id]
            counts = ShownCounts(domain, source, self.counters[source.id])
            self._counts[domain.id] = counts
            self._files[domain.id] = _files_of(self._tree, counts)
        self._faults = sorted(
            ((start_ns + round(fault.at_s * 1e9), fault) for fault in faults),
            key=lambda timed: timed[0],
        )
        for _, fault in self._faults:
            if fault.domain not in self.domains:
                raise UsageError(f"simulated fault '{fault.kind}': no domain '{fault.domain}'")
        self.advance(start_ns, lambda _: 0)

    @property
    def next_ns(self) -> int:
        """Moment of the next update or fault."""
        updates = min((counter.next_ns for counter in self.counters.values()), default=_NEVER_NS)
        return min(updates, self._faults[0][0]) if self._faults else updates

    def advance(self, now_ns: int, load_at: Callable[[int], int]) -> None:
        """Makes all updates and faults that are due by `now_ns`, each at its exact instant.

        Args:
            now_ns: not before the moment of the last call.
            load_at: attojoules that the load had used at any instant since the last call.
        """
        while self._faults and self._faults[0][0] <= now_ns:
            at_ns, fault = self._faults.pop(0)
            for counter in self.counters.values():
                counter.advance(at_ns, load_at)
            self._befall(fault)
        for counter in self.counters.values():
            if counter.next_ns <= now_ns:
                counter.advance(now_ns, load_at)
        self._show()

    def latch_now(self, now_ns: int, load_aj: int) -> None:
        """Makes all updates and faults that are due at `now_ns`, for a driver in real time."""
        for counter in self.counters.values():
            counter.latch_now(now_ns, load_aj)
        while self._faults and self._faults[0][0] <= now_ns:
            self._befall(self._faults.pop(0)[1])
        self._show()

    def _show(self) -> None:
        for name, files in self._files.items():
            if name not in self._quiet:
                files.show()

    def _befall(self, fault: SimulatedFault) -> None:
        files, counts = self._files[fault.domain], self._counts[fault.domain]
        if fault.domain in self._quiet:
            return
        if fault.kind is FaultKind.PERMISSION:
            files.show()
            self._quiet.add(fault.domain)
            files.forbid()
        elif fault.kind is FaultKind.VANISH:
            whole = fault.domain.split("/", maxsplit=1)[0]
            self._quiet.update(
                domain
                for domain in self.domains
                if domain == whole or domain.startswith((whole + ":", whole + "/"))
            )
            files.vanish()
        elif fault.kind is FaultKind.STUCK:
            counts.freeze()
        elif fault.kind is FaultKind.NEGATIVE_STEP:
            counts.step_down(fault.step_j)
        elif fault.kind is FaultKind.RESET:
            counts.reset()
        elif fault.kind is FaultKind.CHARGING and isinstance(files, BatteryFiles):
            files.charge()


def _files_of(tree: MachineTree, counts: ShownCounts) -> _Files:
    if counts.domain.is_battery:
        return BatteryFiles(tree, counts)
    if counts.domain.id.startswith("hwmon"):
        return HwmonFiles(tree, counts)
    return PowercapFiles(tree, counts)


def _by_id(domains: Iterable[SimulatedDomain]) -> dict[str, SimulatedDomain]:
    by_id: dict[str, SimulatedDomain] = {}
    for domain in domains:
        if domain.id in by_id:
            raise UsageError(f"simulated domain '{domain.id}' appears twice; give each its own id")
        by_id[domain.id] = domain
    for domain in by_id.values():
        target = domain.mirror_of
        if target is not None and (target not in by_id or by_id[target].mirror_of is not None):
            raise UsageError(
                f"simulated domain '{domain.id}': mirror_of must name a domain that mirrors none"
            )
    return by_id
