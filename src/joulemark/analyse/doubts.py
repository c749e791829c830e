# SPDX-License-Identifier: Apache-2.0
"""What is doubtful about a trial, and what to do about it.

One function per kind of doubt; each looks at the raw samples of one trial and returns a sentence
or nothing; `trial_doubts` lists them in the order they are shown. Warnings never remove a sample
and never change a figure. Counters that run through the whole window (run queue, foreign CPU,
steal) are not held against cold-cache trials, whose wall time is the timed stretches alone: our
own flushing between them would count as disturbance. Doubts about the whole
run are in `joulemark.analyse.warnings`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from joulemark.analyse import derive
from joulemark.measure.energy.void import FEWEST_TICKS, TICK_NS
from joulemark.measure.records import Cache, RawSample, Trial
from joulemark.stats.drift import drift
from joulemark.stats.interval import median_interval
from joulemark.stats.location import median
from joulemark.stats.outliers import modified_z_outliers, tukey_outliers
from joulemark.units import format_hertz, format_percent

__all__ = [
    "FOREIGN_SHARE",
    "STEAL_SHARE",
    "Doubt",
    "DoubtKind",
    "tick_evidence_ns",
    "trial_doubts",
]


class DoubtKind(StrEnum):
    """The kinds of doubt about one trial."""

    TOO_FEW_SAMPLES = "too few samples"
    OUTLIERS = "outliers"
    DRIFT = "drift"
    WIDE_INTERVAL = "wide interval"
    OFF_CPU = "off CPU"
    WAITING = "waiting for a CPU"
    FOREIGN_CPU = "foreign CPU time"
    STEAL = "steal time"
    CORE_CLOCK = "core clock"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that is doubtful."""

    kind: DoubtKind
    text: str
    """What is doubtful, how much, and what to do, for the user."""

    @property
    def sentence(self) -> str:
        """Kind and text, as results carry it: warnings are grouped by what precedes the colon."""
        return f"{self.kind.value}: {self.text}"


FEWEST_SAMPLES: Final = 5
"""Below it no interval for the median has even 93 % (1 - 2^(1-5) = 93.75 % at five)."""
OUTLIER_DEVIATION: Final = 0.01
"""An outlier nearer to the median than 1 % moves no conclusion, however tight the others are."""
OUTLIER_SHARE: Final = 0.1
"""Up to a tenth of the samples may be interrupted, as one in twenty is on any machine with an
interrupt timer: the median of the rest is where it was."""
DRIFT_P: Final = 0.01
"""One trial in a hundred warns for nothing; a run has dozens of trials."""
DRIFT_CHANGE: Final = 0.01
"""A trend of less than 1 % over the run is within what two runs differ by anyway."""
WIDE_HALF_WIDTH: Final = 0.02
"""Half-width over the median above which differences of a few percent cannot be seen."""
OFF_CPU_SHARE: Final = 0.01
"""Waiting or preempted for 1 % of the window: about the size of differences worth finding."""
FOREIGN_SHARE: Final = 0.10
"""A tenth of one CPU: enough to move the clock of, or evict the caches shared with, our core."""
STEAL_SHARE: Final = 0.01
"""1 % of the window given away by the hypervisor: as for `OFF_CPU_SHARE`."""
CLOCK_SPREAD: Final = 0.03
"""Clock probes agree to better than 1 % on a steady core; one step of the clock multiplier
(100 MHz of 2 to 5 GHz) is 2 to 5 %."""


def trial_doubts(trial: Trial, samples: Sequence[RawSample], *, seed: int = 0) -> list[Doubt]:
    """Everything doubtful about one trial; empty without samples, which is a failure's business.

    Args:
        trial: what was measured.
        samples: its raw samples.
        seed: of the bootstrap behind the interval, so that warning and figure agree.
    """
    if not samples:
        return []
    seconds = [derive.seconds_per_message(sample) for sample in samples]
    found = [
        _too_few(seconds),
        _outliers(seconds),
        _drift(seconds, samples),
        _wide(seconds, seed),
        _off_cpu(samples),
        _core_clock(samples),
    ]
    if trial.workload.cache is not Cache.COLD:
        found += [_waiting(samples), _foreign(samples), _steal(samples)]
    return [doubt for doubt in found if doubt is not None]


def _too_few(seconds: Sequence[float]) -> Doubt | None:
    """Fewer than `FEWEST_SAMPLES` samples."""
    if len(seconds) >= FEWEST_SAMPLES:
        return None
    counted = "1 sample" if len(seconds) == 1 else f"{len(seconds)} samples"
    return Doubt(
        DoubtKind.TOO_FEW_SAMPLES,
        f"Only {counted}: the interval cannot reach 95 %; repeat with --rounds 10 or more.",
    )


def _outliers(seconds: Sequence[float]) -> Doubt | None:
    """More than `OUTLIER_SHARE` out by both definitions, `OUTLIER_DEVIATION` off the median."""
    centre = median(seconds)
    if len(seconds) < FEWEST_SAMPLES or centre <= 0:
        return None
    deviation = np.asarray(seconds) / centre - 1
    far = np.abs(deviation) > OUTLIER_DEVIATION
    out = modified_z_outliers(seconds) & tukey_outliers(seconds, severe=True) & far
    if out.sum() <= OUTLIER_SHARE * len(seconds):
        return None
    worst = float(deviation[out][np.argmax(np.abs(deviation[out]))])
    side = "slower" if worst > 0 else "faster"
    return Doubt(
        DoubtKind.OUTLIERS,
        f"{int(out.sum())} of {len(seconds)} samples are outliers, the farthest "
        f"{format_percent(abs(worst))} {side} than the median; they are kept. Something "
        "interrupted the measurement: close other programs, or repeat with more rounds.",
    )


def _drift(seconds: Sequence[float], samples: Sequence[RawSample]) -> Doubt | None:
    """A trend over the rounds that is both certain and large."""
    trend = drift(seconds, [sample.round_index for sample in samples])
    if not (trend.p_value < DRIFT_P and abs(trend.change) > DRIFT_CHANGE):
        return None
    way = "longer" if trend.change > 0 else "shorter"
    return Doubt(
        DoubtKind.DRIFT,
        f"The time per message became {format_percent(abs(trend.change))} {way} from the first "
        f"round to the last (p = {trend.p_value:.2g}), so the median depends on when it was "
        "taken; let the machine reach a steady temperature and load, then repeat.",
    )


def _wide(seconds: Sequence[float], seed: int) -> Doubt | None:
    """An interval too wide to see differences of a few percent."""
    centre, interval = median(seconds), median_interval(seconds, seed=seed)
    half_width = (interval.high - interval.low) / 2
    if centre <= 0 or half_width <= WIDE_HALF_WIDTH * centre:
        return None
    return Doubt(
        DoubtKind.WIDE_INTERVAL,
        f"The interval is +-{format_percent(half_width / centre)} of the median; differences "
        "smaller than that cannot be seen. Repeat with more rounds on a quieter machine.",
    )


def _off_cpu(samples: Sequence[RawSample]) -> Doubt | None:
    """The thread consumed less CPU time than wall time, by more than `OFF_CPU_SHARE`."""
    wall = sum(sample.wall_ns for sample in samples)
    if wall <= 0:
        return None
    share = sum(derive.off_cpu_share(sample) * sample.wall_ns for sample in samples) / wall
    if share <= OFF_CPU_SHARE:
        return None
    preempted = sum(sample.involuntary_switches for sample in samples)
    slept = sum(sample.voluntary_switches for sample in samples)
    return Doubt(
        DoubtKind.OFF_CPU,
        f"The measuring thread was off its CPU for {format_percent(share)} of the time "
        f"({preempted} involuntary and {slept} voluntary context switches); close other programs "
        "or pin the run to a CPU that nothing else uses.",
    )


def _waiting(samples: Sequence[RawSample]) -> Doubt | None:
    """The thread was ready, but another ran on its CPU, for more than `OFF_CPU_SHARE`."""
    known = [(s, s.run_queue_wait_ns) for s in samples if s.run_queue_wait_ns is not None]
    wall = sum(sample.wall_ns for sample, _ in known)
    waited = sum(wait for _, wait in known)
    if wall <= 0 or waited / wall <= OFF_CPU_SHARE:
        return None
    return Doubt(
        DoubtKind.WAITING,
        f"The measuring thread waited {format_percent(waited / wall)} of the time for a CPU that "
        "ran another thread, which also cooled its caches; close other programs, or leave a CPU "
        "free for the measurement.",
    )


def tick_evidence_ns(windows: int) -> float:
    """CPU time that a sum over so many windows must reach before it proves anything, in ns.

    Each window's time is a whole number of ticks, wrong by up to one either way with a standard
    deviation of at most half a tick; over N windows the sum errs by sqrt(N) / 2 ticks. Three
    standard deviations, and at least `FEWEST_TICKS`, are asked for.
    """
    return TICK_NS * max(FEWEST_TICKS, 1.5 * math.sqrt(windows))


def _foreign(samples: Sequence[RawSample]) -> Doubt | None:
    """CPU time of others: machine_busy_ns minus own thread_cpu_ns, summed over the trial."""
    known = [(s, s.machine_busy_ns) for s in samples if s.machine_busy_ns is not None]
    wall = sum(sample.wall_ns for sample, _ in known)
    if wall <= 0:
        return None
    foreign = sum(busy - sample.thread_cpu_ns for sample, busy in known)
    if foreign / wall <= FOREIGN_SHARE or foreign < tick_evidence_ns(len(known)):
        return None
    return Doubt(
        DoubtKind.FOREIGN_CPU,
        f"Another program used {format_percent(foreign / wall)} of a CPU while this was measured; "
        "the medians may be off by more than their interval; close it, or repeat with more rounds.",
    )


def _steal(samples: Sequence[RawSample]) -> Doubt | None:
    """CPU time that the hypervisor gave to somebody else, summed over the trial."""
    known = [(s, s.machine_steal_ns) for s in samples if s.machine_steal_ns is not None]
    wall = sum(sample.wall_ns for sample, _ in known)
    stolen = sum(steal for _, steal in known)
    if wall <= 0 or stolen / wall <= STEAL_SHARE or stolen < tick_evidence_ns(len(known)):
        return None
    return Doubt(
        DoubtKind.STEAL,
        f"The hypervisor took {format_percent(stolen / wall)} of a CPU from this machine while "
        "this was measured; use a dedicated machine, or repeat at a quieter hour.",
    )


def _core_clock(samples: Sequence[RawSample]) -> Doubt | None:
    """Clock probes within the trial that differ by more than `CLOCK_SPREAD` of their median."""
    probes = [
        sample.chain_adds / ticks
        for sample in samples
        for ticks in (sample.chain_ticks_before, sample.chain_ticks_after)
        if ticks and sample.chain_adds > 0
    ]
    if len(probes) < 2 or max(probes) - min(probes) <= CLOCK_SPREAD * median(probes):
        return None
    rates = [rate for sample in samples if (rate := derive.tsc_hertz(sample)) is not None]
    low, high = f"{min(probes):.3g}", f"{max(probes):.3g} core cycles per TSC tick"
    if rates:
        hertz = median(rates)
        low, high = (format_hertz(ratio * hertz) for ratio in (min(probes), max(probes)))
        high += f" by the clock probe (TSC at {format_hertz(hertz)})"
    return Doubt(
        DoubtKind.CORE_CLOCK,
        f"The core clock moved between {low} and {high} while this was measured: times changed "
        "with it, core cycles hardly. Fix the clock (governor performance, turbo off), or compare "
        "core cycles.",
    )
