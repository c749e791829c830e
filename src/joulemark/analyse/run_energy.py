# SPDX-License-Identifier: Apache-2.0
"""From the stored energy windows of a run to the figures of each trial, domain by domain."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from uncertainties import nominal_value

from joulemark.analyse import DomainEnergy
from joulemark.analyse.compare import RoundPoint
from joulemark.analyse.doubts import DRIFT_CHANGE, DRIFT_P, tick_evidence_ns
from joulemark.analyse.stated_figures import (
    ERROR_LIMIT,
    EnergyFigures,
    against_rest,
    no_rest,
    unusable,
)
from joulemark.analyse.window import (
    Baseline,
    WindowPower,
    gross_powers,
    net_powers,
    power_of,
    void_idle_words,
    with_messages,
    without_waking,
)
from joulemark.judging.domains import OUTSIDE_CPU
from joulemark.judging.void import Void, foreign_ns
from joulemark.records.energy_window import Domain, MeterRecord, WindowKind
from joulemark.records.figures import NO_COST_PER_BYTE, Absence, Doubt, DoubtKind
from joulemark.records.trial import Trial
from joulemark.stats.shift import drift
from joulemark.store.observations import StoredWindow
from joulemark.units import format_percent

# From the windows of one trial to its figures in one domain.

_MORE: Final = "longer windows (--energy-window), more rounds (--energy-rounds)"


@dataclass(frozen=True, slots=True)
class PowerAtRest:
    """Power of one domain in both kinds of idle, over a run."""

    deep: Baseline
    active: Baseline
    void: Sequence[Void] = ()
    """Why idle windows of either kind have no power."""


@dataclass(frozen=True, slots=True)
class TrialWindows:
    """The windows of one trial in one domain."""

    kept: Sequence[WindowPower]
    void: Sequence[Void] = ()
    """Why each of the other windows has no energy."""


def domain_energy(
    windows: TrialWindows,
    rest: PowerAtRest,
    domain: Domain,
    record: MeterRecord,
    *,
    size_bytes: float,
    headline: bool,
    limit: float = ERROR_LIMIT,
) -> DomainEnergy:
    """The energy of one trial in one domain.

    Args:
        windows: of this trial and domain, voids included.
        rest: power at rest in this domain over the whole run.
        domain: the domain of a meter.
        record: the meter and the method.
        size_bytes: of a message, the mean of a mix; 0 has no cost per byte.
        headline: whether the result's own figures are this domain's.
        limit: half interval over median above which a figure is refused.
    """
    kept = windows.kept
    outside = domain.kind in OUTSIDE_CPU
    figures = EnergyFigures(record.evidence, limit, _MORE, outside=outside)
    _add_all(figures, windows, rest, size_bytes)
    voids = Counter(void.reason.value for void in windows.void)
    return DomainEnergy(
        domain=domain.id,
        name=domain.name,
        kind=domain.kind.value,
        parent=domain.parent,
        headline=headline,
        meter=record.meter,
        method=record.method,
        evidence=record.evidence,
        window_seconds=statistics.median(window.duration_s for window in kept) if kept else None,
        windows_kept=len(kept),
        windows_void=dict(sorted(voids.items())),
        baseline=_baseline_words(rest, record),
        reasons=figures.reasons,
        upper_bounds=figures.upper_bounds,
        **figures.by_field,
    )


def _add_all(
    figures: EnergyFigures, windows: TrialWindows, rest: PowerAtRest, size_bytes: float
) -> None:
    """Adds each figure after the figure whose reason it may share."""
    nothing = Absence(unusable(windows.void))
    load_w = [window.power_w for window in windows.kept]
    no_deep, no_active = (
        no_rest(word) if windows.kept else nothing for word in ("deep idle", "active idle")
    )
    over_deep, over_active = (
        against_rest(load_w, baseline.powers_w) for baseline in (rest.deep, rest.active)
    )
    gross = gross_powers(windows.kept)
    net = net_powers(gross, rest.deep)
    active_net = with_messages(net_powers(gross, rest.active))
    gross_j = [load.joules_per_message for load in with_messages(gross)]
    net_j = [load.joules_per_message for load in with_messages(net)]
    active_net_j = [load.joules_per_message for load in active_net]
    net_js = [load.joule_seconds_per_message for load in with_messages(net)]
    per_message, gross_per_message = "joules_per_message", "gross_joules_per_message"
    figures.add(gross_per_message, gross_j, nothing)
    figures.add(per_message, net_j, no_deep, over_deep)
    figures.add("active_net_joules_per_message", active_net_j, no_active, over_active)
    for name, values, like, context in (
        ("gross_joules_per_byte", gross_j, gross_per_message, None),
        ("joules_per_byte", net_j, per_message, over_deep),
    ):
        by_byte = [value / size_bytes for value in values] if size_bytes else []
        missing = figures.reasons.get(like, NO_COST_PER_BYTE)
        figures.add(name, by_byte, missing, context, like=like)
    figures.add("watts", [load.power_w for load in gross], nothing, like=gross_per_message)
    net_w = [load.power_w for load in net]
    figures.add("net_watts", net_w, no_deep, over_deep, like=per_message)
    figures.add("joule_seconds_per_message", net_js, no_deep, over_deep, like=per_message)
    for name, word, baseline in (
        ("static_watts", "deep idle", rest.deep),
        ("active_idle_watts", "active idle", rest.active),
    ):
        figures.add(name, baseline.powers_w, Absence(f"no window of {word} could be used"))


def _baseline_words(rest: PowerAtRest, record: MeterRecord) -> str:
    if record.method == "westermann2010":
        return f"deep idle before each run, {len(rest.deep)} windows{void_idle_words(rest.void)}"
    return (
        f"deep idle, {len(rest.deep)} windows; active idle, {len(rest.active)}; interleaved"
        f"{void_idle_words(rest.void)}"
    )


# Doubts about the energy of a trial, each with its remedy.
#
# As with doubts about times, none removes a window or changes a figure.

VOID_SHARE: Final = 0.2
"""Share of void windows above which the others may be a choice of quiet moments."""
TEMPERATURE_CHANGE_MDEG: Final = 10_000
"""Leakage grows by some percent in ten degrees; the interleaved baselines follow it, the gross
figures do not."""
_FEWEST: Final = 5
"""Windows below which no trend is looked for."""


def energy_doubts(windows: TrialWindows, record: MeterRecord) -> list[Doubt]:
    """Doubts about the energy of one trial."""
    doubts = (
        _void(windows),
        _foreign(windows.kept, record),
        _drift(windows.kept),
        _temperature(windows.kept),
    )
    return [doubt for doubt in doubts if doubt is not None]


def _void(windows: TrialWindows) -> Doubt | None:
    total = len(windows.kept) + len(windows.void)
    if not windows.kept or len(windows.void) <= VOID_SHARE * total:
        return None
    counted = Counter(void.reason.value for void in windows.void)
    why = ", ".join(f"{reason} {times}" for reason, times in counted.most_common())
    return Doubt(
        DoubtKind.VOID_WINDOWS,
        f"{len(windows.void)} of {total} windows were void ({why}), so the "
        "others may be a choice of quiet moments; close other programs and repeat.",
    )


def _foreign(kept: Sequence[WindowPower], record: MeterRecord) -> Doubt | None:
    """Foreign CPU time that no single window could show, summed over the trial."""
    known = [
        (window.window, ns) for window in kept if (ns := foreign_ns(window.window)) is not None
    ]
    wall_ns = sum(window.wall_ns for window, _ in known)
    foreign = sum(ns for _, ns in known)
    if not wall_ns or foreign <= record.foreign_limit * wall_ns:
        return None
    if foreign < tick_evidence_ns(len(known)):
        return None
    return Doubt(
        DoubtKind.FOREIGN_IN_ENERGY,
        f"other programs used {format_percent(foreign / wall_ns)} of a CPU "
        "over these windows, and the package's energy includes theirs; close them and repeat.",
    )


def _drift(kept: Sequence[WindowPower]) -> Doubt | None:
    """A trend of gross power over the rounds that is both certain and large."""
    if len(kept) < _FEWEST:
        return None
    watts = [window.power_w.nominal_value for window in kept]
    trend = drift(watts, [window.window.round_index for window in kept])
    if not (trend.p_value < DRIFT_P and abs(trend.change) > DRIFT_CHANGE):
        return None
    way = "rose" if trend.change > 0 else "fell"
    return Doubt(
        DoubtKind.POWER_DRIFT,
        f"gross power {way} by {format_percent(abs(trend.change))} from the first "
        f"round to the last (p = {trend.p_value:.2g}); let the machine reach a steady temperature, "
        "fix its clock and its power limits, then repeat.",
    )


def _temperature(kept: Sequence[WindowPower]) -> Doubt | None:
    seen = [
        mdeg
        for window in kept
        for mdeg in (window.window.temperature_start_mdeg, window.window.temperature_end_mdeg)
        if mdeg is not None
    ]
    if not seen or max(seen) - min(seen) <= TEMPERATURE_CHANGE_MDEG:
        return None
    return Doubt(
        DoubtKind.TEMPERATURE,
        f"the CPU package was between {min(seen) / 1000:.0f} and "
        f"{max(seen) / 1000:.0f} degrees Celsius in these windows, and leakage rises with it; warm "
        "the machine up first, or cool it better.",
    )


@dataclass(frozen=True)
class _InDomain:
    """All windows of a run in one domain."""

    domain: Domain
    trials: dict[Trial, TrialWindows]
    rest: PowerAtRest

    def of(self, trial: Trial) -> TrialWindows:
        return self.trials.get(trial, TrialWindows(()))


@dataclass(frozen=True)
class RunEnergy:
    """The energy of a run, from which that of each trial can be had."""

    record: MeterRecord
    in_domains: tuple[_InDomain, ...] = field(repr=False)

    @property
    def _headline(self) -> _InDomain:
        """The domain whose figures are the results' own."""
        return next(part for part in self.in_domains if part.domain.id == self.record.headline)

    def trials(self) -> list[Trial]:
        """Every trial that has a window, void ones included."""
        return list(self._headline.trials)

    def windows(self, trial: Trial) -> tuple[Sequence[WindowPower], PowerAtRest]:
        """Accepted windows of a trial in the headline domain, and power at rest there."""
        return self._headline.of(trial).kept, self._headline.rest

    def void(self, trial: Trial) -> Sequence[Void]:
        """Why windows of a trial have no energy in the headline domain."""
        return self._headline.of(trial).void

    def doubts(self, trial: Trial) -> list[Doubt]:
        """Doubts about a trial's energy in the headline domain."""
        return energy_doubts(self._headline.of(trial), self.record)

    def of(self, trial: Trial) -> list[DomainEnergy]:
        """The energy of a trial in every domain, parents before children."""
        return [
            domain_energy(
                part.of(trial),
                part.rest,
                part.domain,
                self.record,
                size_bytes=trial.workload.mean_bytes,
                headline=part.domain.id == self.record.headline,
            )
            for part in self.in_domains
        ]


def run_energy(record: MeterRecord, windows: Sequence[StoredWindow]) -> RunEnergy:
    """The energy of a run, from the power of every window in every domain."""
    parts = tuple(_in_domain(record, windows, domain) for domain in record.domains)
    return RunEnergy(record, parts)


def _in_domain(record: MeterRecord, windows: Iterable[StoredWindow], domain: Domain) -> _InDomain:
    trials: dict[Trial, tuple[list[WindowPower], list[Void]]] = {}
    rest: dict[WindowKind, list[WindowPower]] = {kind: [] for kind in WindowKind}
    void_idle: list[Void] = []
    for stored in windows:
        power = power_of(stored.window, domain, record)
        if stored.trial is None:
            if isinstance(power, WindowPower):
                rest[stored.window.kind].append(power)
            else:
                void_idle.append(power)
            continue
        kept, void = trials.setdefault(stored.trial, ([], []))
        if isinstance(power, Void):
            void.append(power)
        else:
            kept.append(power)
    preceding = record.method == "westermann2010"
    active = Baseline(rest[WindowKind.ACTIVE_IDLE], preceding=preceding)
    deep = without_waking(rest[WindowKind.DEEP_IDLE], active)
    return _InDomain(
        domain,
        {trial: TrialWindows(kept, void) for trial, (kept, void) in trials.items()},
        PowerAtRest(Baseline(deep, preceding=preceding), active, void_idle),
    )


# Energy per message as a quantity to compare: one point for each accepted window.
#
# Windows of one round are neighbours in time and are paired, as samples of time are. The baseline
# that is subtracted is shared by both of a pair, so that most of its error cancels in their ratio.

RAPL_DIFFERENCE: Final = 0.02
"""No vendor states RAPL's error: a difference this small may be the counter's, not the code's."""
_RAPL: Final = {"powercap", "perf-power"}


def energy_points(energy: RunEnergy, *, gross: bool = False) -> dict[Trial, list[RoundPoint]]:
    """Logarithm of joules per message in the headline domain, by trial and round.

    Args:
        energy: of one run.
        gross: nothing subtracted; otherwise net of deep idle.

    Returns:
        Only windows whose energy is above 0: others have no logarithm, and no ratio.
    """
    points: dict[Trial, list[RoundPoint]] = {}
    for trial in energy.trials():
        windows, rest = energy.windows(trial)
        for power in windows:
            at_rest_w = 0.0 if gross else rest.deep.at(power.middle_s)
            if at_rest_w is None:
                continue
            joules = nominal_value(power.power_w - at_rest_w) * power.seconds_per_message
            if joules > 0:
                window = power.window
                point = RoundPoint(window.round_index, window.generation, math.log(joules))
                points.setdefault(trial, []).append(point)
    return points


def meter_note(record: MeterRecord, ratios: Sequence[float]) -> str | None:
    """The caveat of differences that are small for this meter; None if there is none.

    Args:
        record: of the meter.
        ratios: of joules per message, contender over baseline.
    """
    small = any(0 < abs(ratio - 1) < RAPL_DIFFERENCE for ratio in ratios)
    if record.meter.partition(":")[0] not in _RAPL or not small:
        return None
    return (
        f"Differences below {format_percent(RAPL_DIFFERENCE)} are within what RAPL itself leaves "
        "open; confirm them with another meter before you publish them."
    )
