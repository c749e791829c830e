# SPDX-License-Identifier: Apache-2.0
"""What `joulemark check` and `joulemark budget` would say of the runs of a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from joulemark.analyse.baseline import RunSamples
from joulemark.analyse.gate import check
from joulemark.analyse.gate_outcome import GateCode
from joulemark.analyse.gate_report import workload_words
from joulemark.analyse.verdict import Comparison, Verdict
from joulemark.budget.counts import target_of
from joulemark.budget.plan import USUAL
from joulemark.budget.planner import Planner
from joulemark.catalogue.planning.nodes import Microcontroller, Node
from joulemark.catalogue.planning.protocols import PacketProtocol
from joulemark.catalogue.planning.shelf import names, sheet
from joulemark.errors import UsageError
from joulemark.records.firmware import FirmwareCount
from joulemark.records.trial import Trial, is_firmware
from joulemark.store.reading import OutlineStore, RunOutline

# The gate's judgement of a run, with an earlier run of its machine as baseline.

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


CountsByContent = dict[str, Mapping[Trial, FirmwareCount]]
"""Fingerprint of a run's content -> its counts by trial."""


def core_of(node: str) -> str:
    """The core of the microcontroller of a node in the catalogue."""
    return sheet(Microcontroller, sheet(Node, node).microcontroller).core


class FirmwareRuns:
    """The runs of one moment that counted firmware; a store for the planner of budgets.

    Threads: may be shared. Each run is read once, and again when its content changes.

    Args:
        store: holds the counts.
        runs: runs of the store, oldest first.
        counts: counts that were read at an earlier moment; those of unchanged runs are taken over.
    """

    def __init__(
        self,
        store: OutlineStore,
        runs: Sequence[RunOutline],
        counts: CountsByContent | None = None,
    ) -> None:
        self._store = store
        self._runs = [run for run in runs if any(is_firmware(trial.target) for trial in run.trials)]
        known = counts or {}
        self.counts: CountsByContent = {
            run.content: known[run.content] for run in self._runs if run.content in known
        }
        """The counts that were read so far."""

    def runs(self) -> Sequence[RunOutline]:
        """The runs with counts, oldest first."""
        return self._runs

    def firmware_counts(self, run_id: int) -> Mapping[Trial, FirmwareCount]:
        """The counts of one of these runs, by trial."""
        content = next(run.content for run in self._runs if run.id == run_id)
        if content not in self.counts:
            self.counts[content] = self._store.firmware_counts(run_id)
        return self.counts[content]

    def of_core(self, core: str) -> list[RunOutline]:
        """Runs with counts on one core."""
        target = target_of(core)
        return [run for run in self._runs if any(trial.target == target for trial in run.trials)]

    @cached_property
    def usual(self) -> list[tuple[str, str]]:
        """Protocol and node of each usual packet that a MAC of these runs can authenticate.

        A packet whose payload does not fit, or for which the radio is too slow, is left out.
        """
        return [
            (protocol, node)
            for node in names(Node)
            if self.of_core(core_of(node))
            for protocol in names(PacketProtocol)
            if self._answers(protocol, node)
        ]

    def _answers(self, protocol: str, node: str) -> bool:
        try:
            budget = Planner.of(protocol, node, USUAL, store=self).budget
        except UsageError:
            return False
        return any(
            candidate.cycles.series.run is not None and candidate.allowed
            for candidate in budget.ranking
        )
