# SPDX-License-Identifier: Apache-2.0
"""What `joulemark check` would say of a run, with an earlier run of its machine as baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.gate import check
from joulemark.analyse.gate_outcome import GateCode
from joulemark.analyse.gate_report import workload_words
from joulemark.analyse.runs.baseline import RunSamples
from joulemark.analyse.verdict import Comparison, Verdict

THRESHOLD: Final = 0.05
"""Smallest slow-down that counts, as that of `joulemark check`."""
_CHANGED: Final = (
    Verdict.SLOWER,
    Verdict.FASTER,
    Verdict.PERHAPS_SLOWER,
    Verdict.PERHAPS_FASTER,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A trial that is faster or slower than in an earlier run."""

    run: int
    before: int
    """The earlier run."""
    algorithm: str
    implementation: str
    target: str
    size_bytes: int
    workload: str
    """As `workload_words` has it."""
    ratio: float
    """New over old seconds per message."""
    low: float
    high: float
    verdict: str
    flagged: bool
    """Whether the gate ends with `regressed` because of it."""


@dataclass(frozen=True, slots=True)
class RunGate:
    """The gate's judgement of a run against an earlier one."""

    run: int
    before: int
    """The earlier run."""
    answer: str
    """The gate's answer in words."""
    reasons: tuple[str, ...]
    changes: tuple[Change, ...]


def judge_run(
    before: RunSamples, after: RunSamples, numbers: tuple[int, int], algorithms: Sequence[str]
) -> RunGate:
    """The gate's judgement of a run by the trials of some algorithms.

    Args:
        before: the earlier run.
        after: the run in question.
        numbers: of the two runs, in this order.
        algorithms: algorithms for which `before` is the run to compare with.
    """
    old, new = (
        {trial: samples for trial, samples in run.samples.items() if trial.algorithm in algorithms}
        for run in (before, after)
    )
    outcome = check(
        old,
        new,
        before.environment,
        after.environment,
        threshold=THRESHOLD,
        failed=after.failed,
        absent=after.absent,
        whole=False,  # A run may ask for other trials than the one before.
    )
    judged = outcome.code is not GateCode.ENVIRONMENT_DIFFERS
    return RunGate(
        run=numbers[1],
        before=numbers[0],
        answer=outcome.answer,
        reasons=outcome.reasons,
        changes=tuple(
            _change(comparison, numbers, flagged=comparison in outcome.regressions)
            for comparison in outcome.runs.comparisons
            if judged and comparison.verdict in _CHANGED
        ),
    )


def _change(comparison: Comparison, numbers: tuple[int, int], *, flagged: bool) -> Change:
    return Change(
        run=numbers[1],
        before=numbers[0],
        algorithm=comparison.contender.partition("/")[0],
        implementation=comparison.contender,
        target=comparison.target,
        size_bytes=comparison.workload.size_bytes,
        workload=workload_words(comparison.workload),
        ratio=comparison.ratio,
        low=comparison.low,
        high=comparison.high,
        verdict=str(comparison.verdict),
        flagged=flagged,
    )
