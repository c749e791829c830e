# SPDX-License-Identifier: Apache-2.0
"""Counts of simulated trials in the store: clocks of cores, and counts of firmware targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import select

from joulemark.records.firmware import FirmwareCount
from joulemark.records.sample import ClockCount
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.database.cells import Cells
from joulemark.store.energy import EnergyAccess
from joulemark.store.models import ClockCountRow, FirmwareCountRow, TrialRow

__all__ = ["CountAccess"]

Count = TypeVar("Count", ClockCount, FirmwareCount)


class CountAccess(EnergyAccess):
    """The part of the store about counts; the promises are those of `Store`."""

    def add_clock_count(self, run_id: int, trial: Trial, count: ClockCount) -> None:
        """Store what a simulation counted, in a separate transaction.

        Raises:
            StoreError: among others, the trial has its count already.
            TypeError: a number is not whole.
        """
        self._insert_observations(
            run_id, trial, ClockCountRow, [rows.counter_values(count)],
            f"the clocks of {trial.implementation} at {trial.workload.size_bytes} bytes are",
        )  # fmt: skip

    def clock_counts(self, run_id: int) -> dict[Trial, ClockCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, ClockCountRow, rows.clock_count_of)

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """Store the count of a trial, in a separate transaction.

        Raises:
            StoreError: among others, the trial has its count already.
        """
        self._insert_observations(
            run_id, trial, FirmwareCountRow, [count.as_dict()],
            f"the core cycles of {trial.implementation} on {trial.target} at "
            f"{trial.workload.size_bytes} bytes are",
        )  # fmt: skip

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, FirmwareCountRow, _firmware_count_of)

    def _counts(
        self,
        run_id: int,
        table: type[ClockCountRow | FirmwareCountRow],
        read: Callable[[Any], Count],
    ) -> dict[Trial, Count]:
        """Reads the counts of a table that has at most one row for each trial.

        Trials stand in the order in which they were first simulated.
        """
        query = (
            select(TrialRow, table)
            .join(table, table.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .order_by(TrialRow.id)
        )
        with self.reading(run_id) as session:
            return {rows.trial_of(row): read(count) for row, count in session.execute(query)}


def _firmware_count_of(row: FirmwareCountRow) -> FirmwareCount:
    """Read a count.

    Raises:
        DamagedRowError: a column holds what it never should.
    """
    cells = Cells(row, "firmware_count", "trial_id")
    evidence = cells.text("evidence")
    if evidence not in ("simulated", "modelled"):
        raise cells.damaged("evidence", "it is neither simulated nor modelled")
    return FirmwareCount(
        core_cycles=cells.whole("core_cycles", least=1),
        instructions=cells.whole("instructions", least=1),
        key_core_cycles=cells.optional(cells.whole, "key_core_cycles"),
        code_bytes=cells.whole("code_bytes"),
        constant_bytes=cells.whole("constant_bytes"),
        static_ram_bytes=cells.whole("static_ram_bytes"),
        state_bytes=cells.optional(cells.whole, "state_bytes"),
        stack_bytes=cells.whole("stack_bytes"),
        evidence=evidence,
        compiler=cells.text("compiler"),
        flags=cells.text("flags"),
        simulator=cells.text("simulator"),
    )
