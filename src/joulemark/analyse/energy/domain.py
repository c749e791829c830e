# SPDX-License-Identifier: Apache-2.0
"""From the windows of one trial to its figures in one domain."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.energy.baseline import Baseline
from joulemark.analyse.energy.figures import ERROR_LIMIT, EnergyFigures, against_rest, no_rest
from joulemark.analyse.energy.load import gross_powers, net_powers, with_messages
from joulemark.analyse.energy.refused import unusable
from joulemark.analyse.energy.window import WindowPower
from joulemark.analyse.results import DomainEnergy
from joulemark.judging.domains import OUTSIDE_CPU
from joulemark.judging.void import Void
from joulemark.records.absence import NO_COST_PER_BYTE, Absence
from joulemark.records.domain import Domain
from joulemark.records.energy_window import MeterRecord

__all__ = ["PowerAtRest", "TrialWindows", "domain_energy"]

_MORE: Final = "longer windows (--energy-window), more rounds (--energy-rounds)"


@dataclass(frozen=True, slots=True)
class PowerAtRest:
    """Power of one domain in both kinds of idle, over a run."""

    deep: Baseline
    active: Baseline


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
        return f"deep idle before each run, {len(rest.deep)} windows"
    return f"deep idle, {len(rest.deep)} windows; active idle, {len(rest.active)}; interleaved"
