# SPDX-License-Identifier: Apache-2.0
"""The meter that the user named, or the best that is usable here, and its power as it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.judging.domains import headline, usable, why_without_cpu
from joulemark.judging.void import Void, VoidReason, advance, external_power
from joulemark.meters import Meter, MeterError, Roots, Survey
from joulemark.meters.instruments import Instrument, instruments, make_meter
from joulemark.meters.rapl_access import in_virtual_machine
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity, TracePoint
from joulemark.units import format_si

MOST_DOMAINS = 8
"""Most domains that are read in a window: each more costs a read at both edges. A meter with one
domain for each core keeps the domains that matter to the measured CPU."""

Place = tuple[int | None, int | None]
"""Numbers of the physical package and the die of a CPU; None where the kernel does not tell."""
ANYWHERE: Final[Place] = (None, None)
"""The place of a CPU about which nothing is known."""


@dataclass(frozen=True, slots=True)
class ChosenMeter:
    """A meter that can be read, and the domains of it that will be read."""

    name: str
    """Name of the meter with its argument."""
    meter: Meter
    survey: Survey
    domains: tuple[Domain, ...]
    headline: Domain
    """Domain of the measured CPU, as far as it is known before mirrors are; else any domain."""
    place: Place
    choice: str
    """A sentence that names the meter, and says why no meter is taken that is preferred to it; or
    that the user named it, and what it lacks."""


def choose_meter(
    name: str | None, roots: Roots, place: Place, *, shown: str | None = None
) -> ChosenMeter:
    """Chooses the meter.

    A meter that the user did not name contains the measured CPU: the joules of a graphics board or
    of a rail would else be taken for those of the measured code.

    Args:
        name: as the user gave it; None takes the most preferred usable meter.
        roots: folders of the kernel's trees.
        place: physical package and die of the measured CPU.
        shown: the user's name for a meter that was started or spooled, and so has another now.
    """
    if name is not None:
        meter = make_meter(name, roots)
        survey = meter.survey()
        if survey.reason is not None:
            remedy = f"; try: {survey.remedy}" if survey.remedy else ""
            raise UnavailableError(f"the meter {name} cannot be used here: {survey.reason}{remedy}")
        lacking = why_without_cpu(survey.domains, *place)
        named = f"{_shown(shown or name, meter)}, as named{f'; it {lacking}' if lacking else ''}."
        return _chosen(name, meter, survey, place, named)
    passed: dict[str, str] = {}
    for instrument, meter, survey in _surveyed(roots):
        reason = _why_not(survey, place)
        if reason is None:
            choice = f"{_shown(instrument.NAME, meter)}; {_why_none_better(passed)}."
            return _chosen(instrument.NAME, meter, survey, place, choice)
        meter.close()
        passed[instrument.NAME] = reason
    raise UnavailableError(no_meter_sentence(roots, place))


def no_meter_sentence(roots: Roots, place: Place = ANYWHERE) -> str:
    """A short sentence that nothing here reads joules; `joulemark doctor` has the reasons."""
    where = "in this virtual machine" if in_virtual_machine(roots) else "on this machine"
    surveys = {}
    for instrument, meter, survey in _surveyed(roots):
        meter.close()
        surveys[instrument.NAME] = survey
    others = {
        name: why_without_cpu(survey.domains, *place)
        for name, survey in surveys.items()
        if survey.reason is None
    }
    noun = "energy meter of the CPU" if others else "energy meter"
    said = [f"no {noun} {where} (joulemark doctor has the list)"]
    # A battery that is charged is not forbidden: it is no meter of the machine now.
    charged = surveys.pop("battery").remedy
    if any(refusal.remedy for survey in surveys.values() for refusal in survey.refused):
        said = [f"no {noun} {where} may be read by this user (joulemark doctor has the remedy)"]
    elif charged:
        said.append(f"to meter the battery, {charged}")
    said += [
        f"{name} {lacking}; it is taken only if it is named" for name, lacking in others.items()
    ]
    return "; ".join(said)


def _surveyed(roots: Roots) -> Iterator[tuple[Instrument, Meter, Survey]]:
    """The meters that need not be named, the most preferred first; the caller closes them."""
    for instrument in instruments():
        if instrument.PREFERENCE is not None:
            meter = instrument.make(roots, None)
            yield instrument, meter, meter.survey()


def _why_not(survey: Survey, place: Place) -> str | None:
    """Why a meter is not taken unless it is named; None if it is taken."""
    if survey.reason is not None:
        # The rest of a reason explains it, which is left to `joulemark doctor`.
        return re.split("[:;] ", survey.reason, maxsplit=1)[0]
    lacking = why_without_cpu(survey.domains, *place)
    return lacking and f"it {lacking}"


def _shown(name: str, meter: Meter) -> str:
    return f"Meter: {name} ({meter.title})"


def _why_none_better(passed: Mapping[str, str]) -> str:
    """Why each preferred meter was passed over; meters of one reason are named together."""
    if not passed:
        return "no other is preferred to it"
    names: dict[str, list[str]] = {}
    for name, reason in passed.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"not {' or '.join(same)}: {reason}" for reason, same in names.items())


def _chosen(name: str, meter: Meter, survey: Survey, place: Place, choice: str) -> ChosenMeter:
    found = usable(survey.domains)
    first = headline(found, *place) or found[0]
    return ChosenMeter(name, meter, survey, _few(found, first), first, place, choice)


def _few(domains: tuple[Domain, ...], first: Domain) -> tuple[Domain, ...]:
    """Up to `MOST_DOMAINS` domains: the headline and its kin before all others."""
    if len(domains) <= MOST_DOMAINS:
        return domains
    kin = {first.id, first.parent}

    def rank(domain: Domain) -> int:
        near = domain.id in kin or domain.parent == first.id
        same_package = domain.package == first.package
        return 0 if domain.id == first.id else 1 if near else 2 if same_package else 3

    kept = sorted(domains, key=rank)[:MOST_DOMAINS]
    names = {domain.id for domain in kept}
    return tuple(domain for domain in domains if domain.id in names)


# Power from moment to moment, which `joulemark meter` shows for each domain.
#
# A counter gives the mean power between two refreshes. Where it did not move between them, the next
# figure is the mean since it last moved, so a slow counter gives fewer figures and no wrong ones. A
# gauge gives the mean of its samples, and as energy that mean times the time. An unknown number has
# a reason in its place; after such a stretch the energy since the start is not known.

_FINAL: Final = {Fault.PERMISSION, Fault.VANISHED}
"""Faults after which a domain is not read again."""
_MOST_FAILURES: Final = 3
"""Reads in a row without a number, after which a domain is not read again."""
_PERIODS: Final = 2
"""Fewest update periods in a refresh: with fewer the figure would be mostly lateness."""
_GAUGE_SAMPLES: Final = 5
"""Samples of a gauge in a refresh: none of a sensor with a period of half that is missed."""
_SHORTEST_PAUSE_S: Final = 0.01
"""Only a false range asks for more reads, and the reads themselves would cost power."""
_FIRST: Final = "its first update is awaited"


@dataclass(frozen=True, slots=True)
class LiveFigure:
    """The figures of one domain in a refresh."""

    domain: Domain
    power_w: float | None
    energy_j: float | None
    """Energy since the start; None if a part of it is not known."""
    wraps: int
    reason: str | None
    """Why a number is missing; None if both are there."""

    def as_dict(self) -> dict[str, str | float | None]:
        """The figures for JSON."""
        return {
            "domain": self.domain.id,
            "name": self.domain.name,
            "kind": str(self.domain.kind),
            "quantity": str(self.domain.quantity),
            "power_w": self.power_w,
            "energy_j": self.energy_j,
            "wraps": self.wraps,
            "reason": self.reason,
        }


class LiveDomain:
    """One domain, read again and again."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.gone = False
        """Whether the domain is not read any more."""
        self._points: list[TracePoint] = []
        self._fault: str | None = None
        self._failures = 0
        self._begun = False
        self._still_at_start = False
        self._energy_j = 0.0
        self._lost: str | None = None
        self._wraps = 0

    def read(self, meter: Meter) -> None:
        """Reads the domain once; the next refresh reports trouble."""
        if self.gone:
            return
        try:
            reading = meter.read(self.domain.id)
        except MeterError as error:
            self._failures += 1
            self.gone = error.fault in _FINAL or self._failures == _MOST_FAILURES
            self._trouble(str(error))
            return
        self._failures = 0
        state = reading.state
        battery = self.domain.kind is DomainKind.BATTERY
        on_mains = external_power(self.domain.name, [state or "nothing"]) if battery else None
        if on_mains is not None:
            self._trouble(on_mains.text)
            return
        point = TracePoint(reading.before_ns, reading.after_ns, reading.counts, state)
        if self.domain.quantity is Quantity.ENERGY and self._is_superfluous(point):
            self._points[-1] = point
        else:
            self._points.append(point)

    def refresh(self) -> LiveFigure:
        """The figures since the last refresh."""
        fault, self._fault = self._fault, self._fault if self.gone else None
        if fault is not None:
            # The readings since the fault begin a new stretch, which the next refresh reports.
            return self._without(fault)
        if self.domain.quantity is Quantity.POWER:
            return self._gauge()
        return self._counter()

    def _trouble(self, text: str) -> None:
        self._fault = text
        self._restart(text, [])

    def _restart(self, why: str, points: list[TracePoint]) -> None:
        """Begins a new stretch, since no figure may span the moment of trouble."""
        self._lost = why
        self._points = points
        self._begun = self._still_at_start = False

    def _is_superfluous(self, point: TracePoint) -> bool:
        """Whether the last point says no more than this one; keeping it would only fill memory."""
        if len(self._points) < 2 or not (
            self._points[-2].counts == self._points[-1].counts == point.counts
        ):
            return False
        gap_s = (point.not_after_ns - self._points[-2].not_before_ns) / 1e9
        return gap_s <= self.domain.longest_gap_s

    def _counter(self) -> LiveFigure:
        if len(self._points) < 2:
            return self._without(_FIRST)
        moved = advance(self.domain, self._points)
        if isinstance(moved, Void):
            if moved.reason is VoidReason.STUCK:
                self._still_at_start |= not self._begun
                return self._without("it has not moved since the last figure")
            self._restart(moved.text, self._points[-1:])
            return self._without(moved.text)
        last = len(self._points) - 1
        while self._points[last - 1].counts == self._points[last].counts:
            last -= 1
        first, end = self._points[0], self._points[last]
        self._points = self._points[last:]
        begun, self._begun = self._begun, True
        if self._still_at_start and not begun:
            # Part of a slow counter's first step was used before the first reading.
            return self._without(_FIRST)
        energy_j = moved.counts * self.domain.per_count
        self._wraps += moved.wraps
        return self._with(energy_j, end.middle_s - first.middle_s)

    def _gauge(self) -> LiveFigure:
        if len(self._points) < 2:
            return self._without(_FIRST)
        points = self._points
        # The first sample belongs to the time before: it only tells when the time begins.
        values = [point.counts * self.domain.per_count for point in points[1:]]
        self._points = points[-1:]
        mean_w = sum(values) / len(values)
        if not any(values):
            text = f"{self.domain.name} said 0 W in each of {len(values)} samples"
        elif mean_w > self.domain.ceiling_w:
            ceiling = format_si(self.domain.ceiling_w, "W")
            text = f"{self.domain.name} said {format_si(mean_w, 'W')}, more than its {ceiling}"
        else:
            duration_s = points[-1].middle_s - points[0].middle_s
            return self._with(mean_w * duration_s, duration_s)
        self._restart(text, self._points)
        return self._without(text)

    def _with(self, energy_j: float, duration_s: float) -> LiveFigure:
        self._energy_j += energy_j
        lost = self._lost
        return LiveFigure(
            self.domain,
            energy_j / duration_s,
            self._energy_j if lost is None else None,
            self._wraps,
            None if lost is None else f"part of the energy is not known: {lost}",
        )

    def _without(self, reason: str) -> LiveFigure:
        known = self._lost is None and self._energy_j > 0
        return LiveFigure(self.domain, None, self._energy_j if known else None, self._wraps, reason)


def interval_of(domains: Sequence[Domain], wanted_s: float) -> float:
    """Time between refreshes: the wanted time, or twice the longest stated period if longer."""
    return max([wanted_s, *(_PERIODS * (domain.update_period_s or 0.0) for domain in domains)])


def stream(
    meter: Meter,
    lines: Sequence[LiveDomain],
    interval_s: float,
    duration_s: float,
    *,
    now_ns: Callable[[], int],
    pause_s: Callable[[float], None],
) -> Iterator[tuple[float, list[LiveFigure]]]:
    """Seconds since the start and the figures, at every refresh until the time is up."""
    gaps_s = [line.domain.longest_gap_s / 2 for line in lines]
    if any(line.domain.quantity is Quantity.POWER for line in lines):
        gaps_s.append(interval_s / _GAUGE_SAMPLES)
    longest_pause_s = max(_SHORTEST_PAUSE_S, min(interval_s, *gaps_s))
    start_ns = last_ns = now_ns()
    elapsed_s = 0.0
    for line in lines:
        line.read(meter)
    while elapsed_s < duration_s:
        due_ns = min(last_ns + interval_s * 1e9, start_ns + duration_s * 1e9)
        while (left_s := (due_ns - now_ns()) / 1e9) > 0:
            pause_s(min(left_s, longest_pause_s))
            for line in lines:
                line.read(meter)
        # After a long sleep of the machine the refreshes that it missed are not made up for.
        at_ns = now_ns()
        last_ns = round(due_ns) if at_ns < due_ns + interval_s * 1e9 else at_ns
        elapsed_s = (at_ns - start_ns) / 1e9
        figures = [line.refresh() for line in lines]
        yield elapsed_s, figures
        if all(line.gone for line in lines):
            raise UnavailableError(f"nothing of the meter is left to read: {figures[0].reason}")
