# SPDX-License-Identifier: Apache-2.0
"""Runs with counts of firmware, and the packets whose budget follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from joulemark.budget.counts import target_of
from joulemark.budget.plan import USUAL
from joulemark.budget.planner import Planner
from joulemark.catalogue.planning.nodes import Microcontroller, Node
from joulemark.catalogue.planning.protocols import Protocol
from joulemark.catalogue.planning.shelf import names, sheet
from joulemark.errors import UsageError
from joulemark.records.firmware import FirmwareCount
from joulemark.records.trial import Trial, is_firmware
from joulemark.store.outline import OutlineStore, RunOutline

__all__ = ["FirmwareRuns", "core_of"]

Counts = dict[str, Mapping[Trial, FirmwareCount]]


def core_of(node: str) -> str:
    """The core of a node of the catalogue."""
    return sheet(Microcontroller, sheet(Node, node).microcontroller).core


class FirmwareRuns:
    """The runs of one moment that counted firmware; a store for the planner of budgets.

    Threads: may be shared. Each run is read once, and again when its content changes.

    Args:
        store: which is read.
        runs: of the store, oldest first.
        read: counts that were read at an earlier moment, taken where they still hold.
    """

    def __init__(
        self, store: OutlineStore, runs: Sequence[RunOutline], read: Counts | None = None
    ) -> None:
        self._store = store
        self._runs = [run for run in runs if any(is_firmware(trial.target) for trial in run.trials)]
        wanted = {run.content for run in self._runs}
        known = read or {}
        self.read: Counts = {content: known[content] for content in wanted & known.keys()}
        """Fingerprint of a run's content -> its counts, as far as somebody asked for them."""

    def runs(self) -> Sequence[RunOutline]:
        """Those with counts, oldest first."""
        return self._runs

    def firmware_counts(self, run_id: int) -> Mapping[Trial, FirmwareCount]:
        """What was counted in one of them, by trial.

        Raises:
            StoreError: the store cannot be read.
        """
        content = next(run.content for run in self._runs if run.id == run_id)
        if content not in self.read:
            self.read[content] = self._store.firmware_counts(run_id)
        return self.read[content]

    def of_core(self, core: str) -> list[RunOutline]:
        """Runs with counts on one core."""
        target = target_of(core)
        return [run for run in self._runs if any(trial.target == target for trial in run.trials)]

    @cached_property
    def usual(self) -> list[tuple[str, str]]:
        """Protocol and node of each usual packet that a MAC of these runs can authenticate.

        Those whose payload does not fit, or that the radio is too slow for, are left out.

        Raises:
            StoreError: the store cannot be read.
        """
        return [
            (protocol, node)
            for node in names(Node)
            if self.of_core(core_of(node))
            for protocol in names(Protocol)
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
