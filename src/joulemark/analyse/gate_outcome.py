# SPDX-License-Identifier: Apache-2.0
"""The outcome of a gate: its code, and the trials that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from joulemark.analyse.compare import RunComparison
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.records.trial import Workload
from joulemark.units import format_percent

AT_THRESHOLD: Final = "at the threshold"
LACKING: Final = "is not in the new build"


class GateCode(IntEnum):
    """Exit codes of `joulemark check`."""

    OK = 0
    REGRESSED = 1
    NOT_ANSWERED = 2
    """The question makes no sense, or code could not be built. No outcome of a check has it."""
    NOTHING_MEASURED = 3
    ENVIRONMENT_DIFFERS = 4
    TOO_NOISY = 5
    SAME_FILE = 6
    """Old and new are byte for byte one file, which answers no question. No outcome has it."""

    @property
    def words(self) -> str:
        """The code in words."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Vanished:
    """A figure that the old code has and the new code does not have."""

    implementation: str
    """Without the name of a build."""
    workload: Workload | None
    """None: the new code has the implementation at no workload."""
    reason: str = LACKING
    """Half a sentence that follows the implementation, as in "cannot run here: it needs avx2"."""

    @property
    def sentence(self) -> str:
        """The loss as people read it."""
        return lost_sentence(self.implementation, self.reason, [self.workload])


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
    at_threshold: tuple[Comparison, ...]
    """Those of `unclear` whose interval is narrow, lies above 1 and holds the threshold."""
    allowed: tuple[Comparison, ...]
    """Trials that are slower beyond doubt, by less than the threshold."""
    broken: tuple[str, ...]
    """Implementations that failed in the new code alone."""
    vanished: tuple[Vanished, ...]
    """Figures that only the old code has."""
    environment_differences: Mapping[str, tuple[Any, Any]]
    """Key -> its values in the baseline and in the new run."""
    runs: RunComparison
    """Every comparison, also where the environment differs, and the common shift."""

    @property
    def answer(self) -> str:
        """The answer in words."""
        if self.code is GateCode.TOO_NOISY and len(self.at_threshold) == len(self.unclear):
            return AT_THRESHOLD
        return self.code.words

    def words_of(self, comparison: Comparison) -> str:
        """The verdict for one trial in the words of the gate."""
        if comparison in self.at_threshold:
            return AT_THRESHOLD
        if comparison in self.allowed:
            return allowed_words(comparison)
        return str(comparison.verdict)


def lost_sentence(implementation: str, reason: str, workloads: Iterable[Workload | None]) -> str:
    """What an implementation lost, at the workloads for which the reason is the same."""
    if reason == LACKING:
        return f"The new build lacks {implementation}."
    places = ", ".join(workload.text for workload in workloads if workload is not None)
    return f"{implementation}{' at ' if places else ''}{places} {reason}."


def allowed_words(comparison: Comparison) -> str:
    """A slow-down that is proven and below the threshold."""
    return f"{format_percent(comparison.ratio - 1)} slower, allowed"


def unclear_of(comparisons: Iterable[Comparison], threshold: float) -> tuple[Comparison, ...]:
    """The trials that could hide a slow-down beyond the threshold."""
    return tuple(
        comparison
        for comparison in comparisons
        if comparison.verdict is Verdict.TOO_FEW
        or (comparison.verdict is not Verdict.SLOWER and comparison.high > 1 + threshold)
    )


def is_at_threshold(comparison: Comparison, threshold: float) -> bool:
    """Whether an unclear trial is slower beyond doubt, by the threshold as far as can be told.

    Its interval holds the threshold and is not wider than the threshold: [1.6 %, 2.1 %] at 2 %.
    """
    return (
        comparison.verdict is Verdict.PERHAPS_SLOWER
        and comparison.low > 1
        and comparison.high - comparison.low <= threshold
    )
