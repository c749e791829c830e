# SPDX-License-Identifier: Apache-2.0
"""From the stored energy windows of a run to the figures of each trial, domain by domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from joulemark.analyse.energy.baseline import Baseline, rested
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
    """Everything one domain saw in a run."""

    domain: Domain
    trials: dict[Trial, TrialWindows]
    rest: PowerAtRest


@dataclass(frozen=True)
class RunEnergy:
    """The energy of a run, ready to be asked for each trial."""

    record: MeterRecord
    headline: str
    """Id of the domain whose figures are the results' own."""
    in_domains: tuple[_InDomain, ...] = field(repr=False)

    def trials(self) -> list[Trial]:
        """Every trial that has a window, void ones included."""
        return list(self._in(self.headline).trials)

    def _in(self, domain: str) -> _InDomain:
        return next(in_domain for in_domain in self.in_domains if in_domain.domain.id == domain)

    def windows(self, trial: Trial) -> tuple[Sequence[WindowPower], PowerAtRest]:
        """Accepted windows of a trial in the headline domain, and power at rest there."""
        found = self._in(self.headline)
        return found.trials.get(trial, TrialWindows(())).kept, found.rest

    def void(self, trial: Trial) -> Sequence[Void]:
        """Why windows of a trial have no energy in the headline domain."""
        return self._in(self.headline).trials.get(trial, TrialWindows(())).void

    def doubts(self, trial: Trial) -> list[Doubt]:
        """What is doubtful about a trial's energy in the headline domain."""
        found = self._in(self.headline).trials.get(trial)
        return energy_doubts(found, self.record) if found else []

    def of(self, trial: Trial) -> list[DomainEnergy]:
        """What every domain says of a trial, parents before children."""
        return [
            domain_energy(
                in_domain.trials.get(trial, TrialWindows(())),
                in_domain.rest,
                in_domain.domain,
                self.record,
                size_bytes=trial.workload.mean_bytes,
                headline=in_domain.domain.id == self.headline,
            )
            for in_domain in self.in_domains
        ]


def run_energy(record: MeterRecord, windows: Sequence[StoredWindow]) -> RunEnergy:
    """Power of every window in every domain.

    Args:
        record: what was metered and how.
        windows: as stored, the void ones too.
    """
    return RunEnergy(
        record,
        record.headline,
        tuple(_in_domain(record, windows, domain) for domain in record.domains),
    )


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
    return _InDomain(
        domain,
        {trial: TrialWindows(kept, void) for trial, (kept, void) in trials.items()},
        PowerAtRest(
            Baseline(rested(rest[WindowKind.DEEP_IDLE], active), preceding=preceding), active
        ),
    )
