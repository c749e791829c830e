# SPDX-License-Identifier: Apache-2.0
"""Two runs of firmware compared: counts are exact, so every difference counts, without interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.analyse.verdict import Verdict
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial


@dataclass(frozen=True, slots=True)
class CountComparison:
    """One trial on a firmware target in two runs."""

    trial: Trial
    before: FirmwareCount
    after: FirmwareCount

    @property
    def ratio(self) -> float:
        """Core cycles of the second run over those of the first."""
        return self.after.core_cycles / self.before.core_cycles

    @property
    def words(self) -> str:
        """The change of the core cycles, in words."""
        if self.after.core_cycles == self.before.core_cycles:
            return "equal"
        more = self.after.core_cycles > self.before.core_cycles
        return "more core cycles" if more else "fewer core cycles"

    def verdict(self, threshold: float) -> Verdict:
        """The verdict for `--fail-if`: a core that takes more core cycles is slower at any clock.

        Args:
            threshold: smallest relative difference that counts, as in 0.02 for 2 %.
        """
        if self.ratio > 1 + threshold:
            return Verdict.SLOWER
        # The same bound on the other side of 1, as logarithms have it.
        return Verdict.FASTER if self.ratio < 1 / (1 + threshold) else Verdict.EQUAL


def compare_counts(
    before: Mapping[Trial, FirmwareCount], after: Mapping[Trial, FirmwareCount]
) -> tuple[CountComparison, ...]:
    """Compares every trial that both runs counted, in the order of the first run."""
    return tuple(
        CountComparison(trial, count, after[trial])
        for trial, count in before.items()
        if trial in after
    )
