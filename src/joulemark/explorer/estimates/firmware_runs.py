# SPDX-License-Identifier: Apache-2.0
"""Runs with counts of firmware, and the packets whose budget follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from joulemark.budget.counts import target_of
from joulemark.budget.plan import USUAL
from joulemark.budget.planner import Planner
from joulemark.catalogue.nodes import Microcontroller, Node
from joulemark.catalogue.protocols import PacketProtocol, names, sheet
from joulemark.errors import UsageError
from joulemark.records.sample import FirmwareCount
from joulemark.records.trial import Trial, is_firmware
from joulemark.store.reading import OutlineStore, RunOutline

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
