# SPDX-License-Identifier: Apache-2.0
"""From the raw samples of one trial to its published result.

Each figure is the median over the samples of a per-sample division. Its interval comes from the
medians of the process generations, since samples of one process are not independent; the interval
of a quotient is never computed from the intervals of its parts. Interrupted samples stay out of
figures as long as enough others are there (`joulemark.judging`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from joulemark.analyse import DomainEnergy, Figure, Repeatability, Result, SampleHistogram, derive
from joulemark.records import ImplementationFacts
from joulemark.records.figures import (
    CLOCK_FIELDS,
    ENERGY_FIELDS,
    ENERGY_NOT_ASKED,
    MODEL_NOT_ASKED,
    NO_COST_PER_BYTE,
    Absence,
    Doubt,
    Evidence,
    FigureGroup,
    fields_in,
)
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial
from joulemark.stats import mad, median, quartiles
from joulemark.stats.clustered import clustered_median_interval, median_interval

# Values of one quantity summarised as a figure: median, interval, quartiles and evidence.


def figure(
    values: Sequence[float],
    evidence: Evidence,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Figure:
    """Summarises values of one quantity in their own unit.

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
    return summary(values, interval.low, interval.high, evidence)


def summary(values: Sequence[float], low: float, high: float, evidence: Evidence) -> Figure:
    """The figure of values, n >= 1, whose interval is known: from `low` to `high`."""
    first, third = quartiles(values)
    return Figure(
        median=median(values),
        low=low,
        high=high,
        minimum=min(values),
        quartile_1=first,
        quartile_3=third,
        mad=mad(values),
        evidence=evidence,
        samples=len(values),
    )


_BINS: Final = 24
_FAR: Final = 0.25
"""Distance from the median, as a part of it, beyond which samples are only counted."""


def histogram(values: Sequence[float]) -> SampleHistogram:
    """Counts of positive values, n >= 1, in bins of one width.

    A value far from the others would leave all of them in one bin, so that it is counted apart:
    one beyond the third quartile by five interquartile ranges, or by a quarter of the median.
    """
    first, third = quartiles(values)
    middle = median(values)
    low = max(min(values), middle * (1 - _FAR))
    high = min(max(values), third + 5 * (third - first), middle * (1 + _FAR))
    width = max((high - low) / _BINS, middle * 1e-6)
    places = [math.floor((value - low) / width) for value in values]
    # The greatest value is the upper edge of the last bin, which belongs to the bin.
    inside = [min(place, _BINS - 1) for place in places if 0 <= place <= _BINS]
    counts = Counter(inside)
    return SampleHistogram(
        low, width, tuple(counts[place] for place in range(_BINS)), len(values) - len(inside)
    )


def exact(value: float | None, evidence: Evidence) -> Figure | None:
    """The figure of a count that is the same at every repetition; None where there is none."""
    if value is None:
        return None
    return Figure(
        median=value,
        low=value,
        high=value,
        minimum=value,
        quartile_1=value,
        quartile_3=value,
        mad=0.0,
        evidence=evidence,
        samples=1,
    )


_OF_A_MACHINE: Final = fields_in(FigureGroup.TIME, FigureGroup.COUNTS, FigureGroup.ENERGY)
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


def estimate(
    trial: Trial,
    facts: ImplementationFacts,
    samples: Sequence[RawSample],
    *,
    seed: int = 0,
    include_samples: bool = False,
    with_histogram: bool = False,
    energy: Sequence[DomainEnergy] = (),
    energy_absence: Absence = ENERGY_NOT_ASKED,
    modelled_watts: float | None = None,
    repeated: Repeatability | None = None,
    level: float = 0.95,
    used: Sequence[RawSample] | None = None,
    doubts: Sequence[Doubt] = (),
) -> Result:
    """The published result of one trial.

    Args:
        trial: the trial that was measured.
        facts: what the implementation says of itself.
        samples: its raw samples, any number; without one every figure is null, with a reason.
        seed: of the bootstrap; the same seed and samples give the same result.
        include_samples: whether the result carries the raw samples.
        with_histogram: whether the result carries the histogram of its times.
        energy: figures of each domain of the meter for this trial; empty without a meter.
        energy_absence: why there is no figure in joules, where there is no meter.
        modelled_watts: power that the user stated; gives modelled joules, apart from all others.
        repeated: how much its median moved between runs.
        level: nominal level of the intervals; above 95 % in a run that stopped once its intervals
            were narrow enough.
        used: those of the samples that figures stand on; all unless given.
        doubts: what is doubtful about the trial (`joulemark.analyse.doubts`).
    """
    figures = _Figures(
        samples, samples if used is None else used, trial.workload.mean_bytes, level, seed
    )
    figures.add_counted()
    figures.add_energy(energy, energy_absence)
    figures.add_model(modelled_watts)
    rate = figures.bytes_per_second()
    times = _each(figures.used, derive.seconds_per_message) if with_histogram else []
    return result_with(
        trial,
        facts,
        Evidence.MEASURED,
        figures.by_field,
        bytes_per_second=rate,
        energy=list(energy),
        repeatability=repeated,
        reasons=figures.reasons,
        warnings=list(doubts),
        histogram=histogram(times) if times and min(times) > 0 else None,
        samples=[sample.as_dict() for sample in samples] if include_samples else None,
    )


def result_with(
    trial: Trial,
    facts: ImplementationFacts,
    evidence: Evidence,
    figures: Mapping[str, Figure | None],
    **others: Any,
) -> Result:
    """The result of a trial with these figures and no others.

    Args:
        trial: names algorithm, implementation, target and workload.
        facts: what the implementation says of itself.
        evidence: of the figure by which the result is ranked.
        figures: field name -> figure.
        others: further fields, and those that differ from what trial and facts say.
    """
    fields = {
        "algorithm": trial.algorithm,
        "implementation": trial.implementation,
        "chosen": facts.chosen,
        "provider": facts.provider,
        "target": trial.target,
        "mean_bytes": trial.workload.mean_bytes,
        "batch_calls": facts.batch_calls,
        "evidence": evidence,
        **asdict(trial.workload),
    }
    absent: dict[str, Any] = dict.fromkeys((*_OF_A_MACHINE, "bytes_per_second"))
    return Result(**(absent | fields | dict(figures) | others))


@dataclass(frozen=True, slots=True)
class _Figures:
    """Figures of one trial, with the reasons for those that are missing."""

    taken: Sequence[RawSample]
    """All samples of the trial."""
    used: Sequence[RawSample]
    """Samples that the figures stand on."""
    mean_bytes: float
    level: float
    seed: int
    by_field: dict[str, Any] = field(default_factory=dict)
    reasons: dict[str, Absence] = field(
        default_factory=lambda: dict.fromkeys(CLOCK_FIELDS, _NO_CLOCK)
    )

    def add_counted(self) -> None:
        """Adds times, ticks and core cycles."""
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
        """Adds the figures of the headline domain."""
        headline = next((domain for domain in energy if domain.headline), None)
        for name in ENERGY_FIELDS:
            self.by_field[name] = None if headline is None else getattr(headline, name)
            missing = absence if headline is None else headline.reasons.get(name)
            if missing is not None:
                self.reasons[name] = missing

    def add_model(self, modelled_watts: float | None) -> None:
        """Adds joules at a stated power."""
        if modelled_watts is None:
            for name in ("modelled_joules_per_message", "modelled_joules_per_byte"):
                self.by_field[name], self.reasons[name] = None, MODEL_NOT_ASKED
            return
        joules = [modelled_watts * derive.seconds_per_message(sample) for sample in self.used]
        self._add_with_bytes("modelled_joules", joules, Evidence.MODELLED, _NO_SAMPLES)

    def bytes_per_second(self) -> float | None:
        """The rate at the median of the times, which `add_counted` added before."""
        seconds = self.by_field["seconds_per_message"]
        rate = derive.bytes_per_second(seconds.median, self.mean_bytes) if seconds else None
        if rate is None:
            no_rate = NO_COST_PER_BYTE if self.mean_bytes == 0 else _NO_TIME
            self.reasons["bytes_per_second"] = no_rate if self.taken else _NO_SAMPLES
        return rate

    def _add(self, name: str, values: list[float], evidence: Evidence, missing: Absence) -> None:
        """Adds one figure, or the reason for its absence."""
        if not values:
            self.by_field[name] = None
            self.reasons[name] = missing if self.taken else _NO_SAMPLES
            return
        # A counter that only some samples have leaves no way to tell which process a value is of.
        every = len(values) == len(self.used)
        clusters = [sample.generation for sample in self.used] if every else None
        self.by_field[name] = figure(
            values, evidence, clusters=clusters, level=self.level, seed=self.seed
        )

    def _add_with_bytes(
        self, stem: str, values: list[float], evidence: Evidence, missing: Absence
    ) -> None:
        """Adds the figure per message and the same per byte."""
        self._add(f"{stem}_per_message", values, evidence, missing)
        by_byte = [value / self.mean_bytes for value in values] if self.mean_bytes else []
        self._add(f"{stem}_per_byte", by_byte, evidence, NO_COST_PER_BYTE if values else missing)


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
