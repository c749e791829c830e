# SPDX-License-Identifier: Apache-2.0
"""The gate behind `joulemark check`: may this run pass, compared with a stored one?

Five answers with five exit codes (2 is a usage error and belongs to the command line). Where
several hold, the first of this list is given, because each makes the ones after it meaningless or
unfounded:

    1 regressed            an implementation of the baseline crashed, hung or was wrong
    3 nothing measured     no trial has samples in both runs; there is nothing to say
    4 environment differs  the machines or their settings differ; any difference may be theirs
    1 regressed            some trial is slower by more than the threshold, beyond doubt
    5 too noisy            no regression beyond the threshold is shown, and none is excluded
    0 ok                   every interval ends below the threshold

A gate that fails to measure must not look like a gate that passed; a gate that is merely noisy
must not look like a regression.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from joulemark.analyse.compare import (
    RunComparison,
    Samples,
    check_limits,
    compare_pairs,
    compare_runs,
    points_of,
)
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.environment.facts import MACHINE_KEYS, may_agree
from joulemark.records.build_names import plain_name
from joulemark.records.trial import Trial
from joulemark.units import format_percent

__all__ = [
    "ADVICE_BUILDS",
    "ADVICE_RUNS",
    "ENVIRONMENT_KEYS",
    "GateCode",
    "GateOutcome",
    "check",
    "check_pairs",
    "environment_differences",
    "pairs_decided",
]

ENVIRONMENT_KEYS: Final = (*MACHINE_KEYS, "compiler")
"""Facts that must agree for times to be comparable. Measured frequencies are left out: they jitter
from one reading to the next on one machine. Versions of Joulemark and of libraries are left out
too: a check is there to judge them."""

_FLOAT_TOLERANCE: Final = 0.01
"""Measured quantities given as keys agree within 1 %, the jitter of a clock reading."""

ADVICE_RUNS: Final = (
    "Measure both again with more --rounds, or choose a larger --threshold; measured in one run, "
    "by joulemark check --old --new, they are told apart best."
)
_NOTHING_IN_BOTH: Final = "No trial was measured in both builds; see the failures."
ADVICE_BUILDS: Final = (
    "Give it more time with a larger --budget, choose a larger --threshold, or measure when the "
    "machine has less to do."
)


class GateCode(IntEnum):
    """Exit codes of `joulemark check`."""

    OK = 0
    REGRESSED = 1
    NOT_ANSWERED = 2
    """The question makes no sense, or code could not be built. No outcome of a check has it."""
    NOTHING_MEASURED = 3
    ENVIRONMENT_DIFFERS = 4
    TOO_NOISY = 5


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The answer of a gate, and everything it rests on."""

    code: GateCode
    reasons: tuple[str, ...]
    """Sentences for the user, the decisive one first."""
    regressions: tuple[Comparison, ...]
    unclear: tuple[Comparison, ...]
    """Trials that could hide a regression: their interval reaches beyond the threshold, or they
    have too few rounds."""
    environment_differences: Mapping[str, tuple[Any, Any]]
    """Key -> its values in the baseline and in the new run."""
    runs: RunComparison
    """Every comparison, also where the environment differs, and the common shift."""


def check(
    baseline: Samples,
    current: Samples,
    baseline_environment: Mapping[str, Any],
    current_environment: Mapping[str, Any],
    *,
    threshold: float = 0.05,
    alpha: float = 0.05,
    keys: Sequence[str] = ENVIRONMENT_KEYS,
    failed: Collection[str] = (),
) -> GateOutcome:
    """Judges a run against a stored one.

    Args:
        baseline: samples of the stored run.
        current: samples of the run in question.
        baseline_environment: fields of its `Environment`; may carry `compiler` as well.
        current_environment: the same of the run in question.
        threshold: smallest slow-down that counts, as a fraction.
        alpha: chance of even one false alarm over all trials together.
        keys: facts that must agree.
        failed: implementations that crashed, hung or computed something wrong in the run in
            question. One that the baseline measured is a regression wherever it was measured:
            broken is worse than slow.

    Raises:
        UsageError: alpha or threshold is out of range.
    """
    runs = compare_runs(baseline, current, alpha=alpha, threshold=threshold)
    differences = environment_differences(baseline_environment, current_environment, keys)
    broken = sorted({trial.implementation for trial in baseline} & set(failed))
    return _judge(runs, threshold, (_nothing(runs), ADVICE_RUNS), differences, broken)


def check_pairs(
    samples: Samples,
    pairs: Sequence[tuple[Trial, Trial]],
    *,
    threshold: float,
    alpha: float,
    looks: int,
    failed: Collection[str] = (),
    lacking: Sequence[str] = (),
) -> GateOutcome:
    """Judges new code against old code that was measured in the same run.

    Args:
        samples: of both.
        pairs: the trials of the old and of the new code.
        threshold: smallest slow-down that counts, as a fraction.
        alpha: chance of even one false alarm over all trials and all looks together.
        looks: how often the run may be judged while it goes on; each look has its part of alpha.
        failed: implementations that crashed, hung or computed something wrong. One of the new
            code is a regression where the old code was measured, and so is a trial that the new
            code refuses and the old code does not.
        lacking: implementations that only the old code has, which is a regression too.

    Raises:
        UsageError: alpha or threshold is out of range.
    """
    check_limits(alpha, threshold)
    points = points_of(samples, pairs)
    usable = [pair for pair in pairs if not {trial.implementation for trial in pair} & set(failed)]
    comparisons = compare_pairs(points, usable, alpha=alpha / looks, threshold=threshold)
    measured = {(comparison.contender, comparison.workload) for comparison in comparisons}
    runs = RunComparison(
        comparisons=tuple(comparisons),
        common_shift=None,  # Neither build can blame the machine: it was the same for both.
        missing=tuple(
            new for _, new in pairs if (new.implementation, new.workload) not in measured
        ),
        added=(),
    )
    broken = sorted(
        {
            new.implementation
            for old, new in pairs
            if new.implementation in failed and old.implementation not in failed
        }
    )
    refused = [
        f"{plain_name(new.implementation)} at {new.workload.text} has no figure in the new build."
        for old, new in pairs
        if samples.get(old) and not samples.get(new) and new.implementation not in failed
    ]
    gone = [*(f"The new build lacks {name}." for name in lacking), *refused]
    return _judge(runs, threshold, (_NOTHING_IN_BOTH, ADVICE_BUILDS), {}, broken, gone)


def pairs_decided(outcome: GateOutcome) -> bool:
    """Whether every trial is slower beyond the threshold, or its interval ends below it."""
    return not outcome.unclear


def _judge(
    runs: RunComparison,
    threshold: float,
    words: tuple[str, str],
    differences: Mapping[str, tuple[Any, Any]],
    broken: Sequence[str],
    gone: Sequence[str] = (),
) -> GateOutcome:
    """The outcome of these comparisons, in the order that the head of this file states.

    Args:
        runs: the comparisons.
        threshold: as in `check`.
        words: the sentence for a run without comparisons, and the advice where it is too noisy.
        differences: of the environments.
        broken: implementations that failed in the new code alone.
        gone: sentences on what the old code does and the new code does not.
    """
    nothing, advice = words
    if broken:
        gone = [f"{', '.join(broken)} failed in the new run; see its failures.", *gone]
    regressions = tuple(c for c in runs.comparisons if c.verdict is Verdict.SLOWER)
    unclear = tuple(
        c
        for c in runs.comparisons
        if c.verdict is Verdict.TOO_FEW
        or (c.verdict is not Verdict.SLOWER and c.high > 1 + threshold)
    )
    if gone:
        code = GateCode.REGRESSED
    elif not runs.comparisons:
        code = GateCode.NOTHING_MEASURED
    elif differences:
        code = GateCode.ENVIRONMENT_DIFFERS
    elif regressions:
        code = GateCode.REGRESSED
    elif unclear:
        code = GateCode.TOO_NOISY
    else:
        code = GateCode.OK
    sentences = {
        GateCode.NOTHING_MEASURED: [nothing],
        GateCode.ENVIRONMENT_DIFFERS: _environment(differences),
        GateCode.REGRESSED: [*gone, *_regressed(regressions, threshold)],
        GateCode.TOO_NOISY: [*_unclear(unclear, threshold), advice],
        GateCode.OK: [f"No trial is more than {format_percent(threshold)} slower."],
    }
    return GateOutcome(
        code=code,
        reasons=(*sentences[code], *_remarks(runs, threshold, code)),
        regressions=regressions,
        unclear=unclear,
        environment_differences=differences,
        runs=runs,
    )


def environment_differences(
    baseline: Mapping[str, Any], current: Mapping[str, Any], keys: Sequence[str] = ENVIRONMENT_KEYS
) -> dict[str, tuple[Any, Any]]:
    """Keys whose values differ, with both values.

    Unknown (None or absent) agrees with unknown and with nothing else, but for the digest of a
    machine (`may_agree`). Floating-point values agree within 1 %; lists and tuples agree element by
    element.
    """
    return {
        key: (baseline.get(key), current.get(key))
        for key in keys
        if not _agree(key, baseline.get(key), current.get(key))
    }


def _agree(key: str, old: Any, new: Any) -> bool:
    """Whether two values are one fact; a round trip through JSON turns tuples into lists."""
    numbers = isinstance(old, (int, float)) and isinstance(new, (int, float))
    if numbers and (isinstance(old, float) or isinstance(new, float)):
        return math.isclose(old, new, rel_tol=_FLOAT_TOLERANCE)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return list(old) == list(new)
    return may_agree(key, old, new)


def _nothing(runs: RunComparison) -> str:
    """Why two stored runs have no comparison."""
    if not runs.missing and not runs.added:
        return "Neither run has a sample; see their lists of failures."
    if not runs.added:
        return "The new run has no sample of any trial in the baseline; see its failures."
    if not runs.missing:
        return "The baseline has no sample; measure and store a new one."
    return "The two runs share no trial; give both the same implementations and sizes."


def _environment(differences: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """The sentence that lists each difference."""

    def text(value: Any) -> str:
        return "unknown" if value is None else str(value)

    listed = "; ".join(
        f"{key} was {text(old)}, is {text(new)}" for key, (old, new) in differences.items()
    )
    sentence = f"The environments differ ({listed}), so times cannot be compared; "
    return [sentence + "measure a new baseline here."]


def _regressed(regressions: Sequence[Comparison], threshold: float) -> list[str]:
    """The slower trials, the worst first."""
    worst_first = sorted(regressions, key=lambda regression: regression.ratio, reverse=True)
    return [
        f"{_name(comparison)} is {format_percent(comparison.ratio - 1)} slower (at least "
        f"{format_percent(comparison.low - 1)}; the threshold is {format_percent(threshold)})."
        for comparison in worst_first
    ]


def _unclear(unclear: Sequence[Comparison], threshold: float) -> list[str]:
    """The trials that could hide a regression."""
    return [
        f"{_name(comparison)} is {_span(comparison.low, comparison.high)} ({comparison.verdict}); "
        f"a slow-down of more than {format_percent(threshold)} cannot be excluded."
        for comparison in unclear
    ]


def _span(low: float, high: float) -> str:
    """An interval of ratios of times in words: from 48 % faster to 22 % slower."""
    first, last = (format_percent(abs(ratio - 1)) for ratio in (low, high))
    if low >= 1:
        return f"from {first} to {last} slower"
    if high <= 1:
        return f"from {first} to {last} faster"
    return f"from {first} faster to {last} slower"


def _remarks(runs: RunComparison, threshold: float, code: GateCode) -> list[str]:
    """Sentences that do not decide and that the user should know."""
    remarks = []
    shift = runs.common_shift
    if shift and shift.trials > 1 and shift.low > 1 and shift.ratio - 1 > threshold / 2:
        remarks.append(
            f"All trials together became {format_percent(shift.ratio - 1)} slower: the machine, "
            "or something that all of them share, changed."
        )
    if runs.missing and code is not GateCode.NOTHING_MEASURED:
        named = ", ".join(sorted({trial.implementation for trial in runs.missing}))
        remarks.append(
            f"Not measured this time, though it was before: {named}; see the list of failures."
        )
    return remarks


def _name(comparison: Comparison) -> str:
    """Implementation and size."""
    return f"{plain_name(comparison.contender)} at {comparison.workload.text}"
