# SPDX-License-Identifier: Apache-2.0
"""From the stored energy windows of a run to the figures of each trial, domain by domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from joulemark.analyse.energy.baseline import Baseline, without_waking
from joulemark.analyse.energy.domain import PowerAtRest, TrialWindows, domain_energy
from joulemark.analyse.energy.doubts import energy_doubts
from joulemark.analyse.energy.window import WindowPower, power_of
from joulemark.analyse.results import DomainEnergy
from joulemark.judging.void import Void
from joulemark.records.domain import Domain
from joulemark.records.doubt import Doubt
from joulemark.records.energy_window import MeterRecord, WindowKind
from joulemark.records.trial import Trial
from joulemark.store.energy import StoredWindow

__all__ = ["RunEnergy", "run_energy"]


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
    """The energy of a run, from the power of every window in every domain.

    Args:
        record: of the meter, its domains and the energy method.
        windows: as stored, the void ones too.
    """
    parts = tuple(_in_domain(record, windows, domain) for domain in record.domains)
    return RunEnergy(record, parts)


def _in_domain(record: MeterRecord, windows: Iterable[StoredWindow], domain: Domain) -> _InDomain:
    trials: dict[Trial, tuple[list[WindowPower], list[Void]]] = {}
    rest: dict[WindowKind, list[WindowPower]] = {kind: [] for kind in WindowKind}
    for stored in windows:
        power = power_of(stored.window, domain, record)
        if stored.trial is None:
            if isinstance(power, WindowPower):
                rest[stored.window.kind].append(power)
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
        PowerAtRest(Baseline(deep, preceding=preceding), active),
    )
