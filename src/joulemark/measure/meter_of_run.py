# SPDX-License-Identifier: Apache-2.0
"""The meter of a run: opened and observed, or given up on a machine that is too busy."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from joulemark.errors import UnavailableError
from joulemark.judging.domains import Pace, headline, pace_of, window_for_precision_s
from joulemark.judging.void import FEWEST_TICKS, LASTING, TICK_NS, Void, VoidReason
from joulemark.measure.meter_choice import ChosenMeter, Place, choose_meter
from joulemark.measure.plan import METHODS, EnergyMethod, EnergyPlan, protocol_of
from joulemark.measure.pool import WorkerPool
from joulemark.measure.worker.meter_session import MeteredDomains, ObserveMeter
from joulemark.meters import Roots, mirrors, text_or_none, with_mirrors
from joulemark.meters.edges import Clock, SystemActivity, SystemClock
from joulemark.meters.instruments import open_session
from joulemark.meters.window import LONGEST_S, MachineActivity
from joulemark.records.energy_window import Domain, MeterRecord, Observation, Quantity, TraceFault
from joulemark.units import format_percent

# When metering ends early: on a machine that is too busy, or after windows that stay void.
#
# Before the first window, the CPU time of other programs is watched for a second. Above the limit a
# second look decides, so that a short burst does no harm. Later, three void windows in a row with
# one cause end the attempt. A window that other programs spoilt is taken again after a pause, so
# that three in a row mean some seconds of disturbance and not one burst.

HOPELESS: Final = 3
"""Void windows in a row with one cause, after which no more are taken."""
RETAKE_PAUSE_S: Final = 1.0
"""Pause between a window that other programs spoilt and the next attempt at it."""
_LOOK_S: Final = 1.0
_LOOKS: Final = 2
_HEADROOM: Final = 1.3
"""The load of a busy machine goes up and down from window to window."""
_STEPS: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Limits that are proposed, in each power of ten: numbers that a person would type."""


def refuse_if_busy(limit: float, clock: Clock, activity: MachineActivity) -> None:
    """Refuses to begin on a machine on which every window would be void."""
    share = 0.0
    for _ in range(_LOOKS):
        share = _foreign_share(clock, activity)
        if share <= limit:
            return
    raise UnavailableError(
        f"other programs use {format_percent(share)} of a CPU, more than the "
        f"{format_percent(limit)} allowed; {_remedy(share)}"
    )


def _foreign_share(clock: Clock, activity: MachineActivity) -> float:
    """CPU time of other programs over wall time; 0 if it is too little to be seen."""
    busy_ns, own_ns, start_ns = (
        activity.machine_busy_ns(),
        activity.thread_cpu_ns(),
        clock.now_ns(),
    )
    clock.sleep_ns(round(_LOOK_S * 1e9))
    after_ns = activity.machine_busy_ns()
    if busy_ns is None or after_ns is None:
        return 0.0
    foreign_ns = after_ns - busy_ns - (activity.thread_cpu_ns() - own_ns)
    if foreign_ns < FEWEST_TICKS * TICK_NS:
        return 0.0
    return foreign_ns / max(1, clock.now_ns() - start_ns)


def limit_that_would_do(share: float) -> str:
    """A value for `--foreign-limit` under which windows with this much foreign CPU time count."""
    wanted = share * _HEADROOM * 100
    power = 10.0 ** math.floor(math.log10(wanted))
    return f"{next(step * power for step in _STEPS if step * power >= wanted):g}%"


def _remedy(share: float) -> str:
    limit = limit_that_would_do(share)
    return f"--foreign-limit {limit} would take such windows, or try later"


class VoidsInARow:
    """Counts void windows in a row that have one cause.

    Args:
        at_once: causes of which one window ends the attempt.
    """

    def __init__(self, at_once: Container[VoidReason] = ()) -> None:
        self._at_once = at_once
        self._reason: VoidReason | None = None
        self._times = 0
        self._text = ""
        self._shares: list[float] = []

    @property
    def hopeless(self) -> bool:
        """Whether no more windows should be taken."""
        return self._times >= (1 if self._reason in self._at_once else HOPELESS)

    def note(self, void: Void | None) -> None:
        """Takes one window into account."""
        reason = None if void is None else void.reason
        if reason is not self._reason:
            self._reason, self._times, self._shares = reason, 0, []
        if void is not None:
            self._times += 1
            self._text = void.text
            if void.foreign_share is not None:
                self._shares.append(void.foreign_share)

    def pause_before_retake(self, void: Void | None, attempts_left: int) -> float | None:
        """Takes one window into account, and says whether it is to be taken again.

        Args:
            void: why it is void; None for a good window.
            attempts_left: further attempts at it that are allowed.

        Returns:
            Seconds to wait before the next attempt; None if there is to be none.
        """
        self.note(void)
        if void is None or void.reason in LASTING or self.hopeless or not attempts_left:
            return None
        return RETAKE_PAUSE_S if void.reason is VoidReason.FOREIGN_CPU else 0.0

    @property
    def sentence(self) -> str:
        """Why no more windows are taken; to be asked only once it is hopeless."""
        assert self._reason is not None
        remedy = f"; {_remedy(max(self._shares))}" if self._shares else ""
        times = "a void window" if self._times == 1 else f"{self._times} void windows in a row"
        return f"metering ended after {times}, {self._reason.value}: {self._text}{remedy}"


# Observes a meter before a run: how its counters move, which mirror others, how long windows are.
#
# The measured process polls the counters while its core spins in a pause loop, since windows will
# be taken there.

SHORTEST_WINDOW_S: Final = 0.2
"""Foreign CPU time shows only from 30 ms on, which would be a large part of a shorter window."""
LONGEST_WINDOW_S: Final = 60.0
"""A meter that needs longer windows is refused, unless the user states their length."""
_PERIODS: Final = 50
"""Update periods in a window: the reads that find its edges are then below a thousandth of it."""
_GAUGE_PERIOD_S: Final = 2.0
"""Time between samples of a gauge that was not seen to move, as in westermann2010."""

Watch = Callable[[Sequence[Domain]], Sequence[Observation]]
"""Polls domains of the meter for up to LONGEST_S, on the CPU that will be measured."""


@dataclass(frozen=True, slots=True)
class PreparedMeter:
    """A meter ready for windows."""

    record: MeterRecord
    meter: str
    """Name under which the worker opens it, which for a started or spooled instrument is not the
    user's."""
    protocol: EnergyMethod
    headline: Domain
    periods_s: dict[str, float]
    """Update period, or time between samples, of every domain read."""


def prepare(
    chosen: ChosenMeter, plan: EnergyPlan, watch: Watch, *, shown: str | None = None
) -> PreparedMeter:
    """Observes the meter's domains and chooses the windows.

    Args:
        chosen: the meter.
        plan: settings of the user.
        watch: polls the meter's domains.
        shown: name to store, if the worker opens the meter under another name.
    """
    seen = {observation.domain: observation for observation in watch(chosen.domains)}
    series = {
        name: observation.snapshots for name, observation in seen.items() if not observation.fault
    }
    domains = with_mirrors(chosen.domains, mirrors(chosen.domains, series))
    paces = {
        domain.id: pace for domain in domains if (pace := pace_of(domain, seen[domain.id].points))
    }
    first = headline(domains, *chosen.place)
    if first is None:
        raise UnavailableError(
            f"the meter {chosen.name} meters {', '.join(domain.name for domain in domains)}, "
            "and the kernel does not say which of these the measured CPU belongs to; name another "
            "meter (joulemark doctor)"
        )
    fault = seen[first.id].fault
    return settle(chosen, plan, domains, first, paces, shown=shown, fault=fault)


def settle(
    chosen: ChosenMeter,
    plan: EnergyPlan,
    domains: Sequence[Domain],
    first: Domain,
    paces: dict[str, Pace],
    *,
    shown: str | None = None,
    fault: TraceFault | None = None,
) -> PreparedMeter:
    """Chooses which domains are read, how often, and in windows of which length."""
    protocol = protocol_of(plan, gauge=first.quantity is Quantity.POWER)
    domains, first = _suitable(protocol, chosen, domains, first)
    periods = _periods(domains, paces, protocol, plan)
    if first.id not in periods:
        why = (fault and fault.stored) or (
            f"{first.name} moved fewer than six times in {LONGEST_S:.0f} s while the core was busy"
        )
        raise UnavailableError(f"the meter {chosen.name} cannot be used here: {why}")
    window_s = plan.window_s or _window_s(first, paces.get(first.id), periods, protocol, plan)
    if window_s > LONGEST_WINDOW_S and plan.window_s is None and not protocol.samples:
        raise UnavailableError(
            f"{first.name} of the meter {chosen.name} needs windows of {window_s:.0f} s for "
            f"+-{plan.precision:.2g} of its energy, more than {LONGEST_WINDOW_S:.0f} s; ask for "
            "them with --energy-window, or for less with --energy-precision"
        )
    if periods[first.id] > window_s / 2:
        shortest_s = math.ceil(2000 * periods[first.id]) / 1000
        raise UnavailableError(
            f"--energy-window {window_s:g}: {first.name} of the meter {chosen.name} is updated "
            f"each {periods[first.id]:.2g} s, and a window needs two updates; give {shortest_s:g} "
            "or more"
        )
    kept = tuple(
        domain
        for domain in domains
        if domain.same_as is None and domain.id in periods and periods[domain.id] <= window_s / 2
    )
    record = MeterRecord(
        meter=shown or chosen.name,
        title=chosen.meter.title,
        evidence=chosen.meter.evidence(),
        method=protocol.name,
        domains=kept,
        window_s=window_s,
        paces={name: pace.as_dict() for name, pace in paces.items()},
        headline=first.id,
        foreign_limit=plan.foreign_limit,
        facts={**chosen.survey.facts, "choice": chosen.choice},
    )
    in_use = {domain.id: periods[domain.id] for domain in kept}
    return PreparedMeter(record, chosen.name, protocol, first, in_use)


def _suitable(
    protocol: EnergyMethod, chosen: ChosenMeter, domains: Sequence[Domain], first: Domain
) -> tuple[Sequence[Domain], Domain]:
    """The domains that the method can read, and the headline among them."""
    gauge = first.quantity is Quantity.POWER
    if gauge and not protocol.samples:
        raise UnavailableError(
            f"the method {protocol.name} needs a counter of energy, and {first.name} is a gauge of "
            "power; leave out --energy-method"
        )
    if gauge or not protocol.samples:
        return domains, first
    gauges = [domain for domain in chosen.survey.domains if domain.quantity is Quantity.POWER]
    if not gauges:
        raise UnavailableError(
            f"the method {protocol.name} samples power, and the meter {chosen.name} has only "
            "counters of energy; leave out --energy-method, or name a battery with --meter"
        )
    first = replace(gauges[0], same_as=None)
    return (first,), first


def _periods(
    domains: Sequence[Domain], paces: dict[str, Pace], protocol: EnergyMethod, plan: EnergyPlan
) -> dict[str, float]:
    """Update period of every counter that has one; time between samples of every gauge."""
    periods: dict[str, float] = {}
    for domain in domains:
        pace = paces.get(domain.id)
        known = pace.period_s if pace else domain.update_period_s
        if domain.quantity is Quantity.POWER:
            sample_s = plan.sample_s or protocol.sample_s or known or _GAUGE_PERIOD_S
            periods[domain.id] = max(sample_s, 0.001)
        elif known is not None:
            periods[domain.id] = known
    return periods


def _window_s(
    first: Domain,
    pace: Pace | None,
    periods: dict[str, float],
    protocol: EnergyMethod,
    plan: EnergyPlan,
) -> float:
    """Length of every window, load and idle."""
    if protocol.samples:
        return protocol.samples * periods[first.id]
    shortest = max(SHORTEST_WINDOW_S, _PERIODS * periods[first.id])
    if pace is None:
        return max(shortest, periods[first.id] / plan.precision)
    return max(shortest, window_for_precision_s(first, pace, plan.precision))


def place_of(cpu: int | None, sysfs: Path) -> Place:
    """Numbers of the physical package (socket) and the die of a CPU."""
    if cpu is None:
        return None, None
    topology = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
    package, die = (text_or_none(topology / name) for name in ("physical_package_id", "die_id"))
    return (
        int(package) if package and package.isdecimal() else None,
        int(die) if die and die.isdecimal() else None,
    )


@contextmanager
def prepared_meter(
    plan: EnergyPlan, kept: MeterRecord | None, pool: WorkerPool
) -> Iterator[tuple[EnergyPlan, PreparedMeter]]:
    """The plan with the trees that the meter reads, and the meter ready for windows."""
    roots = Roots(Path(plan.sysfs), Path(plan.proc))
    with open_session(plan.meter, roots) as (name, roots_used):
        used = replace(plan, sysfs=str(roots_used.sysfs), proc=str(roots_used.proc))
        place = place_of(pool.cpu, roots_used.sysfs)
        chosen = choose_meter(name, roots_used, place, shown=plan.meter)
        try:
            refuse_if_busy(plan.foreign_limit, SystemClock(), SystemActivity(roots_used.sysfs))
            shown = plan.meter or chosen.name
            if kept is not None and kept.meter == shown:
                yield used, _go_on_with(kept, chosen.name)
            else:

                def watch(domains: Sequence[Domain]) -> Sequence[Observation]:
                    metered = MeteredDomains(chosen.name, used.sysfs, used.proc, tuple(domains))
                    request = ObserveMeter(metered, LONGEST_S)
                    return pool.ask_own(request, limit_s=LONGEST_S + 30.0).observations

                prepared = prepare(chosen, used, watch, shown=shown)
                facts = {**prepared.record.facts, **cpu_facts(pool.cpu, roots_used.sysfs)}
                yield used, replace(prepared, record=replace(prepared.record, facts=facts))
        finally:
            chosen.meter.close()


def cpu_facts(cpu: int | None, sysfs: Path) -> dict[str, int | str | None]:
    """The measured CPU and the CPUs of its core: a busy sibling changes power and speed of both."""
    topology = sysfs / f"devices/system/cpu/cpu{cpu}/topology"
    return {
        "measured_cpu": cpu,
        "thread_siblings": text_or_none(topology / "thread_siblings_list"),
        "core_siblings": text_or_none(topology / "core_siblings_list"),
    }


def _go_on_with(record: MeterRecord, meter: str) -> PreparedMeter:
    """The meter of an earlier part of the run, with the same windows."""
    protocol = METHODS[record.method]
    periods = {
        domain.id: float(record.paces[domain.id]["period_s"])
        if domain.quantity is Quantity.ENERGY and domain.id in record.paces
        else domain.update_period_s or record.window_s / max(protocol.samples, 1)
        for domain in record.domains
    }
    first = next(domain for domain in record.domains if domain.id == record.headline)
    return PreparedMeter(record, meter, protocol, first, periods)
