# SPDX-License-Identifier: Apache-2.0
"""Firmware targets in the store: what each trial on a simulated microcontroller came to."""

from __future__ import annotations

from dataclasses import fields

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from joulemark.errors import StoreError
from joulemark.records.firmware import FirmwareCount
from joulemark.records.trial import Trial
from joulemark.store import rows
from joulemark.store.cells import Cells
from joulemark.store.cores import CoreAccess
from joulemark.store.models import FirmwareCountRow, TrialRow

__all__ = ["FirmwareAccess"]

_INSERT = insert(FirmwareCountRow)
_FIELDS = tuple(field.name for field in fields(FirmwareCount))


class FirmwareAccess(CoreAccess):
    """The part of the store about firmware targets; the promises are those of `Store`."""

    def add_firmware_count(self, run_id: int, trial: Trial, count: FirmwareCount) -> None:
        """Store what a trial came to, in a separate transaction.

        Raises:
            StoreError: among others, the trial has its count already.
        """
        values = {name: getattr(count, name) for name in _FIELDS}
        with self._guard():
            try:
                with self._writing_of(run_id, trial) as (connection, trial_id):
                    connection.execute(_INSERT, {"trial_id": trial_id, **values})
            except IntegrityError as error:
                with self._reading(run_id):
                    pass  # A run that is not there has its own sentence.
                raise StoreError(
                    f"the core cycles of {trial.implementation} on {trial.target} at "
                    f"{trial.workload.size_bytes} bytes are already in run {run_id} of "
                    f"{self.location}; is another process going on with the same run?"
                ) from error

    def firmware_counts(self, run_id: int) -> dict[Trial, FirmwareCount]:
        """What was counted, by trial, in the order the trials were first simulated."""
        query = (
            select(TrialRow, FirmwareCountRow)
            .join(FirmwareCountRow, FirmwareCountRow.trial_id == TrialRow.id)
            .where(TrialRow.run_id == run_id)
            .order_by(TrialRow.id)
        )
        with self._reading(run_id) as session:
            return {
                rows.trial_of(trial): _count_of(counted)
                for trial, counted in session.execute(query)
            }


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
