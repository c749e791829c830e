# SPDX-License-Identifier: Apache-2.0
"""From the raw samples of one trial to its published result.

Each figure is the median over the samples of a per-sample division. Its interval comes from the
medians of the process generations, since samples of one process are not independent; the interval
of a quotient is never computed from the intervals of its parts. Interrupted samples stay out of
figures as long as enough others are there (`joulemark.judging.standing`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
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
    size = trial.workload.mean_bytes
    reasons = dict.fromkeys(
        ("clocks_per_message", "clocks_per_byte", "key_setup_clocks"), _NO_CLOCK
    )
    figures: dict[str, Any] = {}
    used = list(samples if used is None else used)
    processes = [sample.generation for sample in used]

    def add(name: str, values: list[float], evidence: Evidence, missing: Absence) -> None:
        """One figure per message, and the reason for its absence."""
        # A counter that only some samples have leaves no way to tell which process a value is of.
        clusters = processes if len(values) == len(used) else None
        figures[name] = (
            figure(values, evidence, clusters=clusters, level=level, seed=seed) if values else None
        )
        if not values:
            reasons[name] = missing if samples else _NO_SAMPLES

    def add_with_bytes(
        stem: str, values: list[float], evidence: Evidence, missing: Absence
    ) -> None:
        """The figure per message and the same per byte."""
        add(f"{stem}_per_message", values, evidence, missing)
        by_byte = [share for v in values if (share := derive.per_byte(v, size)) is not None]
        add(f"{stem}_per_byte", by_byte, evidence, NO_COST_PER_BYTE if values else missing)

    measured = Evidence.MEASURED
    add("seconds_per_message", _each(used, derive.seconds_per_message), measured, _NO_SAMPLES)
    add(
        "thread_cpu_seconds_per_message",
        _each(used, derive.thread_cpu_seconds_per_message),
        measured,
        _NO_SAMPLES,
    )
    ticks = _each(used, derive.tsc_ticks_per_message)
    add_with_bytes("tsc_ticks", ticks, measured, _NO_TSC)
    cycles, evidence = _core_cycles(used)
    add_with_bytes("core_cycles", cycles, evidence, _NO_PROBE if ticks else _NO_TSC)

    for name in _ENERGY_FIELDS:
        figures[name], missing = _of_headline(energy, name, energy_absence)
        if missing is not None:
            reasons[name] = missing
    if modelled_watts is None:
        for name in ("modelled_joules_per_message", "modelled_joules_per_byte"):
            figures[name], reasons[name] = None, MODEL_NOT_ASKED
    else:
        joules = [modelled_watts * derive.seconds_per_message(sample) for sample in used]
        add_with_bytes("modelled_joules", joules, Evidence.MODELLED, _NO_SAMPLES)
    seconds = figures["seconds_per_message"]
    rate = derive.bytes_per_second(seconds.median, size) if seconds else None
    if rate is None:
        no_rate = NO_COST_PER_BYTE if size == 0 else _NO_TIME
        reasons["bytes_per_second"] = no_rate if samples else _NO_SAMPLES
    return Result(
        algorithm=trial.algorithm,
        implementation=trial.implementation,
        chosen=facts.chosen,
        provider=facts.provider,
        target=trial.target,
        size_bytes=trial.workload.size_bytes,
        mix=trial.workload.mix,
        mean_bytes=size,
        batch=trial.workload.batch,
        batch_calls=facts.batch_calls,
        mode=trial.workload.mode,
        cache=trial.workload.cache,
        key_setup=trial.workload.key_setup,
        evidence=measured,
        bytes_per_second=rate,
        energy=list(energy),
        repeatability=repeated,
        reasons=reasons,
        warnings=list(doubts),
        samples=[sample.as_dict() for sample in samples] if include_samples else None,
        **figures,
    )


def _of_headline(
    energy: Sequence[DomainEnergy], name: str, energy_absence: Absence
) -> tuple[Figure | None, Absence | None]:
    """One figure of the headline domain, or why there is none."""
    for domain in energy:
        if domain.headline:
            return getattr(domain, name), domain.reasons.get(name)
    return None, energy_absence


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
