# SPDX-License-Identifier: Apache-2.0
"""Which is faster: two implementations within a run, or one implementation in two runs.

All arithmetic is done on the logarithm of seconds per message, where "twice as slow" and "twice as
fast" are equally far from "the same" and a common change of clock is a common shift.

Within a run the samples of one round are neighbours in time, so they are paired: drift of clock,
temperature and load cancels. What does not cancel is what a process carries through its life, its
memory layout above all; rounds are therefore grouped by process generation, and each group counts
once (`joulemark.stats.clustered`, which says why). A wait or a change of clock that lasts several
rounds falls into the same groups.

Two stored runs have no common time: round 3 of one and round 3 of the other are hours apart, and
pairing them by number would only throw the order of each run at chance. So they are compared
unpaired, by Welch's t on the centres of the generations if both runs have at least two, else by
rank sums over the samples, and the note says that a difference of layout is then part of the
ratio. A machine that became slower as a whole shifts all trials alike; that common shift is
estimated and reported separately, not subtracted, because a slower compiler flag looks the same.

Simulated (tests/analyse/test_compare_calibration.py): equal implementations, 5 % drift over the
run, noise with heavy tails and 0.5 % offsets per generation are called different in 5 % of the
cases at alpha = 0.05, as alpha says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from joulemark.analyse.derive import seconds_per_message
from joulemark.analyse.verdict import FEWEST_ROUNDS, Comparison, Contest, Verdict, judge
from joulemark.errors import UsageError
from joulemark.judging import standing
from joulemark.records.sample import RawSample
from joulemark.records.trial import Trial, Workload
from joulemark.stats import mad, median, simultaneous_level
from joulemark.stats.clustered import cluster_centres, clustered_shift, welch
from joulemark.stats.shift import ShiftEstimate, rank_sum, sign_test

Samples = Mapping[Trial, Sequence[RawSample]]
"""The raw samples of a run, by trial."""
ThresholdOf = Callable[[str, Workload], float]
"""The smallest relative difference that counts for an implementation at a workload."""

_NORMAL_MAD: Final = 1.4826
"""1 / 0.6745: turns the MAD of a normal distribution into its standard deviation."""


@dataclass(frozen=True, slots=True)
class RoundPoint:
    """One value of a quantity, of one round."""

    round_index: int
    generation: int
    """Generation of the process that gave the value."""
    value: float
    """Logarithm of the quantity."""


@dataclass(frozen=True, slots=True)
class CommonShift:
    """The shift of all trials between two runs: of the machine, or by a change in common code."""

    ratio: float
    """Median over the trials of the ratio of seconds per message, new over old."""
    low: float
    high: float
    """Sign-test interval over the trials, or their range where they are fewer than six."""
    spread: float
    """1.4826 MAD of the logarithms about their median: how much single trials move between these
    two runs for no reason, if most are unchanged."""
    trials: int


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The comparison of two runs, trial by trial."""

    comparisons: tuple[Comparison, ...]
    common_shift: CommonShift | None
    """None if the runs have no common trial."""
    missing: tuple[Trial, ...]
    """Trials of the first run without samples in the second."""
    added: tuple[Trial, ...]
    """Trials of the second run without samples in the first."""


def compare_within(
    samples: Samples, baseline: str, *, alpha: float = 0.05, threshold: float = 0.0
) -> list[Comparison]:
    """Compares every implementation of a run with one of them, at each workload that both have.

    Args:
        samples: of one run.
        baseline: implementation, `algorithm/variant`.
        alpha: chance of even one false verdict "faster" or "slower" among all of them.
        threshold: smallest relative difference that counts, as in 0.02 for 2 %.

    Returns:
        One comparison for each contender and workload, in the order of the trials.
    """
    points = points_of(samples, pairs_against(samples, baseline))
    return compare_points(points, baseline, alpha=alpha, threshold=threshold)


def compare_points(
    points: Mapping[Trial, Sequence[RoundPoint]],
    baseline: str,
    *,
    alpha: float = 0.05,
    threshold: float = 0.0,
    words: tuple[Verdict, Verdict] = (Verdict.FASTER, Verdict.SLOWER),
) -> list[Comparison]:
    """Compares as `compare_within` does, by any quantity of which a run has values by round."""
    check_limits(alpha, threshold)
    if not any(trial.implementation == baseline for trial in points):
        raise UsageError(f"{baseline} has no sample in this run, so nothing can be compared to it.")
    pairs = sorted(pairs_against(points, baseline), key=lambda pair: pair[1])
    return compare_pairs(points, pairs, alpha=alpha, threshold=threshold, words=words)


def compare_pairs(
    points: Mapping[Trial, Sequence[RoundPoint]],
    pairs: Sequence[tuple[Trial, Trial]],
    *,
    alpha: float = 0.05,
    threshold: float | ThresholdOf = 0.0,
    words: tuple[Verdict, Verdict] = (Verdict.FASTER, Verdict.SLOWER),
) -> list[Comparison]:
    """Compares each contender with its baseline, and judges all pairs together.

    Args:
        points: of one run.
        pairs: baseline and contender, of the same workload; those without a round that both have
            are left out.
        alpha: as in `compare_within`.
        threshold: as in `compare_within`.
        words: the verdicts for a smaller and for a larger value.
    """
    threshold_of = _for_each(alpha, threshold)
    paired = [
        (old, new, rounds)
        for old, new in pairs
        if (rounds := _paired_rounds(points[old], points[new]))
    ]
    contests = []
    for old, new, rounds in paired:
        level = simultaneous_level(alpha, len(paired))
        differences, processes = zip(*rounds, strict=True)
        shift = clustered_shift(differences, processes, level=level)
        contests.append(
            Contest(
                old.implementation,
                new.implementation,
                new.workload,
                new.target,
                shift,
                generations=len(set(processes)),
                threshold=threshold_of(new.implementation, new.workload),
            )
        )
    return judge(contests, alpha=alpha, words=words)


def compare_runs(
    before: Samples, after: Samples, *, alpha: float = 0.05, threshold: float | ThresholdOf = 0.0
) -> RunComparison:
    """Compares two runs in every trial that both have, and estimates the shift of all trials.

    Args:
        before: samples of the run to compare with.
        after: samples of the run in question.
        alpha: chance of even one false verdict "faster" or "slower" among all of them.
        threshold: smallest relative difference that counts; `CommonShift.spread` tells what these
            two runs can resolve.
    """
    threshold_of = _for_each(alpha, threshold)
    old, new = _points(before, after), _points(after, before)
    common = sorted(old.keys() & new.keys())
    contests = []
    for trial in common:
        level = simultaneous_level(alpha, len(common))
        shift, generations = _unpaired(old[trial], new[trial], level)
        name = trial.implementation
        smallest = threshold_of(name, trial.workload)
        contests.append(
            Contest(name, name, trial.workload, trial.target, shift, generations, smallest)
        )
    return RunComparison(
        comparisons=tuple(judge(contests, alpha=alpha)),
        common_shift=_common_shift([contest.shift.estimate for contest in contests]),
        missing=tuple(sorted(old.keys() - new.keys())),
        added=tuple(sorted(new.keys() - old.keys())),
    )


def _for_each(alpha: float, threshold: float | ThresholdOf) -> ThresholdOf:
    """The threshold of each trial, of limits that make sense."""
    if callable(threshold):
        check_limits(alpha, 0.0)
        return threshold
    check_limits(alpha, threshold)
    return lambda _name, _workload: threshold


def check_limits(alpha: float, threshold: float) -> None:
    """Refuses settings that make no sense."""
    if not 0 < alpha < 1:
        raise UsageError(f"alpha is {alpha:g}; it must lie between 0 and 1, as in 0.05.")
    if not 0 <= threshold < math.inf:
        raise UsageError(f"The threshold is {threshold:g}; it must be 0 or more, as in 0.05.")


def points_of(
    samples: Samples, pairs: Iterable[tuple[Trial, Trial]]
) -> dict[Trial, list[RoundPoint]]:
    """Points of the windows that figures stand on, or of all where those leave too few rounds.

    Clean windows of two trials may lie in different rounds, and then nothing can be paired. If that
    is so for one contender, all contenders of its baseline are compared by all windows.

    Args:
        samples: of one run.
        pairs: trials that are compared, the baseline first.
    """
    used = standing(samples)
    wanted = [pair for pair in pairs if samples.get(pair[0]) and samples.get(pair[1])]
    short = {
        old
        for old, new in wanted
        if _common(used[old], used[new]) < min(FEWEST_ROUNDS, _common(samples[old], samples[new]))
    }
    for pair in wanted:
        if pair[0] in short:
            used |= {trial: list(samples[trial]) for trial in pair}
    return {trial: log_seconds(taken) for trial, taken in used.items()}


def _common(first: Sequence[RawSample], second: Sequence[RawSample]) -> int:
    """Number of rounds that both have."""
    return len({sample.round_index for sample in first} & {sample.round_index for sample in second})


def pairs_against(trials: Mapping[Trial, object], baseline: str) -> Iterator[tuple[Trial, Trial]]:
    """The baseline's trial and each other trial of the same workload and target."""
    for trial in trials:
        old = replace(trial, implementation=baseline)
        if old != trial and old in trials:
            yield old, trial


def _points(samples: Samples, other: Samples) -> dict[Trial, list[RoundPoint]]:
    """Points of the trials of a run that have any; the other run decides which windows count."""
    return {
        trial: points
        for trial, taken in standing(samples, other).items()
        if (points := log_seconds(taken))
    }


def log_seconds(samples: Sequence[RawSample]) -> list[RoundPoint]:
    """One point per sample, but for samples in which the clock stood still."""
    return [
        RoundPoint(sample.round_index, sample.generation, math.log(seconds))
        for sample in samples
        if (seconds := seconds_per_message(sample)) > 0
    ]


def _paired_rounds(
    before: Sequence[RoundPoint], after: Sequence[RoundPoint]
) -> list[tuple[float, tuple[int, int]]]:
    """Difference of the logarithms, and the pair of processes, for each round both have.

    Several samples of a trial in one round count as their median, under the last generation.
    """
    first, second = by_round(before), by_round(after)
    return [
        (
            second[index].value - first[index].value,
            (first[index].generation, second[index].generation),
        )
        for index in sorted(first.keys() & second.keys())
    ]


def by_round(points: Sequence[RoundPoint]) -> dict[int, RoundPoint]:
    """One point per round: the median of its values, under the last generation."""
    rounds: dict[int, list[RoundPoint]] = {}
    for point in points:
        rounds.setdefault(point.round_index, []).append(point)
    return {
        index: RoundPoint(index, group[-1].generation, median([point.value for point in group]))
        for index, group in rounds.items()
    }


def _unpaired(
    old: Sequence[RoundPoint], new: Sequence[RoundPoint], level: float
) -> tuple[ShiftEstimate, int]:
    """Shift between two runs, and the smaller number of generations behind it."""
    first, second = ([point.value for point in points] for points in (old, new))
    labels = [[point.generation for point in points] for points in (old, new)]
    generations = min(len(set(processes)) for processes in labels)
    if generations < 2:
        return rank_sum(first, second, level=level), 1
    centres = cluster_centres(first, labels[0]), cluster_centres(second, labels[1])
    shift = welch(*centres, level=level, pairs=min(len(first), len(second)))
    return shift, generations


def _common_shift(logarithms: Sequence[float]) -> CommonShift | None:
    """Median, interval and spread of the ratios of all trials."""
    if not logarithms:
        return None
    shift = sign_test(logarithms)
    return CommonShift(
        ratio=math.exp(shift.estimate),
        low=math.exp(shift.low),
        high=math.exp(shift.high),
        spread=_NORMAL_MAD * mad(logarithms),
        trials=len(logarithms),
    )
