# SPDX-License-Identifier: Apache-2.0
"""From the windows of one trial to its figures in one domain.

Each figure is the median over the windows of a per-window value, as times are. Its interval is the
wider of two: the bootstrap interval for that median, which sees all that varies from window to
window, and 1.96 standard uncertainties of the mean as the windows' own errors propagate to it,
which also sees what the windows share, the baseline above all.

A figure whose half interval exceeds the limit is refused with the reason; so a net energy that is
small beside the power at rest has no figure rather than a random one, and none is ever negative.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from joulemark.analyse.energy.baseline import Baseline
from joulemark.analyse.energy.load import gross_powers, net_powers, with_messages
from joulemark.analyse.energy.refused import bound_text, refusal, unusable, upper_bound
from joulemark.analyse.energy.window import WindowPower
from joulemark.analyse.results import DomainEnergy, Figure
from joulemark.judging.void import Void
from joulemark.records.absence import NO_COST_PER_BYTE, Absence
from joulemark.records.domain import Domain
from joulemark.records.energy_window import MeterRecord
from joulemark.records.evidence import Evidence
from joulemark.stats.interval import median_interval
from joulemark.stats.location import mad, median, quartiles
from joulemark.units import format_si

__all__ = ["ERROR_LIMIT", "PowerAtRest", "TrialWindows", "domain_energy", "energy_figure"]

ERROR_LIMIT: Final = 0.05
"""Half interval over median above which no energy is stated: implementations worth choosing
between often differ by as little."""
_Z95: Final = 1.96
_MORE: Final = "longer windows (--energy-window), more rounds (--energy-rounds)"


@dataclass(frozen=True, slots=True)
class PowerAtRest:
    """Power at rest over a run, in one domain."""

    deep: Baseline
    active: Baseline


@dataclass(frozen=True, slots=True)
class TrialWindows:
    """One trial in one domain: what was kept and why the rest was not."""

    kept: Sequence[WindowPower]
    void: Sequence[Void] = field(default=())


def energy_figure(values: Sequence[Any], evidence: Evidence) -> Figure:
    """Summarise uncertain per-window values, n >= 1."""
    nominal = [float(value.nominal_value) for value in values]
    middle = median(nominal)
    half = _Z95 * float((sum(values) / len(values)).std_dev)
    scatter = median_interval(nominal)
    first, third = quartiles(nominal)
    return Figure(
        median=middle,
        low=min(scatter.low, middle - half),
        high=max(scatter.high, middle + half),
        minimum=min(nominal),
        quartile_1=first,
        quartile_3=third,
        mad=mad(nominal),
        evidence=evidence,
        samples=len(nominal),
    )


class _Figures:
    """Figures made or refused, with the reasons."""

    def __init__(self, evidence: Evidence, limit: float) -> None:
        self.made: dict[str, Figure | None] = {}
        self.reasons: dict[str, Absence] = {}
        self.upper_bounds: dict[str, float] = {}
        self._evidence = evidence
        self._limit = limit

    def add(
        self,
        name: str,
        values: Sequence[Any],
        missing: Absence,
        context: str | None = None,
        *,
        like: str | None = None,
    ) -> None:
        """One figure, refused where there is nothing or where the error is too large.

        Args:
            name: of the figure.
            values: of the windows.
            missing: why there are none, where there are none.
            context: of a net figure: what it has to stand out from.
            like: figure that says the same in another unit; refused both, they share its reason.
        """
        self.made[name] = None
        if not values:
            self.reasons[name] = missing
            return
        figure = energy_figure(values, self._evidence)
        bound = None if context is None else upper_bound(values, figure)
        reason = refusal(
            figure, self._limit, context or "", _MORE,
            below=None if bound is None else bound_text(name, bound),
        )  # fmt: skip
        if reason is None:
            self.made[name] = figure
            return
        self.reasons[name] = reason if like is None else self.reasons.get(like, reason)
        if bound is not None:
            self.upper_bounds[name] = bound

    def add_per_byte(
        self, stem: str, values: Sequence[Any], size_bytes: float, context: str | None = None
    ) -> None:
        """The same as the figure per message, whose reason it shares where both are missing."""
        per_message = f"{stem}_per_message"
        by_byte = [value / size_bytes for value in values] if size_bytes else []
        missing = self.reasons.get(per_message, NO_COST_PER_BYTE)
        self.add(f"{stem}_per_byte", by_byte, missing, context, like=per_message)


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
    """What one domain says of one trial.

    Args:
        windows: of this trial and domain, voids included.
        rest: power at rest in this domain over the whole run.
        domain: which.
        record: the meter and the method.
        size_bytes: of a message, the mean of a mix; 0 has no cost per byte.
        headline: whether the result's own figures are this domain's.
        limit: half interval over median above which a figure is refused.
    """
    kept = windows.kept
    figures = _Figures(record.evidence, limit)
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
        **figures.made,
    )


def _add_all(
    figures: _Figures, windows: TrialWindows, rest: PowerAtRest, size_bytes: float
) -> None:
    """Adds each figure after the figure whose reason it may share."""
    kept, nothing = windows.kept, Absence(unusable(windows.void))
    no_rest, against = _no_rest(kept, nothing, "deep idle"), _against(kept, rest.deep)
    gross = gross_powers(kept)
    net = net_powers(gross, rest.deep)
    gross_j = [load.joules_per_message for load in with_messages(gross)]
    net_j = [load.joules_per_message for load in with_messages(net)]
    figures.add("gross_joules_per_message", gross_j, nothing)
    figures.add("joules_per_message", net_j, no_rest, against)
    figures.add(
        "active_net_joules_per_message",
        [load.joules_per_message for load in with_messages(net_powers(gross, rest.active))],
        _no_rest(kept, nothing, "active idle"),
        _against(kept, rest.active),
    )
    figures.add_per_byte("gross_joules", gross_j, size_bytes)
    figures.add_per_byte("joules", net_j, size_bytes, against)
    gross_w, net_w = [load.power_w for load in gross], [load.power_w for load in net]
    figures.add("watts", gross_w, nothing, like="gross_joules_per_message")
    figures.add("net_watts", net_w, no_rest, against, like="joules_per_message")
    figures.add(
        "joule_seconds_per_message",
        [load.joule_seconds_per_message for load in with_messages(net)],
        no_rest,
        against,
        like="joules_per_message",
    )
    for name, word, baseline in (
        ("static_watts", "deep idle", rest.deep),
        ("active_idle_watts", "active idle", rest.active),
    ):
        figures.add(name, baseline.powers_w, Absence(f"no window of {word} could be used"))


def _no_rest(kept: Sequence[WindowPower], nothing: Absence, word: str) -> Absence:
    said = f"no window of {word} could be used, so nothing can be net of it"
    return Absence(said) if kept else nothing


def _against(kept: Sequence[WindowPower], baseline: Baseline) -> str:
    """How far the load stands out from rest, for a refusal."""
    rest = baseline.powers_w
    if not kept or not rest:
        return ""
    load_w = median([window.power_w.nominal_value for window in kept])
    rest_w = median([power_w.nominal_value for power_w in rest])
    return f"{format_si(load_w, 'W')} while working against {format_si(rest_w, 'W')} at rest"


def _baseline_words(rest: PowerAtRest, record: MeterRecord) -> str:
    if record.method == "westermann2010":
        return f"deep idle before each run, {len(rest.deep)} windows"
    return f"deep idle, {len(rest.deep)} windows; active idle, {len(rest.active)}; interleaved"
