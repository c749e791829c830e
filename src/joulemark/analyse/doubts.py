# SPDX-License-Identifier: Apache-2.0
"""Doubts about the times of one trial, each with its remedy.

One function per kind of doubt looks at the raw samples of one trial and returns a doubt or None;
`trial_doubts` lists the doubts in the order in which they are shown. Warnings never remove a sample
and never change a figure: which samples a figure stands on is decided by
`joulemark.judging` alone. Doubts about the whole run are in
`joulemark.analyse.machine_load`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from joulemark.analyse import derive
from joulemark.judging import off_cpu_share, was_interrupted
from joulemark.judging.void import FEWEST_TICKS, TICK_NS
from joulemark.records.figures import Doubt, DoubtKind
from joulemark.records.sample import RawSample
from joulemark.records.trial import Cache, Trial
from joulemark.stats import median, modified_z_outliers, tukey_outliers
from joulemark.stats.clustered import clustered_median_interval
from joulemark.stats.shift import drift
from joulemark.units import format_count, format_hertz, format_percent

# The visits behind the samples of a trial: what the machine did round all windows of one round.


@dataclass(frozen=True, slots=True)
class VisitSpan:
    """Counters from before the first warm-up of a trial's windows in one round to their end."""

    round_index: int
    generation: int
    wall_ns: int
    thread_cpu_ns: int
    machine_busy_ns: int | None
    machine_steal_ns: int | None


def visits(samples: Iterable[RawSample]) -> list[VisitSpan]:
    """The visits of one trial, by round; a sample older than visits is a visit by itself."""
    first: dict[int, RawSample] = {}
    for sample in samples:
        first.setdefault(sample.round_index, sample)
    return [
        VisitSpan(
            round_index=sample.round_index,
            generation=sample.generation,
            wall_ns=sample.wall_ns if sample.visit_wall_ns is None else sample.visit_wall_ns,
            thread_cpu_ns=sample.thread_cpu_ns
            if sample.visit_thread_cpu_ns is None
            else sample.visit_thread_cpu_ns,
            machine_busy_ns=sample.machine_busy_ns,
            machine_steal_ns=sample.machine_steal_ns,
        )
        for _, sample in sorted(first.items())
    ]


FEWEST_SAMPLES: Final = 5
"""With fewer no interval for the median reaches even 93 % (1 - 2^(1-5) = 93.75 % at five)."""
OUTLIER_DEVIATION: Final = 0.01
"""An outlier nearer to the median than 1 % moves no conclusion, however tight the others are."""
OUTLIER_SHARE: Final = 0.1
"""Up to a tenth of the samples may be interrupted, as one in twenty is on any machine with an
interrupt timer: the median of the rest is where it was."""
DRIFT_P: Final = 0.01
"""One trial in a hundred warns without a cause; a run has dozens of trials."""
DRIFT_CHANGE: Final = 0.01
"""A trend of less than 1 % over the run is within what two runs differ by anyway."""
WIDE_HALF_WIDTH: Final = 0.02
"""Half-width over the median above which differences of a few percent cannot be seen."""
INTERRUPTED_SHARE: Final = 0.5
"""Share of interrupted windows among all, above which the others are doubtful. Interrupted windows
are left out, so a few do no harm; if half are, their cause also cools caches between the others."""
SHARED_SHARE: Final = 0.5
"""Share of windows on a shared core above which a doubt says that they were left out."""
SLOW_MEDIAN: Final = 1.3
"""Median over minimum above which half of the samples cost so much more than the best that the
reader must be told why."""
SAME_COST: Final = 1.1
"""Median over minimum of core cycles up to which times are said to spread because of the clock."""
FOREIGN_SHARE: Final = 0.10
"""A tenth of one CPU: enough to move the clock of, or evict the caches shared with, our core."""
STEAL_SHARE: Final = 0.01
"""1 % of the time given away by the hypervisor: about the size of differences worth finding."""
CLOCK_SPREAD: Final = 0.03
"""Clock probes agree to better than 1 % on a steady core; one step of the clock multiplier
(100 MHz of 2 to 5 GHz) is 2 to 5 %."""


def trial_doubts(
    trial: Trial, samples: Sequence[RawSample], used: Sequence[RawSample] | None = None
) -> list[Doubt]:
    """All doubts about one trial; none without samples, which a failure explains.

    Args:
        trial: what was measured.
        samples: its raw samples.
        used: those of them that figures stand on; all unless given.
    """
    if not samples:
        return []
    used = samples if used is None else used
    seconds = [derive.seconds_per_message(sample) for sample in used]
    doubts = [
        _too_few(seconds),
        _interrupted(samples, used),
        _shared_core(samples, used),
        _gives_up(used),
        _off_cpu(used),
        _outliers(seconds),
        _drift(used, seconds),
        _wide(used, seconds),
        _slow_median(used, seconds),
        _core_clock(used),
    ]
    if trial.workload.cache is not Cache.COLD:
        doubts += [_foreign(samples), _steal(samples)]
    return [doubt for doubt in doubts if doubt is not None]


def _too_few(seconds: Sequence[float]) -> Doubt | None:
    """Fewer than `FEWEST_SAMPLES` samples."""
    if len(seconds) >= FEWEST_SAMPLES:
        return None
    return Doubt(
        DoubtKind.TOO_FEW_SAMPLES,
        f"Only {format_count(len(seconds), 'sample')}: the interval cannot reach 95 %; repeat with "
        "--rounds 10 or more.",
    )


def _outliers(seconds: Sequence[float]) -> Doubt | None:
    """More than `OUTLIER_SHARE` out by both definitions, `OUTLIER_DEVIATION` off the median."""
    centre = median(seconds)
    if len(seconds) < FEWEST_SAMPLES or centre <= 0:
        return None
    deviation = np.asarray(seconds) / centre - 1
    far = np.abs(deviation) > OUTLIER_DEVIATION
    out = modified_z_outliers(seconds) & tukey_outliers(seconds) & far
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


def _drift(samples: Sequence[RawSample], seconds: Sequence[float]) -> Doubt | None:
    """A trend over the rounds, each reduced to its median, that is both certain and large."""
    medians = _medians([sample.round_index for sample in samples], seconds)
    trend = drift(list(medians.values()), list(medians))
    if not (trend.p_value < DRIFT_P and abs(trend.change) > DRIFT_CHANGE):
        return None
    way = "longer" if trend.change > 0 else "shorter"
    return Doubt(
        DoubtKind.DRIFT,
        f"The time per message became {format_percent(abs(trend.change))} {way} from the first "
        f"round to the last (p = {trend.p_value:.2g}), so the median depends on when it was "
        "taken; let the machine reach a steady temperature and load, then repeat.",
    )


def _medians(labels: Sequence[int], seconds: Sequence[float]) -> dict[int, float]:
    """Label -> median of the seconds that carry it."""
    groups: dict[int, list[float]] = {}
    for label, value in zip(labels, seconds, strict=True):
        groups.setdefault(label, []).append(value)
    return {label: median(group) for label, group in groups.items()}


def _wide(samples: Sequence[RawSample], seconds: Sequence[float]) -> Doubt | None:
    """An interval too wide to see differences of a few percent."""
    processes = [sample.generation for sample in samples]
    centre = median(seconds)
    interval = clustered_median_interval(seconds, processes)
    half_width = (interval.high - interval.low) / 2
    if centre <= 0 or half_width <= WIDE_HALF_WIDTH * centre:
        return None
    return Doubt(
        DoubtKind.WIDE_INTERVAL,
        f"The interval is +-{format_percent(half_width / centre)} of the median; differences "
        "smaller than that cannot be seen. Repeat with --precision and a larger --budget, or on a "
        "quieter machine.",
    )


def _interrupted(samples: Sequence[RawSample], used: Sequence[RawSample]) -> Doubt | None:
    """Most windows were interrupted, and the rest stands between interruptions."""
    count = sum(map(was_interrupted, samples))
    if count <= INTERRUPTED_SHARE * len(samples) or any(map(was_interrupted, used)):
        return None
    return Doubt(
        DoubtKind.INTERRUPTED,
        f"{count} of {len(samples)} windows were interrupted by other programs and are left out. "
        "Such interruptions also cool the caches of the windows that are kept. Leave a CPU free "
        "for the measurement, or repeat with --wait-quiet.",
    )


def _shared_core(samples: Sequence[RawSample], used: Sequence[RawSample]) -> Doubt | None:
    """Most clean windows ran beside another hardware thread of the core, and are left out."""
    clean = sum(not was_interrupted(sample) for sample in samples)
    count = clean - len(used)
    if count <= SHARED_SHARE * clean or any(map(was_interrupted, used)):
        return None
    return Doubt(
        DoubtKind.SHARED_CORE,
        f"In {count} of {clean} windows another hardware thread used the same core; they "
        "are left out, so the figure is that of a core alone. On a machine that is always so busy, "
        "programs are slower than that.",
    )


def _gives_up(samples: Sequence[RawSample]) -> Doubt | None:
    """The code sleeps, waits or reads: its time is more than work."""
    count = sum(sample.voluntary_switches > 0 for sample in samples)
    if count <= SHARED_SHARE * len(samples):
        return None
    return Doubt(
        DoubtKind.GIVES_UP,
        f"In {count} of {len(samples)} windows the code gave up the CPU by itself, to sleep, to "
        "read or to wait for a lock; the time it waited is part of its figure.",
    )


def _off_cpu(samples: Sequence[RawSample]) -> Doubt | None:
    """Figures stand on interrupted windows, because too few others were taken."""
    count = sum(map(was_interrupted, samples))
    if count == 0:
        return None
    wall = sum(sample.wall_ns for sample in samples)
    away = sum(off_cpu_share(sample) * sample.wall_ns for sample in samples) / max(wall, 1)
    return Doubt(
        DoubtKind.OFF_CPU,
        f"{count} of {len(samples)} windows were interrupted and too few others are left, so they "
        f"are part of the figure: the thread was off its CPU for {format_percent(away)} of the "
        "time. Leave a CPU free for the measurement, or compare the CPU time of the thread.",
    )


def _slow_median(samples: Sequence[RawSample], seconds: Sequence[float]) -> Doubt | None:
    """Half of the samples cost more than `SLOW_MEDIAN` times the fastest; says why."""
    fastest = min(seconds)
    if fastest <= 0 or median(seconds) <= SLOW_MEDIAN * fastest:
        return None
    cycles = [derive.modelled_core_cycles_per_message(sample) for sample in samples]
    known = [cycle for cycle in cycles if cycle is not None and cycle > 0]
    centres = _medians([sample.generation for sample in samples], seconds).values()
    if known and len(known) == len(cycles) and median(known) <= SAME_COST * min(known):
        why = "the clock of the core moved, core cycles hardly; compare those"
    elif len(centres) > 1 and max(centres) > SLOW_MEDIAN * min(centres):
        why = (
            "some processes were slower throughout, by where their code and data lay or by what "
            "else ran meanwhile; the quartiles show the range"
        )
    else:
        why = (
            "it varies within a process, by where the buffers lay or by what shares the core and "
            "its caches; the minimum is nearer to the cost of the code alone"
        )
    return Doubt(
        DoubtKind.SLOW_MEDIAN,
        f"The median is {median(seconds) / fastest:.2f} times the minimum: {why}.",
    )


def tick_evidence_ns(windows: int) -> float:
    """CPU time that a sum over so many windows must reach before it proves anything, in ns.

    Each window's time is a whole number of ticks, wrong by up to one either way with a standard
    deviation of at most half a tick; over N windows the sum errs by sqrt(N) / 2 ticks. Three
    standard deviations, and at least `FEWEST_TICKS`, are asked for.
    """
    return max(TICK_NS * FEWEST_TICKS, tick_error_ns(windows))


def tick_error_ns(windows: int) -> float:
    """Three standard deviations of such a sum, in ns."""
    return 1.5 * TICK_NS * math.sqrt(windows)


def _foreign(samples: Sequence[RawSample]) -> Doubt | None:
    """CPU time of others: busy time of all CPUs less that of our thread, summed over the visits."""
    known = [v for v in visits(samples) if v.machine_busy_ns is not None]
    foreign_ns = sum((visit.machine_busy_ns or 0) - visit.thread_cpu_ns for visit in known)
    share = _proved_share(foreign_ns, known, FOREIGN_SHARE)
    if share is None:
        return None
    return Doubt(
        DoubtKind.FOREIGN_CPU,
        f"Another program used {share} of a CPU while this was measured; "
        "the medians may be off by more than their interval; close it, or repeat with more rounds.",
    )


def _steal(samples: Sequence[RawSample]) -> Doubt | None:
    """CPU time that the hypervisor gave to somebody else, summed over the visits."""
    known = [v for v in visits(samples) if v.machine_steal_ns is not None]
    stolen_ns = sum(visit.machine_steal_ns or 0 for visit in known)
    share = _proved_share(stolen_ns, known, STEAL_SHARE)
    if share is None:
        return None
    return Doubt(
        DoubtKind.STEAL,
        f"The hypervisor took {share} of a CPU from this machine while "
        "this was measured; use a dedicated machine, or repeat at a quieter hour.",
    )


def _proved_share(cpu_ns: int, known: Sequence[VisitSpan], limit: float) -> str | None:
    """CPU time over the wall time of visits, in words that ticks prove.

    None up to the limit, or if ticks prove nothing. The time itself may be wrong by more than
    itself: of a few short visits it may be more than the machine has CPUs.
    """
    wall_ns = sum(visit.wall_ns for visit in known)
    if wall_ns <= 0 or cpu_ns < tick_evidence_ns(len(known)) or cpu_ns / wall_ns <= limit:
        return None
    least = (cpu_ns - tick_error_ns(len(known))) / wall_ns
    return f"at least {format_percent(least)}" if least > limit else "a part"


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
