# SPDX-License-Identifier: Apache-2.0
"""How far a counter advanced over a window, or why that cannot be known.

A window whose energy is doubtful is void: it has no figure, and is taken again. The rules, in the
order in which they are asked:

- the meter could not be read (permission, vanished, stuck), or a battery was not discharging;
- the machine slept during the window;
- two reads were so far apart that the counter may have wrapped twice between them;
- the counter stepped back and its range is unknown, or taking the step for a wrap gives a power
  that the hardware cannot reach: it was reset;
- its power is above what the hardware can reach, or it did not move at all;
- a part of a window of steady work has another power than the whole: the counter was reset or
  stepped back unseen, or a power limit took hold in the middle;
- other programs used more CPU time than the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from joulemark.records.energy_window import (
    Domain,
    DomainTrace,
    EnergyWindow,
    Fault,
    MeterRecord,
    Quantity,
    TracePoint,
    WindowKind,
    unplugging,
)
from joulemark.units import format_percent, format_seconds

TICK_NS: Final = 10_000_000
"""The longest scheduler tick of Linux (HZ = 100), in which foreign CPU time is counted."""
FEWEST_TICKS: Final = 3
"""One tick can be ours, counted at an unlucky moment, another the kernel's; three cannot."""
FEWEST_GAUGE_SAMPLES: Final = 3
"""Samples of a gauge below which a window has no power."""
UNEVEN_PART: Final = 0.5
"""Part of a stretch's energy that it may lack or have over: steady work varies by far less."""
MOST_EQUAL_SAMPLES: Final = 8
"""Samples of a gauge that may be equal to the last digit before it counts as stuck."""
_IN_REAL_TIME: Final = "simulated"
"""Name of the meter whose machine is a process."""
_TOLD_TO_STICK: Final = "fault=stuck"
"""Option of a simulated machine whose counter stands still on purpose."""
_SUSPENDED_NS: Final = 1_000_000
"""The two clocks are read one after the other; a smaller difference is the time between."""


class VoidReason(StrEnum):
    """Why a window has no energy."""

    PERMISSION = Fault.PERMISSION.value
    VANISHED = Fault.VANISHED.value
    UNREADABLE = Fault.UNREADABLE.value
    STUCK = Fault.STUCK.value
    STARVED = "simulator short of CPU time"
    """Occurs only on a simulated machine, whose counters move only while its process runs."""
    EXTERNAL_POWER = Fault.EXTERNAL_POWER.value
    SUSPENDED = "suspended"
    AMBIGUOUS_WRAP = "ambiguous wrap"
    STEPPED_BACK = "stepped back"
    IMPLAUSIBLE = "implausible power"
    TOO_SHORT = "too short"
    UNEVEN = "uneven power"
    FOREIGN_CPU = "foreign CPU time"


LASTING: Final = frozenset(
    {
        VoidReason.PERMISSION,
        VoidReason.VANISHED,
        VoidReason.UNREADABLE,
        VoidReason.STUCK,
        VoidReason.EXTERNAL_POWER,
    }
)
"""Reasons that last: taking the window again at once does not help."""


@dataclass(frozen=True, slots=True)
class Void:
    """Why a window has no energy in one domain."""

    reason: VoidReason
    text: str
    foreign_share: float | None = None
    """CPU time of other programs over wall time; None if other programs are not the reason."""

    @property
    def sentence(self) -> str:
        """Reason and text, as stored."""
        return f"{self.reason.value}: {self.text}"


@dataclass(frozen=True, slots=True)
class Advance:
    """How far a counter advanced between its first and its last point."""

    counts: int
    """The advance in counts, at least 1."""
    wraps: int
    """How often the counter passed zero."""


def advance(domain: Domain, points: Sequence[TracePoint]) -> Advance | Void:
    """Counts from the first to the last point of a cumulative counter, wraps undone.

    Args:
        domain: range, sign and highest power of the counter.
        points: at least two, in order of time.
    """
    total = wraps = 0
    for first, second in pairwise(points):
        gap_s = (second.not_after_ns - first.not_before_ns) / 1e9
        if gap_s > domain.longest_gap_s:
            return Void(
                VoidReason.AMBIGUOUS_WRAP,
                f"{format_seconds(gap_s)} passed between two reads of {domain.name}, more than "
                f"half the {format_seconds(2 * domain.longest_gap_s)} in which it may wrap; "
                "something held the measurement up",
            )
        step = second.counts - first.counts
        if domain.falls:
            step = -step
        stepped_back = step < 0
        if stepped_back and domain.wraps_at_counts is None:
            return Void(
                VoidReason.STEPPED_BACK,
                f"{domain.name} went from {first.counts} to {second.counts} and its range is "
                "unknown, so this may be a wrap or a reset",
            )
        if stepped_back:
            assert domain.wraps_at_counts is not None
            step += domain.wraps_at_counts
            wraps += 1
        power_w = (step * domain.per_count - 2 * domain.resolution) / max(gap_s, 1e-6)
        if step < 0 or power_w > domain.ceiling_w:
            return Void(
                VoidReason.STEPPED_BACK if stepped_back else VoidReason.IMPLAUSIBLE,
                f"{domain.name} went from {first.counts} to {second.counts}"
                f"{', as a wrap' if stepped_back else ''} {power_w:.3g} W, more than the "
                f"{domain.ceiling_w:.3g} W it can reach; the counter was reset or disturbed",
            )
        total += step
    if total == 0:
        return Void(
            VoidReason.STUCK, f"{domain.name} showed {points[0].counts} through the whole window"
        )
    return Advance(total, wraps)


def foreign_ns(window: EnergyWindow) -> int | None:
    """CPU time of other programs: machine_busy_ns less our own; None without the counter."""
    if window.machine_busy_ns is None:
        return None
    return max(0, window.machine_busy_ns - window.thread_cpu_ns)


def void_in(window: EnergyWindow, domain: Domain, record: MeterRecord) -> Void | None:
    """Why this window of a run has no energy in this domain; None if it has.

    A simulated counter stands still because it was told to, or because its process got no CPU time.
    The meter is not at fault then.
    """
    void = void_of(window, domain, record.foreign_limit)
    if void is None or void.reason is not VoidReason.STUCK:
        return void
    if record.meter.partition(":")[0] != _IN_REAL_TIME or _TOLD_TO_STICK in record.meter:
        return void
    return Void(
        VoidReason.STARVED,
        f"{void.text}; the simulating process got too little CPU time, so close other programs or "
        "let the counters move less often, as with update_ms=10",
    )


def void_of(window: EnergyWindow, domain: Domain, foreign_limit: float) -> Void | None:
    """Why this window has no energy in this domain; None if it has.

    Args:
        window: as taken.
        domain: a domain of the window's meter.
        foreign_limit: foreign CPU time over wall time above which the window is void; below
            `FEWEST_TICKS` ticks nothing can be seen.
    """
    trace = next((trace for trace in window.traces if trace.domain == domain.id), None)
    if trace is None:
        return Void(VoidReason.UNREADABLE, f"{domain.name} was not read in this window")
    if trace.fault is not None:
        return Void(VoidReason(trace.fault.kind.value), trace.fault.text)
    return (
        external_power(domain.name, (point.state for point in trace.points))
        or _suspended(window)
        or _disordered(trace, domain)
        or _short(trace, domain)
        or (
            _gauge(trace, domain)
            if domain.quantity is Quantity.POWER
            else _counter(trace, domain, steady=window.kind is not WindowKind.DEEP_IDLE)
        )
        or _foreign(window, foreign_limit)
    )


def external_power(name: str, states: Iterable[str | None]) -> Void | None:
    """Refuses a battery that does not discharge: it does not feed the machine alone.

    Args:
        name: name of the domain.
        states: the state in each of its readings; None where the instrument states none.

    Returns:
        None if every state that there is says `discharging`.
    """
    given = {state for state in states if state is not None}
    wrong = sorted(state for state in given if state.lower() != "discharging")
    if not wrong:
        return None
    advice = next(filter(None, map(unplugging, wrong)), None)
    return Void(
        VoidReason.EXTERNAL_POWER,
        f"{name} says {'; '.join(wrong)}: it does not feed the machine alone"
        f"{f'; {advice}' if advice else ''}",
    )


def _suspended(window: EnergyWindow) -> Void | None:
    """Refuses a window in which the machine slept: its counters then moved without the load."""
    if window.suspended_ns <= _SUSPENDED_NS:
        return None
    return Void(
        VoidReason.SUSPENDED,
        f"the machine slept for {format_seconds(window.suspended_ns / 1e9)} in this window",
    )


def _counter(trace: DomainTrace, domain: Domain, *, steady: bool) -> Void | None:
    """Refuses a counter whose advance is not known, and steady work whose power was not steady.

    Each stretch between two reads is held to the power of the window, to within `UNEVEN_PART`. A
    read between the edges may be a period old, so a stretch may hold the energy of up to a period
    more or less than its time.
    """
    whole = advance(domain, trace.points)
    if isinstance(whole, Void):
        return whole
    if not steady or len(trace.points) < 3:
        return None
    power_w = (
        whole.counts * domain.per_count / (trace.points[-1].middle_s - trace.points[0].middle_s)
    )
    for first, second in pairwise(trace.points):
        part = advance(domain, (first, second))
        counts = part.counts if isinstance(part, Advance) else 0
        seconds = second.middle_s - first.middle_s
        widths_s = sum((at.not_after_ns - at.not_before_ns) / 1e9 for at in (first, second))
        allowed_j = power_w * (UNEVEN_PART * seconds + widths_s) + 2 * domain.resolution
        off_j = counts * domain.per_count - power_w * seconds
        if abs(off_j) > allowed_j:
            return Void(
                VoidReason.UNEVEN,
                f"{domain.name} advanced by {counts * domain.per_count:.4g} J in "
                f"{format_seconds(seconds)} of a window of {power_w:.4g} W; it was reset, or the "
                "power of the machine changed",
            )
    return None


def _gauge(trace: DomainTrace, domain: Domain) -> Void | None:
    """Refuses a gauge that shows 0 W, or the same power in each of many samples: it is stuck."""
    values = {point.counts for point in trace.points}
    zero = values == {0}
    if len(values) > 1 or (len(trace.points) < MOST_EQUAL_SAMPLES and not zero):
        return None
    return Void(
        VoidReason.STUCK,
        f"{domain.name} said {min(values) * domain.per_count:.4g} W in each of "
        f"{len(trace.points)} samples",
    )


def _disordered(trace: DomainTrace, domain: Domain) -> Void | None:
    """Readings of a damaged file may go back in time, and a mean power has no time to stand on."""
    times_s = [point.middle_s for point in trace.points]
    if times_s == sorted(times_s) and (len(times_s) < 2 or times_s[0] < times_s[-1]):
        return None
    return Void(
        VoidReason.UNREADABLE, f"the readings of {domain.name} are not in the order of their times"
    )


def _short(trace: DomainTrace, domain: Domain) -> Void | None:
    """Refuses a trace with fewer points than the quantity needs."""
    needed = 2 if domain.quantity is Quantity.ENERGY else FEWEST_GAUGE_SAMPLES
    if len(trace.points) >= needed:
        return None
    return Void(
        VoidReason.TOO_SHORT,
        f"{domain.name} gave {len(trace.points)} readings in this window and {needed} are needed; "
        "take longer windows (--energy-window)",
    )


def _foreign(window: EnergyWindow, limit: float) -> Void | None:
    """Refuses more CPU time of other programs than the limit, as far as ticks can show it."""
    foreign = foreign_ns(window)
    if foreign is None or window.wall_ns <= 0:
        return None
    if foreign <= limit * window.wall_ns or foreign < FEWEST_TICKS * TICK_NS:
        return None
    return Void(
        VoidReason.FOREIGN_CPU,
        f"other programs used {format_percent(foreign / window.wall_ns)} of a CPU in this window, "
        f"more than {format_percent(limit)}",
        foreign / window.wall_ns,
    )
