# SPDX-License-Identifier: Apache-2.0
"""Power from moment to moment, which `joulemark meter` shows for each domain.

A counter gives the mean power between two refreshes. Where it did not move between them, the next
figure is the mean since it last moved, so a slow counter gives fewer figures and no wrong ones. A
gauge gives the mean of its samples, and as energy that mean times the time. An unknown number has a
reason in its place; after such a stretch the energy since the start is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from joulemark.errors import UnavailableError
from joulemark.judging.void import Void, VoidReason, advance, external_power
from joulemark.meters.contract import Meter, MeterError
from joulemark.records.energy_window import Domain, DomainKind, Fault, Quantity, TracePoint
from joulemark.units import format_si

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

    def as_dict(self) -> dict[str, Any]:
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
    """One domain, read again and again.

    Args:
        domain: the domain that is read.
    """

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
    """Seconds since the start and the figures, at every refresh until the time is up.

    Args:
        meter: the meter that is read.
        lines: its domains, none of them read yet.
        interval_s: time between refreshes.
        duration_s: time until the end; infinite for no end.
        now_ns: CLOCK_MONOTONIC, the clock of the meter.
        pause_s: lets time pass.
    """
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
