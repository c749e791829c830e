# SPDX-License-Identifier: Apache-2.0
"""What `joulemark check` would say of a run, with an earlier run of its machine as baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from joulemark.analyse.gate import GateCode, check
from joulemark.analyse.gate_report import special_words
from joulemark.analyse.runs.baseline import RunSamples
from joulemark.analyse.verdict import Comparison, Verdict

__all__ = ["THRESHOLD", "Change", "RunGate", "judge_run"]

THRESHOLD: Final = 0.05
"""Smallest slow-down that counts, as that of `joulemark check`."""
_TOLD: Final = (
    Verdict.SLOWER, Verdict.FASTER, Verdict.PERHAPS_SLOWER, Verdict.PERHAPS_FASTER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """One trial that is no longer as fast as it was."""

    run: int
    before: int
    """The earlier run."""
    algorithm: str
    implementation: str
    target: str
    size_bytes: int
    workload: str
    """Message length, and what else is special."""
    ratio: float
    """New over old seconds per message."""
    low: float
    high: float
    verdict: str
    flagged: bool
    """Whether the gate ends with `regressed` because of it."""


@dataclass(frozen=True, slots=True)
class RunGate:
    """The judgement of a run."""

    run: int
    before: int
    answer: str
    """As that of `GateReport`."""
    reasons: tuple[str, ...]
    changes: tuple[Change, ...]


def judge_run(
    before: RunSamples, after: RunSamples, numbers: tuple[int, int], algorithms: Sequence[str]
) -> RunGate:
    """The gate's answer, about the trials of some algorithms.

    Args:
        before: the earlier run.
        after: the run in question.
        numbers: of the two.
        algorithms: of which the earlier run is the one to compare with.
    """
    old, new = (
        {
            trial: taken
            for trial, taken in curve_point.samples.items()
            if trial.algorithm in algorithms
        }
        for curve_point in (before, after)
    )
    outcome = check(
        old, new, before.environment, after.environment, threshold=THRESHOLD, failed=after.failed
    )
    judged = outcome.code is not GateCode.ENVIRONMENT_DIFFERS
    return RunGate(
        run=numbers[1],
        before=numbers[0],
        answer=outcome.code.name.lower().replace("_", " "),
        reasons=outcome.reasons,
        changes=tuple(
            _change(comparison, numbers, flagged=judged and comparison in outcome.regressions)
            for comparison in outcome.runs.comparisons
            if judged and comparison.verdict in _TOLD
        ),
    )


def _change(comparison: Comparison, numbers: tuple[int, int], *, flagged: bool) -> Change:
    words = (comparison.workload.length_text, special_words(comparison.workload))
    return Change(
        run=numbers[1],
        before=numbers[0],
        algorithm=comparison.contender.partition("/")[0],
        implementation=comparison.contender,
        target=comparison.target,
        size_bytes=comparison.workload.size_bytes,
        workload=", ".join(filter(None, words)),
        ratio=comparison.ratio,
        low=comparison.low,
        high=comparison.high,
        verdict=str(comparison.verdict),
        flagged=flagged,
    )
