# SPDX-License-Identifier: Apache-2.0
"""RAPL energy counters through perf events: the units `power` and `power_core`.

The kernel adds the hardware's 32 bits up into 64 (arch/x86/events/rapl.c, rapl_event_update). It
takes differences as signed, so a count is right only if the kernel reads the register at least once
in every 2^31 hardware units; its timer does so at up to 200 W (rapl_check_hw_unit). At more power
we must read often enough: every 60 s, `LONGEST_GAP_S`, suffices up to 546 W on the parts with the
smallest range. `wraps_at_counts` is 2^64, a count that is never reached. Because it is stated, that
longest gap holds, and a count that falls appears as an impossible power, not as a small energy.

The meter `powercap` reads the same counters and is preferred, for reasons that its file gives. This
meter is for machines where the right to perf events is easier to get than the right to powercap's
files.
"""

from __future__ import annotations

import errno
from collections.abc import Container, Sequence
from typing import Final

from joulemark.meters import (
    Meter,
    MeterError,
    MeterRefusal,
    Reading,
    Roots,
    Survey,
    rapl,
    rapl_access,
    text_or_none,
)
from joulemark.meters.perf_event import (
    UNITS,
    CpuCounter,
    Event,
    Opener,
    dies_apart,
    find_events,
    open_counter,
)
from joulemark.meters.rapl import power_limits
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity
from joulemark.records.figures import Evidence

NAME: Final = "perf-power"
TITLE: Final = "RAPL through perf events"
PREFERENCE: Final = 40

_COUNT_VALUES: Final = 1 << 64
_FORBIDDEN: Final = {errno.EACCES, errno.EPERM}
_NOTHING_BEHIND: Final = "a simulated file tree has no perf events behind it"
_ABSENT: Final = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EBADF}


class PerfPower(Meter):
    """The kernel's RAPL events; each is opened at its first reading and counts from there."""

    title = TITLE

    def __init__(self, roots: Roots, opener: Opener = open_counter) -> None:
        self._roots = roots
        self._opener = opener
        self._events: dict[str, Event] | None = None
        self._open: dict[str, CpuCounter] = {}

    def survey(self) -> Survey:
        """Opens every event once, and closes it again."""
        if self._foreign():
            return Survey(reason=_NOTHING_BEHIND)
        events, refused = find_events(self._roots)
        usable: list[Event] = []
        forbidden = False
        for event in events:
            try:
                self._opener(event.unit_type, event.config, event.cpu).close()
            except OSError as error:
                remedy = None
                if error.errno in _FORBIDDEN:
                    forbidden = True
                    _, remedy = rapl_access.perf_remedy(self._roots)
                refused.append(MeterRefusal(event.id, str(self._trouble(event.id, error)), remedy))
            else:
                usable.append(event)
        powercap = self._roots.sysfs / "class/powercap"
        trust_facts = rapl_access.trust_facts(self._roots)
        facts = {
            "units": [unit for unit in UNITS if any(event.unit == unit for event in events)],
            "kernel": text_or_none(self._roots.proc / "sys/kernel/osrelease"),
            "perf_event_paranoid": text_or_none(
                self._roots.proc / "sys/kernel/perf_event_paranoid"
            ),
            "power_limits": power_limits(powercap),
            **trust_facts,
        }
        if usable:
            steps_j = rapl.zone_steps_j(powercap)
            trust = rapl_access.trust_note(trust_facts)
            apart = dies_apart(events)
            domains = tuple(_domain(event, usable, steps_j, apart, trust) for event in usable)
            return Survey(domains=domains, refused=tuple(refused), facts=facts)
        if forbidden:
            reason, remedy = rapl_access.perf_remedy(self._roots)
        elif refused:
            reason, remedy = f"no event can be used; {refused[0].what}: {refused[0].reason}", None
        else:
            reason, remedy = rapl_access.no_rapl(self._roots, "rapl")
        return Survey(refused=tuple(refused), reason=reason, remedy=remedy, facts=facts)

    def read(self, domain: str) -> Reading:
        """Reads one event; the first reading opens it."""
        try:
            counter = self._open.get(domain) or self._open_event(domain)
            before_ns = self._roots.now_ns()
            counts = counter.count()
            return Reading(before_ns, self._roots.now_ns(), counts)
        except OSError as error:
            raise self._trouble(domain, error) from None

    def evidence(self) -> Evidence:
        """SIMULATED where the tree has the mark of a test double; MODELLED in a virtual machine."""
        return rapl_access.evidence(self._roots)

    def close(self) -> None:
        """Closes every event."""
        while self._open:
            self._open.popitem()[1].close()

    def _foreign(self) -> bool:
        """Whether the tree is a simulated machine's, while the events are this machine's."""
        return self._opener is open_counter and self.evidence() is Evidence.SIMULATED

    def _open_event(self, domain: str) -> CpuCounter:
        if self._foreign():
            raise MeterError(Fault.VANISHED, f"{domain} cannot be read: {_NOTHING_BEHIND}")
        if self._events is None:
            self._events = {event.id: event for event in find_events(self._roots)[0]}
        event = self._events.get(domain)
        if event is None:
            raise MeterError(Fault.VANISHED, f"there is no event '{domain}' (joulemark doctor)")
        counter = self._open[domain] = self._opener(event.unit_type, event.config, event.cpu)
        return counter

    def _trouble(self, domain: str, error: OSError) -> MeterError:
        if error.errno in _FORBIDDEN:
            reason = rapl_access.perf_remedy(self._roots)[0]
            return MeterError(Fault.PERMISSION, f"{domain} may not be opened: {reason}")
        why = error.strerror or type(error).__name__
        fault = Fault.VANISHED if error.errno in _ABSENT else Fault.UNREADABLE
        return MeterError(fault, f"{domain} cannot be read as a perf event ({why})")


def make(roots: Roots, argument: str | None) -> PerfPower:
    """The meter; it takes no argument."""
    PerfPower.refuse_argument(NAME, argument)
    return PerfPower(roots)


def _domain(
    event: Event,
    events: Sequence[Event],
    steps_j: dict[DomainKind, float],
    apart: Container[int | None],
    trust: str | None,
) -> Domain:
    """One event as a domain."""
    of_die = event.package in apart and event.kind is not DomainKind.PSYS
    note = rapl.NOTES.get(event.kind)
    if event.kind is DomainKind.RAIL:
        note = f"an event of the unknown name '{event.name}'; what it includes is not known"
    step_j = steps_j.get(event.kind, rapl.supposed_step_j(event.kind))
    return Domain(
        id=event.id,
        name=event.name,
        kind=event.kind,
        quantity=Quantity.ENERGY,
        per_count=event.joules_per_count,
        resolution=max(event.joules_per_count, step_j),
        parent=_parent(event, events),
        wraps_at_counts=_COUNT_VALUES,
        package=event.package,
        die=event.die if of_die else None,
        note=rapl.join_notes(note, trust),
    )


def _parent(event: Event, events: Sequence[Event]) -> str | None:
    """Id of the smallest usable domain that contains this event's.

    Events of one unit share their CPUs, so the event of a package's cores is on the CPU of the
    package's event. An event of one core belongs to the package that its CPU lies in, and to the
    die where dies count apart.
    """
    if event.kind not in {DomainKind.PSYS, DomainKind.PACKAGE, DomainKind.DRAM}:

        def distance(other: Event) -> tuple[bool, bool]:
            return (other.cpu != event.cpu, other.die != event.die)

        same_package = (other for other in events if other.package == event.package)
        packages = [other for other in same_package if other.kind is DomainKind.PACKAGE]
        if packages:
            return min(packages, key=distance).id
    first = min((other.cpu for other in events if other.kind is DomainKind.PSYS), default=None)
    if event.kind is DomainKind.PSYS and event.cpu == first:
        return None
    platforms = {
        other.id: None if other.cpu == first else other.package
        for other in events
        if other.kind is DomainKind.PSYS and other.id != event.id
    }
    return rapl.container(platforms, None if event.kind is DomainKind.PSYS else event.package)
