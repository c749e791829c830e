# SPDX-License-Identifier: Apache-2.0
"""Firmware targets in the store: the counts of each trial on a simulated microcontroller."""

from __future__ import annotations

from sqlalchemy import insert

from joulemark.records.firmware import FirmwareCount
from joulemark.records.trial import Trial
from joulemark.store.cores import CoreAccess
from joulemark.store.database.cells import Cells
from joulemark.store.models import FirmwareCountRow

__all__ = ["FirmwareAccess"]


class FirmwareAccess(CoreAccess):
    """The part of the store about firmware targets; the promises are those of `Store`."""

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """Store the count of a trial, in a separate transaction.

        Raises:
            StoreError: among others, the trial has its count already.
        """
        self._insert_observations(
            run_id, trial, insert(FirmwareCountRow), [count.as_dict()],
            f"the core cycles of {trial.implementation} on {trial.target} at "
            f"{trial.workload.size_bytes} bytes are",
        )  # fmt: skip

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """Counts by trial, in the order in which the trials were first simulated."""
        return self._counts(run_id, FirmwareCountRow, _count_of)


def _count_of(row: FirmwareCountRow) -> FirmwareCount:
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
        key_core_cycles=cells.whole_or_none("key_core_cycles"),
        code_bytes=cells.whole("code_bytes"),
        constant_bytes=cells.whole("constant_bytes"),
        static_ram_bytes=cells.whole("static_ram_bytes"),
        state_bytes=cells.whole_or_none("state_bytes"),
        stack_bytes=cells.whole("stack_bytes"),
        evidence=evidence,
        compiler=cells.text("compiler"),
        flags=cells.text("flags"),
        simulator=cells.text("simulator"),
    )
