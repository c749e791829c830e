# SPDX-License-Identifier: Apache-2.0
"""The gate behind `joulemark check`: may this run pass, compared with a stored one?

Five answers with five exit codes (2 is a usage error and belongs to the command line). Where
several hold, the first of this list is given, because each makes the ones after it meaningless or
unfounded:

    1 regressed            an implementation of the baseline, or any of a new build, crashed, hung
                           or was wrong
    3 nothing measured     no trial has samples in both runs; there is nothing to say
    4 environment differs  the machines or their settings differ; any difference may be theirs
    1 regressed            some trial is slower by more than the threshold, beyond doubt, or has no
                           figure in the new code and had one in the old code
    5 too noisy            no regression beyond the threshold is shown, and none is excluded
    0 ok                   every interval ends below the threshold

Answer 5 has a second name, "at the threshold", where the intervals are narrow and hold the
threshold: more time would hardly decide them.

A gate that fails to measure must not look like a gate that passed; a gate that is merely noisy
must not look like a regression.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from joulemark.analyse.compare import (
    RunComparison,
    Samples,
    check_limits,
    compare_pairs,
    compare_runs,
    points_of,
)
from joulemark.analyse.gate_limits import GateLimits, TimeLimit, time_limits
from joulemark.analyse.gate_outcome import (
    GateCode,
    GateOutcome,
    Vanished,
    allowed_sentences,
    common_sentences,
    environment_sentences,
    is_at_threshold,
    none_slower_sentence,
    nothing_sentence,
    slower_sentences,
    unclear_of,
    unclear_sentences,
    vanished_sentences,
)
from joulemark.analyse.verdict import Verdict
from joulemark.environment.facts import MACHINE_DIGEST, MACHINE_KEYS, may_agree
from joulemark.records.trial import HOST, Trial, plain_name

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
_NO_FIGURE: Final = "has no figure in the new build"
_NOTHING_IN_BOTH: Final = "No trial was measured in both builds; see the failures."
ADVICE_BUILDS: Final = (
    "Give it more time with a larger --budget, choose a larger --threshold, or measure when the "
    "machine has less to do."
)
ADVICE_LIMIT: Final = (
    "More time would hardly decide this: choose a longest time that is clearly above what the code "
    "takes, or clearly below it."
)
ADVICE_THRESHOLD: Final = (
    "More time would hardly decide this: choose a --threshold that is clearly above the slow-down, "
    "or clearly below it."
)
NOT_TIMED: Final = (
    "Counts of simulated targets, {} in the baseline, are no part of this answer; joulemark "
    "compare --runs sets those of firmware side by side."
)
ADVICE_VANISHED: Final = (
    "Measure in the new run all that the baseline has, or name with PATTERN and --size the part of "
    "the baseline that you ask about."
)


def check(
    baseline: Samples,
    current: Samples,
    baseline_environment: Mapping[str, Any],
    current_environment: Mapping[str, Any],
    *,
    threshold: float = 0.05,
    limits: GateLimits | None = None,
    alpha: float = 0.05,
    keys: Sequence[str] = ENVIRONMENT_KEYS,
    failed: Collection[str] = (),
    absent: Mapping[str, str] | None = None,
    counted: tuple[Collection[Trial], Collection[Trial]] = ((), ()),
    whole: bool = True,
) -> GateOutcome:
    """Judges a run against a stored one.

    Args:
        baseline: samples of the stored run.
        current: samples of the run in question.
        baseline_environment: fields of its `Environment`; may carry `compiler` as well.
        current_environment: the same of the run in question.
        threshold: smallest slow-down that counts, as a fraction.
        limits: thresholds and longest times of single trials; they take the place of `threshold`.
        alpha: chance of even one false alarm over all trials together; of longest times too.
        keys: facts that must agree.
        failed: implementations that crashed, hung or computed something wrong in the run in
            question. One that the baseline measured is a regression wherever it was measured:
            broken is worse than slow.
        absent: implementations that the run in question could not measure, with the reason.
        counted: trials of simulated targets in both runs, which have no samples. They are not
            compared here, and must not vanish either.
        whole: whether a trial that the baseline alone has is a regression; False where runs that
            were asked for different trials are compared.
    """
    limits = limits or GateLimits(threshold)
    runs = compare_runs(baseline, current, alpha=alpha, threshold=limits.threshold)
    differences = environment_differences(baseline_environment, current_environment, keys)
    broken = sorted({trial.implementation for trial in baseline} & set(failed))
    vanished = [
        Vanished(
            trial.implementation + ("" if trial.target == HOST else f" on {trial.target}"),
            trial.workload,
            _reason(trial, absent or {}),
        )
        for trial in (*runs.missing, *sorted(set(counted[0]) - set(counted[1])))
        if trial.implementation not in failed
    ]
    words = nothing_sentence(runs), ADVICE_RUNS
    found = _judge(
        runs,
        limits,
        words,
        differences,
        broken,
        vanished,
        time_limits(current, limits, alpha=alpha),
        stored=True,
        whole=whole,
    )
    if not counted[0]:
        return found
    return replace(found, reasons=(*found.reasons, NOT_TIMED.format(len(counted[0]))))


def _reason(trial: Trial, absent: Mapping[str, str]) -> str:
    """Why the new run has no figure of a trial, as `Vanished.reason` wants it."""
    found = absent.get(trial.implementation)
    if found is not None:
        return f"cannot run here: {found.rstrip('.')}"
    return "was measured before and has no figure in the new run"


def check_pairs(
    samples: Samples,
    pairs: Sequence[tuple[Trial, Trial]],
    *,
    threshold: float = 0.05,
    limits: GateLimits | None = None,
    alpha: float,
    looks: int,
    failed: Collection[str] = (),
    lacking: Sequence[Vanished] = (),
) -> GateOutcome:
    """Judges new code against old code that was measured in the same run.

    Args:
        samples: of both.
        pairs: the trials of the old and of the new code.
        threshold: smallest slow-down that counts, as a fraction.
        limits: as in `check`.
        alpha: chance of even one false alarm over all trials and all looks together; of longest
            times too.
        looks: how often the run may be judged while it goes on; each look has its part of alpha.
        failed: implementations that crashed, hung or computed something wrong. One of the new
            code makes the answer red, whether the old code fails too or not, and so does a trial
            that the new code refuses and the old code does not.
        lacking: implementations that only the old code has, or that can run only in the old code,
            which is a regression too.
    """
    limits = limits or GateLimits(threshold)
    check_limits(alpha, limits.usual)
    points = points_of(samples, pairs)
    usable = [pair for pair in pairs if not {trial.implementation for trial in pair} & set(failed)]
    comparisons = compare_pairs(points, usable, alpha=alpha / looks, threshold=limits.threshold)
    measured = {(comparison.contender, comparison.workload) for comparison in comparisons}
    runs = RunComparison(
        comparisons=tuple(comparisons),
        common_shift=None,  # Neither build can blame the machine: it was the same for both.
        missing=tuple(
            new for _, new in pairs if (new.implementation, new.workload) not in measured
        ),
        added=(),
    )
    broken = sorted({new.implementation for _, new in pairs} & set(failed))
    refused = [
        Vanished(plain_name(new.implementation), new.workload, _NO_FIGURE)
        for old, new in pairs
        if samples.get(old)
        and (new.implementation, new.workload) not in measured
        and not {old.implementation, new.implementation} & set(failed)
    ]
    new_code = {new: samples.get(new, ()) for _, new in usable}
    return _judge(
        runs,
        limits,
        (_NOTHING_IN_BOTH, ADVICE_BUILDS),
        {},
        broken,
        [*lacking, *refused],
        time_limits(new_code, limits, alpha=alpha / looks),
    )


def pairs_decided(outcome: GateOutcome) -> bool:
    """Whether every trial is slower beyond the threshold, or its interval ends below it.

    A longest time has to be decided too.
    """
    return not outcome.unclear and not any(limit.unclear for limit in outcome.times)


def _judge(
    runs: RunComparison,
    limits: GateLimits,
    words: tuple[str, str],
    differences: Mapping[str, tuple[Any, Any]],
    broken: Sequence[str],
    vanished: Sequence[Vanished],
    times: Sequence[TimeLimit],
    *,
    stored: bool = False,
    whole: bool = True,
) -> GateOutcome:
    """The outcome of these comparisons, in the order that the head of this file states.

    Args:
        runs: the comparisons.
        limits: as in `check`.
        words: the sentence for a run without comparisons, and the advice where it is too noisy.
        differences: of the environments.
        broken: implementations that failed in the new code alone.
        vanished: figures that only the old code has.
        times: trials of the new code that may take no longer than a stated time.
        stored: whether old and new were measured in two runs; then a run without a common trial,
            or of another environment, explains what vanished.
        whole: whether a vanished figure is a regression.
    """
    nothing, advice = words
    regressions = tuple(c for c in runs.comparisons if c.verdict is Verdict.SLOWER)
    unclear = unclear_of(runs.comparisons)
    near = tuple(c for c in unclear if is_at_threshold(c))
    above = [limit for limit in times if limit.above]
    at_limit = [limit for limit in times if limit.unclear]
    allowed = tuple(
        c for c in runs.comparisons if c.low > 1 and c not in regressions and c not in unclear
    )
    lost = bool(vanished) and whole
    if broken or (lost and not stored):
        code = GateCode.REGRESSED
    elif not runs.comparisons:
        code = GateCode.NOTHING_MEASURED
    elif differences:
        code = GateCode.ENVIRONMENT_DIFFERS
    elif regressions or lost or above:
        code = GateCode.REGRESSED
    elif unclear or at_limit:
        code = GateCode.TOO_NOISY
    else:
        code = GateCode.OK
    failures = [f"{', '.join(broken)} failed in the new run; see its failures."] if broken else []
    gone = vanished_sentences(vanished)
    wide = len(near) < len(unclear) or not all(limit.narrow for limit in at_limit)
    advices = [advice] if wide else []
    advices += [ADVICE_THRESHOLD] if near else []
    advices += [ADVICE_LIMIT] if any(limit.narrow for limit in at_limit) else []
    sentences = {
        GateCode.NOTHING_MEASURED: [nothing],
        GateCode.ENVIRONMENT_DIFFERS: [*environment_sentences(differences), *gone],
        GateCode.REGRESSED: [
            *failures,
            *slower_sentences(regressions),
            *(limit.sentence for limit in above),
            *gone,
            *([ADVICE_VANISHED] if gone and stored else []),
        ],
        GateCode.TOO_NOISY: [
            *unclear_sentences(unclear, near),
            *(limit.sentence for limit in at_limit),
            *advices,
            *gone,
        ],
        GateCode.OK: [
            none_slower_sentence(runs.comparisons),
            *allowed_sentences(allowed),
            *(limit.sentence for limit in times),
            *gone,
        ],
    }
    return GateOutcome(
        code=code,
        reasons=(*sentences[code], *common_sentences(runs, limits.usual)),
        regressions=regressions,
        unclear=unclear,
        at_threshold=near,
        allowed=allowed,
        times=tuple(times),
        broken=tuple(broken),
        vanished=tuple(vanished),
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


def machines_sentence(differences: Mapping[str, tuple[Any, Any]]) -> str | None:
    """The sentence that two compared runs are of two machines; None if no key differs.

    It does not show the digest of a machine.
    """
    if not differences:
        return None
    facts = "; ".join(
        f"{key}: {old}, then {new}"
        for key, (old, new) in differences.items()
        if key != MACHINE_DIGEST
    )
    return (
        f"The two runs are of different machines or settings ({facts or 'equal in all facts'}): "
        "the ratios are those of machine and code together."
    )


def _agree(key: str, old: Any, new: Any) -> bool:
    """Whether two values are one fact; a round trip through JSON turns tuples into lists."""
    numbers = isinstance(old, (int, float)) and isinstance(new, (int, float))
    if numbers and (isinstance(old, float) or isinstance(new, float)):
        return math.isclose(old, new, rel_tol=_FLOAT_TOLERANCE)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return list(old) == list(new)
    return may_agree(key, old, new)
