# SPDX-License-Identifier: Apache-2.0
"""From the raw samples of one trial to its published result.

Each figure is the median over the samples of a per-sample division. Its interval comes from the
medians of the process generations, since samples of one process are not independent; the interval
of a quotient is never computed from the intervals of its parts. Interrupted samples stay out of
figures as long as enough others are there (`joulemark.judging.standing`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from joulemark.analyse import derive
from joulemark.analyse.results import DomainEnergy, Figure, Repeatability, Result
from joulemark.records.absence import (
    ENERGY_NOT_ASKED,
    MODEL_NOT_ASKED,
    NO_COST_PER_BYTE,
    Absence,
)
from joulemark.records.doubt import Doubt
from joulemark.records.evidence import Evidence
from joulemark.records.figures import FigureGroup, figures_in
from joulemark.records.implementation import ImplementationFacts
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.stats.clustered import clustered_median_interval
from joulemark.stats.interval import median_interval
from joulemark.stats.location import mad, median, quartiles

__all__ = ["estimate", "figure"]

_ENERGY_FIELDS: Final = tuple(kind.field for kind in figures_in(FigureGroup.ENERGY))
"""Figures of a result that repeat those of the headline domain."""
_CLOCKS: Final = ("clocks_per_message", "clocks_per_byte", "key_setup_clocks")
_NO_SAMPLES: Final = Absence("no sample was taken; the list of failures may say why")
_NO_TSC: Final = Absence("this machine has no time-stamp counter that Joulemark can read")
_NO_PROBE: Final = Absence(
    "the kernel lends no core-cycle counter and the clock probe gave no reading; "
    "set kernel.perf_event_paranoid to 2 or lower to measure core cycles"
)
_NO_CLOCK: Final = Absence(
    "software has no clock of its own; tsc_ticks and core_cycles count those of the machine"
)
_NO_TIME: Final = Absence("the clock did not advance during the window")


def figure(
    values: Sequence[float],
    evidence: Evidence,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Figure:
    """Summarise values of one quantity, shape (n,), n >= 1, in their own unit.

    Args:
        values: shape (n,), n >= 1.
        evidence: how they were obtained.
        clusters: n labels; values of one label, as those of one process, share an offset. Without
            them each value stands for itself.
        level: of the interval, between 0 and 1, exclusive.
        seed: of the bootstrap.
    """
    if clusters is None:
        interval = median_interval(values, level=level, seed=seed)
    else:
        interval = clustered_median_interval(values, clusters, level=level, seed=seed)
    first, third = quartiles(values)
    return Figure(
        median=median(values),
        low=interval.low,
        high=interval.high,
        minimum=min(values),
        quartile_1=first,
        quartile_3=third,
        mad=mad(values),
        evidence=evidence,
        samples=len(values),
    )


def estimate(
    trial: Trial,
    facts: ImplementationFacts,
    samples: Sequence[RawSample],
    *,
    seed: int = 0,
    include_samples: bool = False,
    energy: Sequence[DomainEnergy] = (),
    energy_absence: Absence = ENERGY_NOT_ASKED,
    modelled_watts: float | None = None,
    repeated: Repeatability | None = None,
    level: float = 0.95,
    used: Sequence[RawSample] | None = None,
    doubts: Sequence[Doubt] = (),
) -> Result:
    """Estimate one trial.

    Args:
        trial: what was measured.
        facts: what the implementation says of itself.
        samples: its raw samples, any number; without one every figure is null, with a reason.
        seed: of the bootstrap; the same seed and samples give the same result.
        include_samples: carry the raw samples along.
        energy: what each domain of the meter says of this trial; empty without a meter.
        energy_absence: why there is no figure in joules, where there is no meter.
        modelled_watts: power that the user stated; gives modelled joules, apart from all others.
        repeated: how much its median moved between runs.
        used: those of the samples that figures stand on; all unless given.
        doubts: what is doubtful about the trial (`joulemark.analyse.doubts`).
        level: nominal level of the intervals; above 95 % where a run stopped when it was sharp.
    """
    figures = _Figures(
        samples, samples if used is None else used, trial.workload.mean_bytes, level, seed
    )
    figures.add_counted()
    figures.add_energy(energy, energy_absence)
    figures.add_model(modelled_watts)
    rate = figures.bytes_per_second()
    return Result(
        **_described(trial, facts),
        evidence=Evidence.MEASURED,
        bytes_per_second=rate,
        energy=list(energy),
        repeatability=repeated,
        reasons=figures.reasons,
        warnings=list(doubts),
        samples=[sample.as_dict() for sample in samples] if include_samples else None,
        **figures.made,
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    """Figures of one trial, with the reasons for those that are missing."""

    taken: Sequence[RawSample]
    used: Sequence[RawSample]
    mean_bytes: float
    level: float
    seed: int
    made: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, Absence] = field(default_factory=lambda: dict.fromkeys(_CLOCKS, _NO_CLOCK))

    def add_counted(self) -> None:
        """Times, ticks and core cycles."""
        for name, division in (
            ("seconds_per_message", derive.seconds_per_message),
            ("thread_cpu_seconds_per_message", derive.thread_cpu_seconds_per_message),
        ):
            self._add(name, _each(self.used, division), Evidence.MEASURED, _NO_SAMPLES)
        ticks = _each(self.used, derive.tsc_ticks_per_message)
        self._add_with_bytes("tsc_ticks", ticks, Evidence.MEASURED, _NO_TSC)
        cycles, evidence = _core_cycles(self.used)
        self._add_with_bytes("core_cycles", cycles, evidence, _NO_PROBE if ticks else _NO_TSC)

    def add_energy(self, energy: Sequence[DomainEnergy], absence: Absence) -> None:
        """The figures of the headline domain."""
        headline = next((domain for domain in energy if domain.headline), None)
        for name in _ENERGY_FIELDS:
            self.made[name] = None if headline is None else getattr(headline, name)
            missing = absence if headline is None else headline.reasons.get(name)
            if missing is not None:
                self.reasons[name] = missing

    def add_model(self, modelled_watts: float | None) -> None:
        """Joules at a stated power."""
        if modelled_watts is None:
            for name in ("modelled_joules_per_message", "modelled_joules_per_byte"):
                self.made[name], self.reasons[name] = None, MODEL_NOT_ASKED
            return
        joules = [modelled_watts * derive.seconds_per_message(sample) for sample in self.used]
        self._add_with_bytes("modelled_joules", joules, Evidence.MODELLED, _NO_SAMPLES)

    def bytes_per_second(self) -> float | None:
        """The rate at the median of the times, which were added before."""
        seconds = self.made["seconds_per_message"]
        rate = derive.bytes_per_second(seconds.median, self.mean_bytes) if seconds else None
        if rate is None:
            no_rate = NO_COST_PER_BYTE if self.mean_bytes == 0 else _NO_TIME
            self.reasons["bytes_per_second"] = no_rate if self.taken else _NO_SAMPLES
        return rate

    def _add(self, name: str, values: list[float], evidence: Evidence, missing: Absence) -> None:
        """One figure per message, and the reason for its absence."""
        if not values:
            self.made[name] = None
            self.reasons[name] = missing if self.taken else _NO_SAMPLES
            return
        # A counter that only some samples have leaves no way to tell which process a value is of.
        every = len(values) == len(self.used)
        clusters = [sample.generation for sample in self.used] if every else None
        self.made[name] = figure(
            values, evidence, clusters=clusters, level=self.level, seed=self.seed
        )

    def _add_with_bytes(
        self, stem: str, values: list[float], evidence: Evidence, missing: Absence
    ) -> None:
        """The figure per message and the same per byte."""
        self._add(f"{stem}_per_message", values, evidence, missing)
        by_byte = [
            share for v in values if (share := derive.per_byte(v, self.mean_bytes)) is not None
        ]
        self._add(f"{stem}_per_byte", by_byte, evidence, NO_COST_PER_BYTE if values else missing)


def _described(trial: Trial, facts: ImplementationFacts) -> dict[str, Any]:
    """Fields of a result that say of which trial it is."""
    workload = trial.workload
    return {
        "algorithm": trial.algorithm,
        "implementation": trial.implementation,
        "chosen": facts.chosen,
        "provider": facts.provider,
        "target": trial.target,
        "size_bytes": workload.size_bytes,
        "mix": workload.mix,
        "mean_bytes": workload.mean_bytes,
        "batch": workload.batch,
        "batch_calls": facts.batch_calls,
        "mode": workload.mode,
        "cache": workload.cache,
        "key_setup": workload.key_setup,
    }


def _each(
    samples: Sequence[RawSample], division: Callable[[RawSample], float | None]
) -> list[float]:
    """The division of every sample that has the counters; `Figure.samples` tells how many had."""
    return [value for sample in samples if (value := division(sample)) is not None]


def _core_cycles(samples: Sequence[RawSample]) -> tuple[list[float], Evidence]:
    """Core cycles per message: counted if every sample has the counter, else modelled.

    The two are never mixed in one figure.
    """
    counted = _each(samples, derive.measured_core_cycles_per_message)
    if counted and len(counted) == len(samples):
        return counted, Evidence.MEASURED
    return _each(samples, derive.modelled_core_cycles_per_message), Evidence.MODELLED
