# SPDX-License-Identifier: Apache-2.0
"""RAPL energy counters through perf events: the units `power` and `power_core`.

The kernel adds the hardware's 32 bits up into 64 (arch/x86/events/rapl.c, rapl_event_update). It
takes differences as signed, so a count is right only if the kernel looks at least once in every
2^31 hardware units; its timer does so at up to 200 W (rapl_check_hw_unit). For more power the
reader must look: every 60 s, `LONGEST_GAP_S`, is enough up to 546 W on the parts with the smallest
range. `wraps_at_counts` is 2^64, which is true and never reached; it keeps that longest gap, and
makes a count that falls an impossible power instead of a small energy.

Powercap is preferred although it reads the same counters; it says why. This meter is for machines
where the right to perf events is easier to get than the right to powercap's files.
"""

from __future__ import annotations

import errno
from collections.abc import Container, Sequence
from typing import Final

from joulemark.errors import UsageError
from joulemark.meters import rapl, rapl_access
from joulemark.meters.contract import Meter, MeterError, Reading, Refusal, Roots, Survey
from joulemark.meters.perf_event import Counter, Opener, open_counter
from joulemark.meters.perf_rapl import UNITS, Event, dies_apart, find_events
from joulemark.meters.rapl_limits import power_limits
from joulemark.meters.sysfs import text_or_none
from joulemark.records.domain import Domain, DomainKind, Fault, Quantity
from joulemark.records.evidence import Evidence

__all__ = ["NAME", "PREFERENCE", "TITLE", "PerfPower", "make"]

NAME: Final = "perf-power"
TITLE: Final = "RAPL through perf events"
PREFERENCE: Final = 40

_COUNT_VALUES: Final = 1 << 64
_FORBIDDEN: Final = {errno.EACCES, errno.EPERM}
_NOTHING_BEHIND: Final = "a simulated file tree has no perf events behind it"
_ABSENT: Final = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EBADF}


class PerfPower(Meter):
    """The kernel's RAPL events; each is opened at its first reading and counts from there.

    Args:
        roots: the file trees that describe the events.
        opener: what opens an event; only a test or a simulated machine gives another one.
    """

    name = NAME
    title = TITLE

    def __init__(self, roots: Roots, opener: Opener = open_counter) -> None:
        self._roots = roots
        self._opener = opener
        self._events: dict[str, Event] | None = None
        self._open: dict[str, Counter] = {}

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
                trouble = self._trouble(event.id, error)
                denied = trouble.fault is Fault.PERMISSION
                remedy = rapl_access.perf_remedy(self._roots)[1] if denied else None
                forbidden = forbidden or denied
                refused.append(Refusal(event.id, str(trouble), remedy))
            else:
                usable.append(event)
        powercap = self._roots.sysfs / "class/powercap"
        facts = {
            "units": [unit for unit in UNITS if any(event.unit == unit for event in events)],
            "kernel": text_or_none(self._roots.proc / "sys/kernel/osrelease"),
            "perf_event_paranoid": text_or_none(
                self._roots.proc / "sys/kernel/perf_event_paranoid"
            ),
            "power_limits": power_limits(powercap),
            **rapl_access.trust_facts(self._roots),
        }
        if usable:
            steps_j = rapl.zone_steps_j(powercap)
            trust = rapl_access.trust_note(facts)
            apart = dies_apart(events)
            domains = tuple(_domain(event, usable, steps_j, apart, trust) for event in usable)
            return Survey(domains=domains, refused=tuple(refused), facts=facts)
        reason, remedy = self._why_none(refused, forbidden=forbidden)
        return Survey(refused=tuple(refused), reason=reason, remedy=remedy, facts=facts)

    def read(self, domain: str) -> Reading:
        """Reads one event; the first reading opens it."""
        try:
            counter = self._open.get(domain) or self._opened(domain)
            before_ns = self._roots.now_ns()
            counts = counter.count()
            return Reading(before_ns, self._roots.now_ns(), counts)
        except OSError as error:
            raise self._trouble(domain, error) from None

    def evidence(self) -> Evidence:
        """By the mark of the tree; modelled in a virtual machine."""
        return rapl_access.evidence(self._roots)

    def close(self) -> None:
        """Closes every event."""
        while self._open:
            self._open.popitem()[1].close()

    def _foreign(self) -> bool:
        """Whether the tree describes another machine than the kernel that would be asked."""
        return self._opener is open_counter and self.evidence() is Evidence.SIMULATED

    def _opened(self, domain: str) -> Counter:
        if self._foreign():
            raise MeterError(Fault.VANISHED, f"{domain} cannot be read: {_NOTHING_BEHIND}")
        if self._events is None:
            self._events = {event.id: event for event in find_events(self._roots)[0]}
        event = self._events.get(domain)
        if event is None:
            raise MeterError(Fault.VANISHED, f"there is no event '{domain}' (joulemark doctor)")
        counter = self._opener(event.unit_type, event.config, event.cpu)
        self._open[domain] = counter
        return counter

    def _trouble(self, domain: str, error: OSError) -> MeterError:
        if error.errno in _FORBIDDEN:
            reason = rapl_access.perf_remedy(self._roots)[0]
            return MeterError(Fault.PERMISSION, f"{domain} may not be opened: {reason}")
        why = error.strerror or type(error).__name__
        fault = Fault.VANISHED if error.errno in _ABSENT else Fault.UNREADABLE
        return MeterError(fault, f"{domain} cannot be read as a perf event ({why})")

    def _why_none(self, refused: Sequence[Refusal], *, forbidden: bool) -> tuple[str, str | None]:
        if forbidden:
            return rapl_access.perf_remedy(self._roots)
        if not refused:
            return rapl_access.no_rapl(self._roots, "rapl")
        return f"no event can be used; {refused[0].what}: {refused[0].reason}", None


def make(roots: Roots, argument: str | None) -> Meter:
    """The meter; it takes no argument."""
    if argument is not None:
        raise UsageError(f"the meter {NAME} takes no argument, so write '{NAME}' alone")
    return PerfPower(roots)


def _domain(
    event: Event,
    events: Sequence[Event],
    steps_j: dict[DomainKind, float],
    apart: Container[int | None],
    trust: str | None,
) -> Domain:
    """One event as a domain.

    Args:
        event: it.
        events: all that are usable.
        steps_j: coarsest step of each kind, where known.
        apart: packages whose dies are metered apart.
        trust: what is known of every figure.
    """
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
        note=rapl.joined(note, trust),
    )


def _parent(event: Event, events: Sequence[Event]) -> str | None:
    """The smallest usable domain that contains this one.

    Events of one unit share their CPUs, so a package's cores are those of the same CPU. An event
    of one core belongs to the package that its CPU lies in, and to the die where dies count apart.
    """
    if event.kind not in {DomainKind.PSYS, DomainKind.PACKAGE, DomainKind.DRAM}:
        packages = [
            other
            for other in events
            if other.kind is DomainKind.PACKAGE and other.package == event.package
        ]
        if packages:

            def distance(other: Event) -> tuple[bool, bool]:
                return (other.cpu != event.cpu, other.die != event.die)

            return min(packages, key=distance).id
    first = min((other.cpu for other in events if other.kind is DomainKind.PSYS), default=None)
    if event.kind is DomainKind.PSYS and event.cpu == first:
        return None
    platforms = [
        rapl.Platform(other.id, None if other.cpu == first else other.package)
        for other in events
        if other.kind is DomainKind.PSYS and other.id != event.id
    ]
    return rapl.container(platforms, None if event.kind is DomainKind.PSYS else event.package)
